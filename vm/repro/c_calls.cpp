// CCalls: one function that knows what each verb is called in C.
#include "vm/repro/c_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/base/errno_name.hpp"
#include "vm/repro/c_names.hpp"
#include "vm/repro/c_registration.hpp"

namespace zcrxlab {

namespace {

class Writer {
  public:
    Writer(const ActionList& list, const std::string& parts)
        : list_(list), taken_(taken_names_in(parts)) {
        for (const Action& action : list.actions) {
            if (!action.form().makes) used_.insert(action.name);
            for (const Argument& argument : action.arguments)
                if (argument.parameter->kind == ValueKind::kName) used_.insert(argument.word);
        }
        const auto has = [&list](Verb verb) {
            return std::ranges::any_of(list.actions,
                                       [verb](const Action& a) { return a.verb == verb; });
        };
        threads_ = has(Verb::kThread);
        functions_ = threads_ || has(Verb::kProcess);
    }

    Result<CCalls> write() {
        std::set<std::string> names = {""};
        for (const Action& action : list_.actions)
            if (action.verb == Verb::kThread || action.verb == Verb::kProcess)
                names.insert(action.name);
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
            if (!thread.empty()) text += process ? "}\n" : "\treturn unused;\n}\n";
            if (thread.empty())
                for (const std::string& child : processes_)
                    text += fmt::format("\treap_child({});\n", variable(child));
        }
        calls_.before_main = globals_ + bends_ + functions + "\n";
        calls_.main = needs() + body;
        if (!calls_.main.empty() && threads_) calls_.parts.insert("thread");
        calls_.parts.insert({"memory", huge_ ? "huge_memory" : "plain_memory"});
        return std::move(calls_);
    }

  private:
    // The variable of a thing.
    std::string variable(const std::string& name) {
        std::string variable = name;
        while (taken_.contains(variable)) variable += '_';
        return variable;
    }

