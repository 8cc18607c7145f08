// The table of verbs: every row, in the order of the enum.
#include <iterator>

#include "lists/language/verbs.hpp"
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

namespace {

struct Entry {
    Verb verb;
    const VerbRow* row;
};

constexpr Entry kTable[] = {
    {Verb::kRing, &kRingVerb},       {Verb::kRegister, &kRegisterVerb},
    {Verb::kAddArea, &kAddAreaVerb}, {Verb::kExport, &kExportVerb},
    {Verb::kImport, &kImportVerb},   {Verb::kConnect, &kConnectVerb},
    {Verb::kSend, &kSendVerb},       {Verb::kUrgent, &kUrgentVerb},
    {Verb::kEnd, &kEndVerb},         {Verb::kArm, &kArmVerb},
    {Verb::kRefuse, &kRefuseVerb},   {Verb::kCancel, &kCancelVerb},
    {Verb::kWait, &kWaitVerb},       {Verb::kRun, &kRunVerb},
    {Verb::kSubmit, &kSubmitVerb},   {Verb::kNop, &kNopVerb},
    {Verb::kPolicy, &kPolicyVerb},   {Verb::kReturn, &kReturnVerb},
    {Verb::kFlush, &kFlushVerb},     {Verb::kEvents, &kEventsVerb},
    {Verb::kAwait, &kAwaitVerb},     {Verb::kCount, &kCountVerb},
    {Verb::kBuffers, &kBuffersVerb}, {Verb::kCapacity, &kCapacityVerb},
    {Verb::kNic, &kNicVerb},         {Verb::kFault, &kFaultVerb},
    {Verb::kLink, &kLinkVerb},       {Verb::kReset, &kResetVerb},
    {Verb::kRemove, &kRemoveVerb},   {Verb::kRescan, &kRescanVerb},
    {Verb::kClose, &kCloseVerb},     {Verb::kFork, &kForkVerb},
    {Verb::kProcess, &kProcessVerb}, {Verb::kReap, &kReapVerb},
    {Verb::kKill, &kKillVerb},       {Verb::kThread, &kThreadVerb},
    {Verb::kJoin, &kJoinVerb},       {Verb::kPause, &kPauseVerb},
};

constexpr bool is_in_order() {
    for (size_t i = 0; i < std::size(kTable); ++i)
        if (static_cast<size_t>(kTable[i].verb) != i) return false;
    return true;
}

static_assert(std::size(kTable) == kVerbs && is_in_order(), "each verb has a row, in order");

}  // namespace

const VerbRow& row_of(Verb verb) {
    return *kTable[static_cast<size_t>(verb)].row;
}

std::vector<VerbForm> make_verbs() {
    std::vector<VerbForm> forms;
    for (const Entry& entry : kTable) {
        forms.push_back(entry.row->form);
        forms.back().verb = entry.verb;
    }
    return forms;
}

}  // namespace zcrxlab
