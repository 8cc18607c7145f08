// I7: the kernel log is clean: no WARN, BUG, KASAN, lockdep, refcount, hung task.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "harness/oracle/data_races.hpp"
#include "harness/oracle/findings.hpp"
#include "harness/oracle/kernel_line.hpp"

namespace zcrxlab {

namespace {

// Where a pattern must stand in a line. Kernel splats begin their line (after a time stamp, if the
// line has one); the same words later in a line are often harmless ("Spectre V2 : WARNING: ...").
enum class Where { kBegins, kWord, kAnywhere };

struct Pattern {
    Where where;
    std::string_view text;
    std::string_view also;  // must follow somewhere in the line; empty: nothing
    std::string_view what;
};

// Sources: kernel/panic.c (__warn), lib/bug.c, arch/x86/kernel/dumpstack.c, mm/kasan/report.c,
// kernel/locking/lockdep.c, lib/refcount.c, lib/ref_tracker.c, kernel/hung_task.c,
// kernel/rcu/tree_stall.h, mm/kmemleak.c, mm/slub.c, net/core/page_pool.c, net/core/dev.c,
// net/sched/sch_generic.c, mm/page_alloc.c, mm/oom_kill.c.
constexpr std::array kPatterns = {
    // A warning names a CPU (up to 6.18 first, later after "at function"). Boot lines that begin
    // with the word ("WARNING! power/level is deprecated") do not.
    Pattern{Where::kBegins, "WARNING: ", "CPU: ", "a warning (WARN)"},
    Pattern{Where::kBegins, "WARNING: ", "CPU#", "a warning (WARN)"},
    Pattern{Where::kBegins, "WARNING: ", " at ", "a warning (WARN)"},
    Pattern{Where::kBegins, "WARNING: possible ", "", "a lockdep report"},
    Pattern{Where::kBegins, "WARNING: suspicious ", "", "a lockdep report"},
    Pattern{Where::kBegins, "WARNING: inconsistent lock state", "", "a lockdep report"},
    Pattern{Where::kBegins, "WARNING: ", "unlock balance", "a lockdep report"},
    Pattern{Where::kBegins, "WARNING: ", "lock held", "a lockdep report"},
    Pattern{Where::kBegins, "WARNING: ", "held lock", "a lockdep report"},
    Pattern{Where::kBegins, "WARNING: Nested lock", "", "a lockdep report"},
    Pattern{Where::kAnywhere, "possible circular locking dependency", "", "a lockdep report"},
    Pattern{Where::kAnywhere, "possible recursive locking detected", "", "a lockdep report"},
    Pattern{Where::kAnywhere, "suspicious RCU usage", "", "a lockdep report"},
    Pattern{Where::kAnywhere, "suspicious rcu_", " usage", "a lockdep report"},
    Pattern{Where::kWord, "INFO: trying to register non-static key", "", "a lockdep report"},
    Pattern{Where::kWord, "INFO: lockdep is turned off", "", "a lockdep report"},
    Pattern{Where::kWord, "INFO: possible ", "", "a lockdep report"},
    Pattern{Where::kWord, "INFO: task ", "", "a hung task"},
    Pattern{Where::kAnywhere, "blocked for more than ", "", "a hung task"},
    Pattern{Where::kWord, "INFO: rcu", "", "an RCU stall"},
    Pattern{Where::kWord, "rcu", "detected stall", "an RCU stall"},
    Pattern{Where::kWord, "rcu", "self-detected stall", "an RCU stall"},
    Pattern{Where::kWord, "rcu", "kthread starved for", "an RCU stall"},
    Pattern{Where::kWord, "KASAN: ", "", "a memory error (KASAN)"},
    Pattern{Where::kWord, "KFENCE: ", "", "a memory error (KFENCE)"},
    Pattern{Where::kWord, "KMSAN: ", "", "a memory error (KMSAN)"},
    // Of a shape that read_race() does not know.
    Pattern{Where::kWord, "KCSAN: ", "", "a data race (KCSAN)"},
    Pattern{Where::kWord, "UBSAN: ", "", "undefined behaviour (UBSAN)"},
    // kernel/dma/debug.c:err_printk, whose WARNING follows
    Pattern{Where::kBegins, "DMA-API: ", ": mapping sg ", "a wrong DMA mapping (DMA-API)"},
    Pattern{Where::kBegins, "DMA-API: ", ": device driver ", "a wrong DMA mapping (DMA-API)"},
    Pattern{Where::kWord, "BUG: ", "", "a kernel bug (BUG)"},
    Pattern{Where::kBegins, "BUG ", "ainted", "slab corruption"},
    Pattern{Where::kWord, "kernel BUG at ", "", "a kernel bug (BUG)"},
    Pattern{Where::kWord, "Oops", ": ", "an oops"},
    Pattern{Where::kWord, "general protection fault, ", "", "an oops"},
    Pattern{Where::kWord, "Unable to handle kernel ", "", "an oops"},
    Pattern{Where::kWord, "Kernel panic - ", "", "a panic"},
    Pattern{Where::kWord, "refcount_t: ", "", "a wrong reference count"},
    Pattern{Where::kWord, "ref_tracker: ", "", "a leaked reference"},
    Pattern{Where::kWord, "unregister_netdevice: waiting for ", "", "a leaked reference"},
    Pattern{Where::kWord, "unreferenced object 0x", "", "leaked memory (kmemleak)"},
    Pattern{Where::kWord, "new suspected memory leaks", "", "leaked memory (kmemleak)"},
    Pattern{Where::kAnywhere, "stalled pool shutdown", "", "a page pool that does not go"},
    Pattern{Where::kBegins, "Bad page state ", "", "a bad page"},
    Pattern{Where::kBegins, "page dumped because: ", "", "a bad page"},
    Pattern{Where::kWord, "list_add corruption", "", "a corrupted list"},
    Pattern{Where::kWord, "list_del corruption", "", "a corrupted list"},
    Pattern{Where::kWord, "NETDEV WATCHDOG: ", "", "a transmit queue that timed out"},
    Pattern{Where::kWord, "page allocation failure: ", "", "a lack of memory"},
    Pattern{Where::kWord, "invoked oom-killer: ", "", "a lack of memory"},
    Pattern{Where::kWord, "Out of memory: ", "", "a lack of memory"},
    Pattern{Where::kBegins, "Bad rss-counter state ", "", "wrong memory accounting"},
    // Not the kernel's words, but those of who read its log.
    Pattern{Where::kBegins, kMessagesThrownAway, "", "a gap"},
};

// What follows one of the above; alone it means that the head of a splat was lost.
constexpr std::array kFollowing = {
    Pattern{Where::kBegins, "RIP: ", "", "a register dump"},
    Pattern{Where::kBegins, "Call Trace:", "", "a call trace"},
    Pattern{Where::kBegins, "Call trace:", "", "a call trace"},
    Pattern{Where::kBegins, "---[ end trace ", "", "the end of a trace"},
};
constexpr size_t kLinesOfASplat = 120;

bool matches(const Pattern& pattern, std::string_view line) {
    for (size_t at = line.find(pattern.text); at != std::string_view::npos;
         at = line.find(pattern.text, at + 1)) {
        if (pattern.where == Where::kBegins && at != 0) return false;
        const bool inside_word =
            at > 0 && std::isalnum(static_cast<unsigned char>(line[at - 1])) != 0;
        if (pattern.where == Where::kWord && inside_word) continue;
        if (pattern.also.empty() ||
            line.find(pattern.also, at + pattern.text.size()) != std::string_view::npos)
            return true;
    }
    return false;
}

template <size_t N>
const Pattern* find_in(const std::array<Pattern, N>& patterns, std::string_view line) {
    const auto found = std::find_if(patterns.begin(), patterns.end(),
                                    [&](const Pattern& pattern) { return matches(pattern, line); });
    return found == patterns.end() ? nullptr : &*found;
}

// "driver 0000:00:05.0: ..." as dev_err() writes it for a PCI device.
bool is_of_pci_driver(std::string_view line) {
    const size_t space = line.find(' ');
    constexpr std::string_view kShape = "xxxx:xx:xx.x";
    if (space == 0 || space == std::string_view::npos || line.size() < space + 1 + kShape.size())
        return false;
    const std::string_view bus_id = line.substr(space + 1, kShape.size());
    for (size_t i = 0; i < kShape.size(); ++i) {
        const bool fits = kShape[i] == 'x'
                              ? std::isxdigit(static_cast<unsigned char>(bus_id[i])) != 0
                              : bus_id[i] == kShape[i];
        if (!fits) return false;
    }
    return true;
}

// The link was taken away or came back (the verb "link").
bool is_about_the_link(const Event& event) {
    const auto* done = std::get_if<ActionDone>(&event.body);
    return done != nullptr && done->action.starts_with("link ");
}

constexpr uint8_t kCritical = 2;
constexpr uint8_t kError = 3;

// The report of KCSAN that begins with event `first`. Returns its last event.
size_t judge_race(Events events, size_t first, Findings& findings) {
    const DataRace race = read_race(events, first);
    const std::string subject = subject_of(race);
    if (!race.whole)
        findings.add(first,
                     "the kernel log has a data race (KCSAN), whose report is not whole, so that "
                     "nobody knows whose it is: " +
                         subject,
                     RaceTold{subject});
    else if (concerns_zero_copy(race))
        findings.add(first, "the kernel log has a data race (KCSAN): " + subject,
                     RaceTold{subject});
    return race.end;
}

}  // namespace

std::string_view without_stamp(std::string_view line) {
    const auto cut = [&line](char open, char close) {
        while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
        const size_t end = line.find(close);
        if (line.empty() || line.front() != open || end == std::string_view::npos) return false;
        const std::string_view inside = line.substr(1, end - 1);
        const bool stamp = !inside.empty() && std::all_of(inside.begin(), inside.end(), [](char c) {
            return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || c == ' ' ||
                   c == 'T' || c == 'C';
        });
        if (stamp) line.remove_prefix(end + 1);
        return stamp;
    };
    cut('<', '>');
    while (cut('[', ']')) {
    }
    return line;
}

std::vector<Violation> check_kernel_log(Events events) {
    Findings findings(Invariant::kI7);
    bool faults = false;
    size_t since_splat = kLinesOfASplat;
    size_t end_of_race = events.size();
    for (size_t i = 0; i < events.size(); ++i) {
        faults = faults || std::holds_alternative<FaultInjected>(events[i].body) ||
                 is_about_the_link(events[i]);
        const auto* message = std::get_if<KernelMessage>(&events[i].body);
        if (message == nullptr) continue;
        const std::string_view line = without_stamp(message->text);
        // Lines of others may stand within the report, and are judged as any.
        if (begins_race(line)) {
            end_of_race = judge_race(events, i, findings);
            continue;
        }
        if (ends_race(line) && i != end_of_race) {
            const std::string about =
                "the end of a report of a data race (KCSAN), whose beginning is missing";
            findings.add(i, "the kernel log has " + about, RaceTold{about});
        }
        const Pattern* pattern = find_in(kPatterns, line);
        if (pattern == nullptr && since_splat >= kLinesOfASplat)
            pattern = find_in(kFollowing, line);
        ++since_splat;
        if (pattern != nullptr) {
            since_splat = 0;
            findings.add(i, fmt::format("the kernel log has {}: {}", pattern->what, line));
        } else if (since_splat >= kLinesOfASplat && message->level <= kCritical) {
            findings.add(i,
                         fmt::format("the kernel log has a line of level {} (critical or worse): "
                                     "{}",
                                     message->level, line));
        } else if (message->level == kError && !faults && is_of_pci_driver(line)) {
            // A driver may well complain about faults that were put in on purpose.
            findings.add(i, fmt::format("the kernel log has a driver's error: {}", line));
        }
    }
    return findings.take();
}

}  // namespace zcrxlab
