// VerbRow: everything that is known about one verb: its form, and how each room treats it.
//
// Each file beside this folder has the row of one verb. A column that is left out does not compile:
// it says how, or why not. What an aspect needs of its room is an interface here (Player, CWriter)
// or data; the rooms above implement the one and read the other.
#pragma once

#include <concepts>
#include <string_view>
#include <variant>

#include "harness/base/result.hpp"
#include "lists/language/list.hpp"
#include "lists/verbs/row/c_writer.hpp"
#include "lists/verbs/row/need.hpp"
#include "lists/verbs/row/parameters.hpp"
#include "lists/verbs/row/player.hpp"

namespace zcrxlab {

// Why a room does not treat a verb, as the end of a sentence.
struct NotBecause {
    std::string_view reason;
};

// How a room treats a verb, or why it does not; it has no default.
template <typename How>
class Column {
  public:
    template <std::convertible_to<How> T>
    constexpr Column(T treats) : value_(static_cast<How>(treats)) {}
    constexpr Column(NotBecause why) : value_(why) {}

    // Null if the room does not treat it.
    constexpr const How* how() const { return std::get_if<How>(&value_); }
    // Empty if it does.
    constexpr std::string_view why_not() const {
        const NotBecause* why = std::get_if<NotBecause>(&value_);
        return why != nullptr ? why->reason : std::string_view();
    }

  private:
    std::variant<How, NotBecause> value_;
};

// The function of the player that does the action.
using PlayedBy = void (Player::*)(const Action&);

// What a target must have for the action. The same for all of a kind: needs_nothing.
using NeedsOf = std::vector<Need> (*)(const Action&);
inline std::vector<Need> needs_nothing(const Action&) {
    return {};
}

// The lines of C for the action. EINVAL, of cannot_be_c(), for one whose arguments C cannot have.
using InC = Result<std::string> (*)(CWriter&, const Action&);

// Where TraceReader finds the verb in the trace of a scenario.
struct FromTrace {
    // The kinds of events that make it, with blanks between them.
    std::string_view events = {};
    bool noted = false;  // scenarios note it themselves (ActionDone): it is taken as it is
};

// In which random lists the verb is.
struct ByFuzzer {
    enum class Nic { kAny, kWith, kWithout };
    Nic nic;               // the NIC of the lists
    std::string_view how;  // which function of lists/fuzz makes it, and what it makes
};

// What the shrinker makes simpler, beyond what it does with all verbs: it leaves the action out, or
// an argument that may be left out.
struct Simpler {
    bool numbers = false;     // smaller ones, but for "within"
    bool json = false;        // its text is JSON: without a field, or with a smaller number
    bool hands_over = false;  // it goes, and its lines are the first thread's
    // Bytes that it asks of the peer.
    uint64_t (*sent)(const Action&) = nullptr;
    // Arguments that may not be more than what was sent to the stream before.
    std::string_view at_most_sent = {};  // with blanks between them
};

struct VerbRow {
    VerbForm form;
    Column<PlayedBy> player;
    Column<NeedsOf> needs;
    Column<InC> in_c;
    Column<FromTrace> from_trace;
    Column<ByFuzzer> fuzzer;
    Column<Simpler> shrinker;
};

// The row of a verb.
const VerbRow& row_of(Verb verb);

// Whether `words`, with blanks between them, has `word`.
constexpr bool has_word(std::string_view words, std::string_view word) {
    while (!words.empty()) {
        const size_t end = words.find(' ');
        if (words.substr(0, end) == word) return true;
        words = end == std::string_view::npos ? std::string_view() : words.substr(end + 1);
    }
    return false;
}

// One for each verb, in the file of its name.
extern const VerbRow kRingVerb, kRegisterVerb, kAddAreaVerb, kExportVerb, kImportVerb, kConnectVerb,
    kSendVerb, kUrgentVerb, kEndVerb, kArmVerb, kRefuseVerb, kCancelVerb, kWaitVerb, kRunVerb,
    kSubmitVerb, kNopVerb, kPolicyVerb, kReturnVerb, kFlushVerb, kEventsVerb, kAwaitVerb,
    kCountVerb, kBuffersVerb, kCapacityVerb, kNicVerb, kFaultVerb, kLinkVerb, kResetVerb,
    kRemoveVerb, kRescanVerb, kCloseVerb, kForkVerb, kProcessVerb, kReapVerb, kKillVerb,
    kThreadVerb, kJoinVerb, kPauseVerb;

}  // namespace zcrxlab
