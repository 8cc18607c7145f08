// CCalls: one function that knows what each verb is called in C.
#include "vm/repro/c_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "harness/base/errno_name.hpp"

namespace zcrxlab {

namespace {

// Names that a variable in main() cannot have.
std::set<std::string> taken_names_in(const std::string& text) {
    std::set<std::string> found = {
        "asm",      "auto",   "break",    "case",   "char",     "const",    "continue", "default",
        "do",       "double", "else",     "enum",   "extern",   "float",    "for",      "goto",
        "if",       "inline", "int",      "long",   "register", "restrict", "return",   "short",
        "signed",   "sizeof", "static",   "struct", "switch",   "typedef",  "typeof",   "union",
        "unsigned", "void",   "volatile", "while",  "linux",    "unix",     "main",     "printf",
        "puts",     "usleep", "stdin",    "stdout", "stderr",   "errno",    "environ"};
    std::string word;
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
            word += c;
            continue;
        }
        // Functions, constants and macros; what is local to functions is in nobody's way.
        const bool constant = std::ranges::none_of(
            word, [](unsigned char letter) { return std::islower(letter) != 0; });
        if (!word.empty() && (c == '(' || constant)) found.insert(word);
        word.clear();
    }
    return found;
}

std::string errno_text(int code) {
    return code == kAnyErrno ? "-1" : code == 0 ? "0" : errno_name(code);
}

class Writer {
  public:
    Writer(const ActionList& list, const std::string& parts)
        : list_(list), taken_(taken_names_in(parts)) {
        for (const Action& action : list.actions) {
            if (!action.form().makes) used_.insert(action.name);
            for (const Argument& argument : action.arguments)
                if (argument.parameter->kind == ValueKind::kName) used_.insert(argument.word);
        }
        threads_ = std::ranges::any_of(list.actions,
                                       [](const Action& a) { return a.verb == Verb::kThread; });
    }

