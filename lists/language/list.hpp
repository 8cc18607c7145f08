// ActionList: holds a test as data: its actions, in order, in one readable text format.
//
//     # a burst larger than the area, then silence
//     ring r
//     register q ring=r area=16KiB
//     connect s ifq=q
//     send s bytes=60000 cut=1000
//     wait s queued=60000
//     arm s
//     wait s bytes=60000
//
// A line is an action, "[THREAD:] VERB [NAME] [PARAMETER=VALUE ...]"; what follows a # is for
// people. Lists come from files, random generators and shrinkers; the parser is the only way in,
// so that what interprets a list need not check names and ranges again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"
#include "lists/language/form.hpp"

namespace zcrxlab {

// A value that was written out.
struct Argument {
    const Parameter* parameter = nullptr;  // of the table
    std::vector<uint64_t> numbers = {};    // kNumber (one), kNumbers
    std::string word = {};                 // kWord, kErrno ("EINVAL", "success", "any"), kName

    bool operator==(const Argument&) const = default;
};

struct Action {
    Verb verb = Verb::kRing;
    std::string thread = {};               // that does it; empty: the first one
    std::string name = {};                 // of its subject
    std::string text = {};                 // of a fault rule
    std::vector<Argument> arguments = {};  // in the order of the table, each once

    const VerbForm& form() const { return form_of(verb); }
    // Whether it was written out.
    bool has(std::string_view parameter) const;
    // The value, or the default of the table; 0 or empty where there is neither.
    uint64_t number(std::string_view parameter) const;
    std::vector<uint64_t> numbers(std::string_view parameter) const;
    std::string word(std::string_view parameter) const;
    bool yes(std::string_view parameter) const { return word(parameter) == "yes"; }
    // What "expect" says: a positive errno, 0, or kAnyErrno.
    int expected() const;

    // Sets, or takes out; the parameter must be one of the form's.
    void set(std::string_view parameter, uint64_t number);
    void set(std::string_view parameter, std::vector<uint64_t> numbers);
    void set(std::string_view parameter, std::string_view word);
    void remove(std::string_view parameter);

    bool operator==(const Action&) const = default;
};

inline constexpr int kAnyErrno = -1;

struct ActionList {
    std::vector<std::string> comments = {};  // the first lines that are comments, without the #
    std::vector<Action> actions = {};

    bool operator==(const ActionList&) const = default;
};

// Longer lists, lines and texts are refused.
inline constexpr size_t kMostActions = 2000;
inline constexpr size_t kMostListBytes = 1U << 20;

// EINVAL names the line and says what is wrong with it, or what would be right.
Result<ActionList> actions_from_text(std::string_view text);
// One line; whether what it names is there is not asked.
Result<Action> action_from_text(std::string_view line);
// Parses to the same list; equal lists give equal text.
std::string to_text(const ActionList& list);
std::string to_text(const Action& action);
// Whether names are made before they are used, once, and by the thread that uses them: what the
// parser asks of a list, for lists that were changed. EINVAL as above.
Result<void> check_names(const ActionList& list);

// The first comment of a list that the fuzzer made begins so.
inline constexpr std::string_view kMadeByFuzzer = "random list ";
// Comments "expected: ..." and "happens: ..." say what is promised and what comes of it.
inline constexpr std::string_view kExpectedComment = "expected: ";
inline constexpr std::string_view kHappensComment = "happens: ";
// What stands behind such a word in the comments; empty: nothing.
std::string comment_of(const ActionList& list, std::string_view word);
// What the list is about, for whoever did not make it: the first comment if a person wrote it;
// else empty.
std::string title_of(const ActionList& list);

// A positive errno, 0 for "success", kAnyErrno for "any"; EINVAL for what is none of these.
Result<int> errno_from_name(std::string_view name);
// "4096" as "4KiB" where that is exact.
std::string size_text(uint64_t number);

}  // namespace zcrxlab
