// Scenario: the list of chapters and scenarios, and which of them a filter selects.
#include "scenarios/framework/scenario.hpp"

#include <algorithm>
#include <utility>

namespace zcrxlab {

const std::vector<Chapter>& chapters() {
    static const std::vector<Chapter> list = {
        {"receive", "what a zero-copy receive is: every byte, in order, not copied"},
        {"device", "the emulated NIC is what its driver thinks it is"},
        {"registration", "every way to register, and every errno"},
        {"steering", "which packets reach the queue, and which do not"},
        {"cqe32", "every flag and field of a completion"},
        {"refill", "the refill ring: order, wraps, invalid entries"},
        {"exhaustion", "no buffers left, and what happens then"},
        {"copy_fallback", "when the kernel copies, and how often"},
        {"header_split", "where headers end and payload begins"},
        {"tcp", "loss, order, windows, resets"},
        {"teardown", "close, exit, kill, and what they leave behind"},
        {"concurrency", "rings, queues and threads side by side"},
        {"control", "flush, export, import, events, areas, query"},
        {"areas", "kinds of memory that can be registered"},
        {"neighbours", "the rest of the kernel and unreadable payload"},
        {"baseline", "the same stream through the older ways"},
        {"actions", "lists of actions, from files", true},
        {"bench", "how fast it is; never passed or failed by a number", true},
        {"alone", "what has a guest for itself", true},
        {"stall", "an area that data behind a hole can fill", true},
        {"races", "two of the kernel's paths on two processors at once", true},
        {"bring_up", "what a driver is asked that has just got the queue API", true},
        {"soak", "hours of seeded random connections", true},
        {"control_invariants", "each invariant, broken on purpose", true},
    };
    return list;
}

const Chapter* find_chapter(std::string_view name) {
    for (const Chapter& chapter : chapters())
        if (chapter.name == name) return &chapter;
    return nullptr;
}

namespace {

struct Registry {
    std::vector<Scenario> list;
    bool sorted = false;
};

Registry& all() {
    static Registry registry;
    return registry;
}

// Unknown chapters come last.
size_t rank_of(const std::string& chapter) {
    const Chapter* found = find_chapter(chapter);
    return found != nullptr ? static_cast<size_t>(found - chapters().data()) : chapters().size();
}

bool matches(std::string_view pattern, std::string_view text) {
    if (pattern.empty()) return text.empty();
    if (pattern[0] == '*')
        return matches(pattern.substr(1), text) ||
               (!text.empty() && matches(pattern, text.substr(1)));
    return !text.empty() && (pattern[0] == '?' || pattern[0] == text[0]) &&
           matches(pattern.substr(1), text.substr(1));
}

template <typename Predicate>
bool any_pattern(std::string_view list, Predicate predicate) {
    while (true) {
        const size_t end = list.find(':');
        const std::string_view pattern = list.substr(0, end);
        if (!pattern.empty() && predicate(pattern)) return true;
        if (end == std::string_view::npos) return false;
        list.remove_prefix(end + 1);
    }
}

}  // namespace

bool add_scenario(Scenario scenario) {
    all().list.push_back(std::move(scenario));
    all().sorted = false;
    return true;
}

// Sorted at the first question.
const std::vector<Scenario>& scenarios() {
    Registry& registry = all();
    if (registry.sorted) return registry.list;
    // Rows of one table have one line and keep their order.
    std::ranges::stable_sort(registry.list, [](const Scenario& a, const Scenario& b) {
        const size_t rank_a = rank_of(a.chapter), rank_b = rank_of(b.chapter);
        if (rank_a != rank_b) return rank_a < rank_b;
        if (a.chapter != b.chapter) return a.chapter < b.chapter;
        const std::string_view file_a = a.file, file_b = b.file;
        return file_a != file_b ? file_a < file_b : a.line < b.line;
    });
    registry.sorted = true;
    return registry.list;
}

const Scenario* find_scenario(std::string_view name) {
    for (const Scenario& scenario : scenarios())
        if (scenario.name() == name) return &scenario;
    return nullptr;
}

bool selects(std::string_view filter, const Scenario& scenario) {
    const std::string name = scenario.name();
    const size_t dash = filter.find('-');
    const std::string_view wanted = filter.substr(0, dash);
    const std::string_view unwanted =
        dash == std::string_view::npos ? std::string_view() : filter.substr(dash + 1);
    const Chapter* chapter = find_chapter(scenario.chapter);
    const bool on_request = chapter != nullptr && chapter->on_request;

    const bool in = wanted.empty() ? !on_request : any_pattern(wanted, [&](std::string_view p) {
        return (!on_request || (p[0] != '*' && p[0] != '?')) && matches(p, name);
    });
    return in && !any_pattern(unwanted, [&](std::string_view p) { return matches(p, name); });
}

}  // namespace zcrxlab
