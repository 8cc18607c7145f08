// CCalls: writes the body of a C file, and asks each verb for its lines.
#include "lists/to_c/c_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "lists/to_c/c_names.hpp"
#include "lists/to_c/c_registration.hpp"
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

namespace {

class Writer : public CWriter {
  public:
    Writer(const ActionList& list, const std::string& parts)
        : list_(list), taken_(taken_names_in(parts)) {
        for (const Action& action : list.actions) {
            // Rings and children are used in the end.
            const bool ended = (action.verb == Verb::kRing && action.expected() <= 0) ||
                               action.verb == Verb::kFork;
            if (!action.form().makes || ended) used_.insert(action.name);
            for (const Argument& argument : action.arguments)
                if (argument.parameter->kind == ValueKind::kName) used_.insert(argument.word);
        }
        threads_ = std::ranges::any_of(
            list.actions, [](const Action& action) { return action.verb == Verb::kThread; });
        functions_ = std::ranges::any_of(list.actions,
                                         [](const Action& action) { return action.form().lines; });
    }

    Result<CCalls> write() {
        std::set<std::string> names = {""};
        for (const Action& action : list_.actions)
            if (action.form().lines) names.insert(action.name);
        // Functions of threads stand before main(), and use what is declared above both.
        std::string functions;
        std::string body;
        for (const std::string& thread : names) {
            std::string& text = thread.empty() ? body : functions;
            const bool process = std::ranges::any_of(list_.actions, [&](const Action& action) {
                return action.verb == Verb::kProcess && action.name == thread;
            });
            if (process)
                text += "\nstatic void process_" + thread + "(void)\n{\n";
            else if (!thread.empty())
                text += "\nstatic void *thread_" + thread + "(void *unused)\n{\n";
            for (const Action& action : list_.actions) {
                if (action.thread != thread) continue;
                if (auto call = call_for(action); !call)
                    return call.error();
                else
                    text += *call;
            }
            text += closed_rings_of(thread);
            if (!thread.empty()) text += process ? "}\n" : "\treturn unused;\n}\n";
            if (thread.empty()) text += ended_children();
        }
        calls_.before_main = globals_ + bends_ + functions + "\n";
        calls_.main = needs() + body;
        if (!calls_.main.empty() && threads_) calls_.parts.insert("thread");
        calls_.parts.insert({"memory", huge_ ? "huge_memory" : "plain_memory"});
        return std::move(calls_);
    }

    std::string variable(const std::string& name) const override {
        std::string variable = name;
        while (taken_.contains(variable)) variable += '_';
        return variable;
    }

    void need(std::initializer_list<std::string_view> parts) override {
        for (const std::string_view part : parts) calls_.parts.emplace(part);
    }

    void need_control(unsigned operations) override {
        need({"need"});
        ctrl_ = std::max(ctrl_, operations);
    }

    void declare(const std::string& line) override { globals_ += line; }

    std::string make(const std::string& type, const Action& action,
                     const std::string& call) override {
        return assigned(type, action.name) + call + ";\n" + made(action, type.ends_with('*'));
    }

    Result<std::string> register_ifq(const Action& action) override {
        if (rescanned_ && action.yes("device"))
            return cannot_be_c(action, "a NIC that came back has to be set up first");
        if (action.yes("device") && action.expected() == 0 && ++device_ifqs_ > 1)
            return cannot_be_c(action,
                               "a second ifq of a NIC needs another queue and its flow rule");
        std::string options = registration_options(action);
        note_memory(action);
        if (const std::string bend = bend_function(action); !bend.empty()) {
            bends_ += bend;
            options += ", .bend = " + bend_name(action);
        }
        if (action.yes("device")) {
            need({"device"});
        } else if (action.expected() == 0) {
            nodev_ = true;
            need({"need"});
        }
        return make("struct ifq *", action,
                    c_call("ifq_register", {variable(action.word("ring")),
                                            "(struct ifq_options){ " + options + " }"}));
    }

    std::string memory(const Action& action) override {
        note_memory(action);
        return memory_constant(action);
    }

    void put_into_box(const std::string& box, const std::string& ifq) override {
        exported_[box] = ifq;
    }
    std::string ifq_in_box(const std::string& box) const override {
        const auto found = exported_.find(box);
        return found != exported_.end() ? found->second : "";
    }