    Result<CCalls> write() {
        std::set<std::string> names = {""};
        for (const Action& action : list_.actions)
            if (action.verb == Verb::kThread) names.insert(action.name);
        // Functions of threads stand before main(), and use what is declared above both.
        std::string functions;
        std::string body;
        for (const std::string& thread : names) {
            std::string& text = thread.empty() ? body : functions;
            if (!thread.empty()) text += "\nstatic void *thread_" + thread + "(void *unused)\n{\n";
            for (const Action& action : list_.actions) {
                if (action.thread != thread) continue;
                if (auto call = call_for(action); !call)
                    return call.error();
                else
                    text += *call;
            }
            if (!thread.empty()) text += "\treturn unused;\n}\n";
        }
        calls_.before_main = globals_ + bends_ + functions + "\n";
        calls_.main = needs() + body;
        if (!calls_.main.empty() && threads_) calls_.parts.insert("thread");
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
        if (threads_) {
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

    static Error cannot(const Action& action) {
        return Error{EINVAL, "\"" + to_text(action) +
                                 "\" cannot be done by a C file alone; take: --as script"};
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

    Result<std::string> memory_of(const Action& action) {
        const std::string memory = action.word("memory");
        if (memory != "anonymous" && memory != "memfd" && memory != "repeated")
            return cannot(action);
        return std::string();
    }

    Result<std::string> register_call(const Action& action) {
        if (auto fit = memory_of(action); !fit || action.yes("stats"))
            return fit ? cannot(action) : fit.error();
        const bool repeated = action.word("memory") == "repeated";
        const uint64_t repeat = repeated ? (action.number("repeat") + 4095) / 4096 * 4096 : 0;
        uint64_t area = action.number("area");
        if (repeated) area = (std::max<uint64_t>(area, 1) + repeat - 1) / repeat * repeat;
        std::string options = fmt::format(".area = {}", area);
        const auto add = [&](bool there, const std::string& text) {
            if (there) options += ", " + text;
        };
        add(repeated, fmt::format(".repeat = {}", repeat));
        add(action.number("rq") != 0, fmt::format(".rq = {}", action.number("rq")));
        add(action.number("rx_buf_len") != 0,
            fmt::format(".rx_buf_len = {}", action.number("rx_buf_len")));
        const std::string events = action.word("events");
        add(events != "none", std::string(".events = ") + (events == "alloc_fail" ? "1"
                                                           : events == "copy"     ? "2"
                                                                                  : "3"));
        add(action.word("memory") == "memfd", ".memfd = 1");
        add(action.yes("device"), ".device = 1");
        add(action.word("rq_memory") == "kernel", ".kernel_rq = 1");
        add(action.yes("dirty"), ".dirty = 1");
        add(action.expected() != 0, ".expected = " + errno_text(action.expected()));
        const std::string bent = bend(action);
        add(!bent.empty(), ".bend = " + bent);
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

    // A function that writes over fields; empty if none is to be.
    std::string bend(const Action& action) {
        std::string body;
        for (const Argument& argument : action.arguments) {
            const std::string_view name = argument.parameter->name;
            const size_t dot = name.find('.');
            if (dot == std::string_view::npos) continue;
            static const std::map<std::string_view, std::string_view> kFields = {
                {"reg.resv", "reg->resv[0]"},
                {"area.offset", "area->addr"},
                {"area.token", "area->rq_area_token"},
                {"area.resv", "area->resv[0]"}};
            std::string field(name);
            field.replace(dot, 1, "->");
            if (const auto found = kFields.find(name); found != kFields.end())
                field = found->second;
            body += fmt::format("\t{} {}= 0x{:x};\n", field, name == "area.offset" ? "+" : "",
                                argument.numbers.front());
        }
        if (body.empty()) return {};
        bends_ += fmt::format(
            "\nstatic void bend_{0}(struct zcrx_ifq_reg *reg, struct zcrx_area_reg *area,\n"
            "\t\t\tstruct region_desc *region)\n{{\n\t(void)reg;\n\t(void)area;\n\t(void)region;\n"
            "{1}}}\n",
            action.name, body);
        return "bend_" + action.name;
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
                       fmt::format("ring_open({}, {}, {}, {});\n", number("sq"), number("cq"),
                                   cqes == "32"      ? "SETUP_CQE32"
                                   : cqes == "mixed" ? "SETUP_CQE_MIXED"
                                                     : "0",
                                   expected) +
                       made(action);
            }
            case Verb::kRegister:
                return register_call(action);
            case Verb::kAddArea: {
                if (auto fit = memory_of(action); !fit) return fit;
                calls_.parts.insert("add_area");
                need_control(4);
                const bool repeated = action.word("memory") == "repeated";
                return fmt::format("\tifq_add_area({}, {}, {}, {}, {});\n", name, number("area"),
                                   repeated ? number("repeat") : 0,
                                   action.word("memory") == "memfd" ? 1 : 0, expected);
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
                if (number("family") == 6) return cannot(action);
                return declared("struct stream *", action.name) +
                       fmt::format("stream_connect({}, {}, {}, {});\n",
                                   variable(action.word("ifq")), number("mss"),
                                   number("receive_buffer"), number("send_buffer"));
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
                std::string returns = action.word("returns");
                std::ranges::transform(returns, returns.begin(),
                                       [](unsigned char c) { return std::toupper(c); });
                return fmt::format(
                    "\t{0}->returns = {1};\n\t{0}->hold = {2};\n\t{0}->rearm = {3};\n", name,
                    returns, number("hold"), action.yes("rearm") ? 1 : 0);
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
            case Verb::kKill:
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
            case Verb::kRefuse:
            case Verb::kCount:
            case Verb::kBuffers:
            case Verb::kCapacity:
            case Verb::kNic:
            case Verb::kFault:
            case Verb::kLink:
            case Verb::kReset:
                break;
        }
        return cannot(action);
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
    bool nodev_ = false;
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