    // The beginning of a call that makes a thing.
    std::string declared(const std::string& type, const std::string& name) {
        if (!used_.contains(name)) return "\t";
        const std::string pointer = type.ends_with('*') ? "" : " ";
        if (functions_) {
            globals_ += "static " + type + pointer + variable(name) + ";\n";
            return "\t" + variable(name) + " = ";
        }
        return "\t" + type + pointer + variable(name) + " = ";
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

    void need_control(unsigned opcodes) {
        calls_.parts.insert("need");
        ctrl_ = std::max(ctrl_, opcodes);
    }

    static Error cannot(const Action& action, std::string_view why) {
        return Error{EINVAL, "\"" + to_text(action) + "\" cannot be done by a C file alone: " +
                                 std::string(why) + "; take: --as script, or --as bundle"};
    }

    // What a refused maker leaves out, and what an undecided one ends with.
    std::string made(const Action& action) {
        const int expected = action.expected();
        if (expected > 0) refused_.insert(action.name);
        if (expected != kAnyErrno || action.verb == Verb::kExport || !used_.contains(action.name))
            return {};
        return fmt::format("\tif (!{0})\n\t\tskip(\"there is no {0}\", 0);\n",
                           variable(action.name));
    }

    void note_memory(const Action& action) { huge_ = huge_ || wants_huge_pages(action); }

    void need_nic(const char* part) { calls_.parts.insert({"device", "nic_request", part}); }

    Result<std::string> register_call(const Action& action) {
        if (rescanned_ && action.yes("device"))
            return cannot(action, "a NIC that came back has to be set up first");
        std::string options = registration_options(action);
        note_memory(action);
        if (const std::string bend = bend_function(action); !bend.empty()) {
            bends_ += bend;
            options += ", .bend = " + bend_name(action);
        }
        if (action.yes("device")) {
            calls_.parts.insert("device");
        } else if (action.expected() == 0) {
            nodev_ = true;
            calls_.parts.insert("need");
        }
        return declared("struct ifq *", action.name) +
               fmt::format("ifq_register({}, (struct ifq_options){{ {} }});\n",
                           variable(action.word("ring")), options) +
               made(action);
    }

    static std::string final_of(const Action& action) {
        if (!action.has("final")) return "NONE";
        const Result<int> code = errno_from_name(action.word("final"));
        if (!code || *code == kAnyErrno) return "ANY";
        return *code == 0 ? "0" : "-" + errno_name(*code);
    }

    Result<std::string> call_for(const Action& action) {
        if (!is_there(action)) return "\t/* left out: " + to_text(action) + " */\n";
        const std::string name = variable(action.name);
        const std::string expected = errno_text(action.expected());
        const auto number = [&](std::string_view parameter) { return action.number(parameter); };
        switch (action.verb) {
            case Verb::kRing: {
                const std::string cqes = action.word("cqes");
                return declared("struct ring *", action.name) +
                       fmt::format("ring_open({}, {}, {}{}, {});\n", number("sq"), number("cq"),
                                   action.yes("defer") ? "SETUP_DEFER_TASKRUN | " : "",
                                   cqes == "32"      ? "SETUP_CQE32"
                                   : cqes == "mixed" ? "SETUP_CQE_MIXED"
                                                     : "0",
                                   expected) +
                       made(action);
            }
            case Verb::kRegister:
                return register_call(action);
            case Verb::kAddArea: {
                note_memory(action);
                calls_.parts.insert("add_area");
                need_control(4);
                const bool repeated = action.word("memory") == "repeated";
                return fmt::format("\tifq_add_area({}, {}, {}, {}, {});\n", name, number("area"),
                                   repeated ? number("repeat") : 0, memory_constant(action),
                                   expected);
            }
            case Verb::kExport:
                calls_.parts.insert("box");
                need_control(2);
                exported_[action.name] = action.word("ifq");
                return declared("int", action.name) +
                       fmt::format("ifq_export({}, {});\n", variable(action.word("ifq")),
                                   expected) +
                       made(action);
            case Verb::kImport:
                return declared("struct ifq *", action.name) +
                       fmt::format("ifq_import({}, {}, {}, {});\n", variable(action.word("ring")),
                                   variable(action.word("box")),
                                   variable(exported_[action.word("box")]), expected) +
                       made(action);
            case Verb::kConnect:
                if (action.word("route") == "any")
                    return cannot(action, "whoever runs it sets the flow rules of the NIC");
                if (action.word("route") == "loopback") calls_.parts.insert("loopback");
                return declared("struct stream *", action.name) +
                       fmt::format("{}({}, {}, {}, {}, {});\n",
                                   action.word("route") == "loopback" ? "stream_connect_loopback"
                                                                      : "stream_connect",
                                   variable(action.word("ifq")), number("family") == 6 ? 6 : 4,
                                   number("mss"), number("receive_buffer"), number("send_buffer"));
            case Verb::kSend: {
                std::string cuts;
                for (const uint64_t cut : action.numbers("cut")) cuts += fmt::format("{}, ", cut);
                return fmt::format("\tstream_send({}, {}, (unsigned[]){{ {}0 }});\n", name,
                                   number("bytes"), cuts);
            }
            case Verb::kEnd:
                return fmt::format("\t{0}->end = {1};\n\tpump({0});\n", name,
                                   action.word("how") == "fin" ? "FIN" : "RESET");
            case Verb::kArm:
                return fmt::format("\tstream_arm({}, {}, {});\n", name, number("limit"),
                                   action.yes("poll_first") ? 1 : 0);
            case Verb::kCancel:
                calls_.parts.insert("cancel");
                return fmt::format("\tstream_cancel({}, {});\n", name, number("within"));
            case Verb::kWait: {
                std::string text;
                if (action.has("queued")) calls_.parts.insert("queued");
                if (action.has("queued"))
                    text = fmt::format("\twait_queued({}, {}, {});\n", name, number("queued"),
                                       number("within"));
                if (action.has("bytes") || action.has("final") || action.yes("eof"))
                    text +=
                        fmt::format("\tstream_wait({}, {}, {}, {}, {});\n", name, number("bytes"),
                                    final_of(action), action.yes("eof") ? 1 : 0, number("within"));
                return text;
            }
            case Verb::kRun:
                calls_.parts.insert("run");
                return fmt::format("\trun_until_quiet({}, {});\n", name, number("quiet"));
            case Verb::kSubmit:
                return fmt::format("\tenter({}, 0, 0);\n", name);
            case Verb::kNop:
                calls_.parts.insert("nop");
                return fmt::format("\tsubmit_nops({}, {});\n", name, number("count"));
            case Verb::kPolicy: {
                return fmt::format(
                    "\t{0}->returns = {1};\n\t{0}->hold = {2};\n\t{0}->rearm = {3};\n", name,
                    in_capitals(action.word("returns")), number("hold"),
                    action.yes("rearm") ? 1 : 0);
            }
            case Verb::kReturn:
                return return_call(action, name);
            case Verb::kFlush:
                need_control(1);
                return fmt::format("\tpromised(\"ZCRX_CTRL_FLUSH_RQ\", flush({}), {});\n", name,
                                   expected);
            case Verb::kEvents:
                calls_.parts.insert("event");
                need_control(3);
                return fmt::format("\tarm_event({}, {}, {});\n", name,
                                   action.word("arm") == "copy" ? 1 : 0, expected);
            case Verb::kAwait:
                calls_.parts.insert("event");
                return fmt::format("\tawait_event({}, {}, {});\n", name,
                                   action.word("event") == "copy" ? 1 : 0, number("within"));
            case Verb::kClose:
                calls_.parts.insert("close");
                return fmt::format("\tring_close({});\n", name);
            case Verb::kFork:
                calls_.parts.insert("process");
                return declared("pid_t", action.name) + "fork_idle();\n";
            case Verb::kProcess:
                calls_.parts.insert({"process", "lines"});
                globals_ += fmt::format("static pid_t {};\n", name);
                processes_.insert(action.name);
                return fmt::format("\t{} = fork_lines(process_{});\n", name, action.name);
            case Verb::kReap:
                processes_.erase(action.name);
                return fmt::format("\treap_child({});\n", name);
            case Verb::kKill:
                processes_.erase(action.name);
                return fmt::format("\tkill_child({});\n", name);
            case Verb::kThread:
                globals_ += fmt::format("static pthread_t {};\n", name);
                return fmt::format("\tpthread_create(&{}, NULL, thread_{}, NULL);\n", name,
                                   action.name);
            case Verb::kJoin:
                return fmt::format("\tpthread_join({}, NULL);\n", name);
            case Verb::kPause:
                return fmt::format("\tusleep({}000);\n", number("ms"));
            case Verb::kUrgent:
                calls_.parts.insert("urgent");
                return fmt::format("\tstream_urgent({});\n", name);
            case Verb::kRefuse:
                calls_.parts.insert("refuse");
                return fmt::format("\tstream_refused({}, {}, {});\n", name,
                                   in_capitals(action.word("as")), expected);
            case Verb::kCount:
                calls_.parts.insert("count");
                return fmt::format(
                    "\tcount_cqes({}, {}, {}, {}, {});\n", name, number_or_none(action, "requests"),
                    number_or_none(action, "finals"), number("least"), number("within"));
            case Verb::kBuffers:
                calls_.parts.insert("buffers");
                return fmt::format("\tcompare_buffers({}, {}, {});\n", name,
                                   number_or_none(action, "held"),
                                   number_or_none(action, "entries"));
            case Verb::kCapacity:
                calls_.parts.insert("capacity");
                return fmt::format("\tcapacity({});\n", name);
            case Verb::kNic:
                return nic_calls(action);
            case Verb::kReset:
                need_nic("nic_reset");
                return std::string("\tnic_reset();\n");
            case Verb::kRemove:
                calls_.parts.insert({"device", "nic_remove"});
                return fmt::format("\tnic_remove({});\n", action.word("how") == "device" ? 1 : 0);
            case Verb::kRescan:
                calls_.parts.insert({"device", "nic_remove"});
                rescanned_ = true;
                return std::string("\tnic_rescan();\n");
            case Verb::kFault:
            case Verb::kLink:
                break;
        }
        return cannot(action, why_not_in_c(action.verb));
    }

    Result<std::string> nic_calls(const Action& action) {
        if (action.has("split"))
            return cannot(
                action, "header split is set through netlink, which would be longer than the rest");
        std::string text;
        for (const char* what : {"mtu", "rx", "queues"}) {
            if (!action.has(what)) continue;
            const std::string function = std::string("nic_") + what;
            need_nic(function.c_str());
            text += fmt::format("\t{}({}, {});\n", function, action.number(what),
                                errno_text(action.expected()));
        }
        return text;
    }

    Result<std::string> return_call(const Action& action, const std::string& name) {
        const std::string as = action.word("as");
        const std::string count =
            action.has("count") ? std::to_string(action.number("count")) : "~0U";
        if (as == "valid" || as == "twice")
            return fmt::format("\treturn_held({0}->ring, {0}, {1}, {2}, {3});\n", name, count,
                               action.word("order") == "newest" ? 1 : 0, as == "twice" ? 1 : 0);
        calls_.parts.insert("senseless");
        const std::string offset = as == "bad_area"    ? "77ULL << 48"
                                   : as == "bad_index" ? name + "->area_size[0]"
                                                       : "0";
        return fmt::format("\treturn_senseless({}, {}, {}, {});\n", name, count, offset,
                           as == "bad_padding" ? 1 : 0);
    }

    const ActionList& list_;
    std::set<std::string> taken_;
    bool threads_ = false;
    bool functions_ = false;  // there are functions beside main(), for threads and processes
    std::set<std::string> processes_;  // that do lines, and nobody has waited for
    bool nodev_ = false;
    bool huge_ = false;       // huge pages are asked for
    bool rescanned_ = false;  // the NIC went and came back
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