    void bring_nic_back() override { rescanned_ = true; }

  private:
    // The beginning of a call that makes a thing.
    std::string assigned(const std::string& type, const std::string& name) {
        if (!used_.contains(name)) return "\t";
        const std::string pointer = type.ends_with('*') ? "" : " ";
        if (functions_) {
            globals_ += "static " + type + pointer + variable(name) + ";\n";
            return "\t" + variable(name) + " = ";
        }
        return "\t" + type + pointer + variable(name) + " = ";
    }

    bool has(Verb verb, const std::string& name) const {
        return std::ranges::any_of(list_.actions, [&](const Action& action) {
            return action.verb == verb && action.name == name;
        });
    }

    // Of a thread that has done its lines: as the list player closes what the list does not close.
    std::string closed_rings_of(const std::string& thread) {
        std::set<std::string> open;
        for (const Action& action : list_.actions)
            if (action.verb == Verb::kRing && action.thread == thread &&
                !refused_.contains(action.name) && !has(Verb::kClose, action.name))
                open.insert(action.name);
        if (!open.empty()) need({"close"});
        std::string text;
        for (const std::string& ring : open)
            text += c_line("ring_close", {variable(ring), "CANCEL"});
        return text;
    }

    // In the end, those that the list does not end.
    std::string ended_children() const {
        std::set<std::string> threads, children;
        for (const Action& action : list_.actions) {
            if (action.verb == Verb::kThread && !has(Verb::kJoin, action.name))
                threads.insert(action.name);
            if ((action.verb == Verb::kProcess || action.verb == Verb::kFork) &&
                !has(Verb::kReap, action.name) && !has(Verb::kKill, action.name))
                children.insert(action.name);
        }
        std::string text;
        for (const std::string& thread : threads)
            text += c_line("pthread_join", {variable(thread), "NULL"});
        for (const std::string& child : children)
            text +=
                c_line(has(Verb::kProcess, child) ? "reap_child" : "kill_child", {variable(child)});
        return text;
    }

    bool is_there(const Action& action) const {
        if (action.form().subject != Thing::kNothing && !action.form().makes &&
            refused_.contains(action.name))
            return false;
        return std::ranges::none_of(action.arguments, [&](const Argument& argument) {
            return argument.parameter->kind == ValueKind::kName && refused_.contains(argument.word);
        });
    }

    std::string needs() const {
        if (!nodev_ && ctrl_ == 0) return {};
        return fmt::format("\tneed({}, {});\n", nodev_ ? "ZCRX_NODEV" : "0", ctrl_);
    }

    // What a refused maker leaves out, and what an undecided one ends with.
    std::string made(const Action& action, bool pointer) {
        const int expected = action.expected();
        if (expected > 0) refused_.insert(action.name);
        if (expected != kAnyErrno || !pointer || !used_.contains(action.name)) return {};
        return fmt::format("\tif (!{0})\n\t\tskip(\"there is no {0}\", 0);\n",
                           variable(action.name));
    }

    void note_memory(const Action& action) { huge_ = huge_ || wants_huge_pages(action); }

    Result<std::string> call_for(const Action& action) {
        if (!is_there(action)) return "\t/* left out: " + to_text(action) + " */\n";
        const Column<InC>& in_c = row_of(action.verb).in_c;
        if (const InC* lines = in_c.how()) return (*lines)(*this, action);
        return cannot_be_c(action, in_c.why_not());
    }

    const ActionList& list_;
    std::set<std::string> taken_;
    bool threads_ = false;
    bool functions_ = false;  // there are functions beside main(), for threads and processes
    bool nodev_ = false;
    bool huge_ = false;       // huge pages are asked for
    bool rescanned_ = false;  // the NIC went and came back
    unsigned device_ifqs_ = 0;
    unsigned ctrl_ = 0;
    std::set<std::string> refused_, used_;
    std::map<std::string, std::string> exported_;
    std::string globals_, bends_;
    CCalls calls_;
};

}  // namespace

Result<CCalls> c_calls_for(const ActionList& list, const std::string& parts) {
    return Writer(list, parts).write();
}

}  // namespace zcrxlab
