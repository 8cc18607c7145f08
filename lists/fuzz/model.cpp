// Model: makes one list from one seed: the lines of its first thread, and in some lists those of
// another thread or process.
#include "lists/fuzz/model.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "lists/fuzz/part.hpp"

namespace zcrxlab {

namespace {

constexpr unsigned kInCompany = 35;            // percent of lists
constexpr uint64_t kLongestBeforeAKill = 600;  // milliseconds: before, in or behind its steps
constexpr const char* kBox = "b";

// Who is there beside the first thread.
enum class Company {
    kThread,         // with a ring and an ifq of its own
    kSharingThread,  // with a ring of its own that imports the first one's ifq
    kHeir,           // the first thread itself, with another ring that imports the ifq and outlives
                     // the one that exported it
    kProcess,        // that does what a thread would do
    kVictim,         // a process that is killed, wherever it is by then
    kSharingVictim,  // one that has imported the first one's ifq
    kFork,           // a child that holds everything that was open, and does nothing
};
constexpr uint64_t kCompanies = 7;

Action action_of(Verb verb, const std::string& name) {
    Action action;
    action.verb = verb;
    action.name = name;
    return action;
}

class Model {
  public:
    Model(const ModelOptions& options, const Origin& origin)
        : options_(options), random_(origin), first_(options, random_, {}) {
        list_.comments = {to_text(origin)};
    }

    // What the first thread does comes first, so that it does not depend on who is beside it.
    ActionList make() {
        first_.make_first();
        list_.actions = first_.take();
        if (random_.percent(kInCompany)) add_company();
        return std::move(list_);
    }
    uint64_t choices() const { return random_.choices(); }

  private:
    void add_company() {
        switch (static_cast<Company>(random_.below(kCompanies))) {
            case Company::kThread:
                return add_thread();
            case Company::kSharingThread:
                return first_.may_share() ? add_sharing_thread() : add_thread();
            case Company::kHeir:
                return first_.may_share() ? add_heir() : add_thread();
            case Company::kProcess:
                return add_process();
            case Company::kVictim:
                return add_victim();
            case Company::kSharingVictim:
                return first_.may_share() ? add_sharing_victim() : add_victim();
            case Company::kFork:
                return add_fork();
        }
    }

    void add_thread() {
        Part part(options_, random_, {"t", "t", false});
        part.open();
        part.live();
        const size_t behind = start(Verb::kThread, "t", part, somewhere(0, list_.actions.size()));
        // Otherwise the end waits for it.
        if (random_.percent(50))
            insert(somewhere(behind, list_.actions.size()), {action_of(Verb::kJoin, "t")});
    }

    void add_sharing_thread() {
        const size_t exported = export_ifq();
        Part part(options_, random_, {"t", "t", true});
        part.open(first_, kBox);
        part.live();
        const size_t behind = start(Verb::kThread, "t", part, somewhere(exported, close_or_end()));
        // What is closed before that cannot be imported any more.
        insert(somewhere(behind, close_or_end()), {action_of(Verb::kJoin, "t")});
    }

    void add_heir() {
        const size_t exported = export_ifq();
        Part part(options_, random_, {"", "2", true});
        part.open(first_, kBox);
        insert(somewhere(exported, close_or_end()), part.take());
        if (close_or_end() == list_.actions.size())
            list_.actions.push_back(action_of(Verb::kClose, first_.ring()));
        part.live();
        insert(list_.actions.size(), part.take());
    }

    void add_process() {
        Part part(options_, random_, {"p", "p", false});
        part.open();
        part.live();
        const size_t behind = start(Verb::kProcess, "p", part, somewhere(0, next_reset(0)));
        insert(somewhere(behind, next_reset(behind)), {action_of(Verb::kReap, "p")});
    }

    void add_victim() {
        Part part(options_, random_, {"p", "p", false});
        part.open();
        part.wait_for_the_end();
        kill_later(Verb::kProcess, part, somewhere(0, next_reset(0)));
    }

    void add_sharing_victim() {
        const size_t exported = export_ifq();
        // Nothing else of the memory behind an import is the same in both processes.
        Action& ifq = *std::ranges::find(list_.actions, first_.ifq(), &Action::name);
        ifq.set("memory", "memfd");
        ifq.set("rq_memory", "kernel");
        ifq.remove("dirty");
        Part part(options_, random_, {"p", "p", true});
        part.open(first_, kBox);
        part.wait_for_the_end();
        kill_later(Verb::kProcess, part,
                   somewhere(exported, std::min(close_or_end(), next_reset(0))));
    }

    void add_fork() {
        Part nothing(options_, random_, {"p", "p", false});
        kill_later(Verb::kFork, nothing, somewhere(0, next_reset(0)));
    }

    void kill_later(Verb verb, Part& part, size_t at) {
        const size_t behind = start(verb, "p", part, at);
        Action pause = action_of(Verb::kPause, "");
        pause.set("ms", random_.between(1, kLongestBeforeAKill));
        insert(somewhere(behind, next_reset(behind)), {pause, action_of(Verb::kKill, "p")});
    }

    // Somebody and its lines; the place behind them.
    size_t start(Verb verb, const std::string& name, Part& part, size_t at) {
        std::vector<Action> lines = part.take();
        lines.insert(lines.begin(), action_of(verb, name));
        const size_t count = lines.size();
        insert(at, lines);
        return at + count;
    }

    // The first one's ifq in a box; the place behind that.
    size_t export_ifq() {
        const auto made = std::ranges::find(list_.actions, first_.ifq(), &Action::name);
        const auto at = static_cast<size_t>(made - list_.actions.begin()) + 1;
        Action box = action_of(Verb::kExport, kBox);
        box.set("ifq", first_.ifq());
        insert(at, {box});
        return at + 1;
    }

    size_t close_or_end() const {
        return place_of(0, [](const Action& action) { return action.verb == Verb::kClose; });
    }
    // A child has the peer's sockets of its parent, too: none of them sends a RST while it lives.
    size_t next_reset(size_t from) const {
        return place_of(from, [](const Action& action) {
            return action.verb == Verb::kEnd && action.thread.empty() &&
                   action.word("how") == "reset";
        });
    }
    template <typename Condition>
    size_t place_of(size_t from, Condition condition) const {
        const auto begin = list_.actions.begin();
        return static_cast<size_t>(
            std::find_if(begin + static_cast<ptrdiff_t>(from), list_.actions.end(), condition) -
            begin);
    }
    size_t somewhere(size_t from, size_t to) { return random_.between(from, to); }
    void insert(size_t at, const std::vector<Action>& actions) {
        list_.actions.insert(list_.actions.begin() + static_cast<ptrdiff_t>(at), actions.begin(),
                             actions.end());
    }

    const ModelOptions& options_;
    Random random_;
    ActionList list_;
    Part first_;
};

}  // namespace

ActionList list_of(const ModelOptions& options, const Origin& origin, uint64_t* choices) {
    Model model(options, origin);
    ActionList list = model.make();
    if (choices != nullptr) *choices = model.choices();
    return list;
}

ActionList random_list(const ModelOptions& options, uint64_t number) {
    return list_of(options, {{0, options.seed, number}});
}

}  // namespace zcrxlab
