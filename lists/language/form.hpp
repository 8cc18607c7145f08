// Forms: say which verbs a list may have, and which parameters each verb takes.
//
// The parser, the printer, the fuzzer, the shrinker and the manual read the same forms, so that
// none of them knows an action that another one does not know.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zcrxlab {

enum class Verb {
    kRing,
    kRegister,
    kAddArea,
    kExport,
    kImport,
    kConnect,
    kSend,
    kUrgent,
    kEnd,
    kArm,
    kRefuse,
    kCancel,
    kWait,
    kRun,
    kSubmit,
    kNop,
    kPolicy,
    kReturn,
    kFlush,
    kEvents,
    kAwait,
    kCount,
    kBuffers,
    kCapacity,
    kNic,
    kFault,
    kLink,
    kReset,
    kRemove,
    kRescan,
    kClose,
    kFork,
    kProcess,
    kReap,
    kKill,
    kThread,
    kJoin,
    kPause,
};
inline constexpr size_t kVerbs = static_cast<size_t>(Verb::kPause) + 1;

// What an action's name stands for.
enum class Thing { kNothing, kRing, kIfq, kStream, kBox, kProcess, kThread };
// "ring", "ifq" ...; "nothing".
std::string_view name_of(Thing thing);

enum class ValueKind {
    kNumber,   // 4096, 4KiB, 0x10; `least` to `most`
    kNumbers,  // several, with commas between them
    kWord,     // one of `words`
    kErrno,    // EINVAL, success, or any
    kName,     // of an earlier `thing`
};

struct Parameter {
    std::string_view name;
    ValueKind kind;
    std::string_view sentence;       // what it says; without a full stop
    std::string_view fallback = {};  // the value where it is left out; empty: there is none
    uint64_t least = 0;
    uint64_t most = UINT64_MAX;
    std::string_view words = {};  // "a|b|c"
    Thing thing = Thing::kNothing;
    bool required = false;
};

struct VerbForm {
    Verb verb = {};  // the table sets it (lists/verbs/row/table.cpp)
    std::string_view word;
    Thing subject = Thing::kNothing;  // what the name behind the verb stands for
    bool makes = false;               // the name is new, and stands for what the action makes
    bool lines = false;               // lines that begin with the name and a colon are done by it
    bool first_thread = false;        // no other thread may do it
    bool any_thread = false;          // also one that did not make the subject
    bool text = false;                // the rest of the line is free text (a fault rule)
    std::string_view sentence;        // without a full stop
    std::span<const Parameter> parameters = {};
};

// All verbs, in the order of the enum.
std::span<const VerbForm> verb_forms();
const VerbForm& form_of(Verb verb);
// Null if there is none.
const VerbForm* find_form(std::string_view word);
const Parameter* find_parameter(const VerbForm& form, std::string_view name);
// "a|b|c" as a list.
std::vector<std::string_view> words_of(const Parameter& parameter);

// The table for people, as a part of a manual page.
std::string actions_manual();

}  // namespace zcrxlab
