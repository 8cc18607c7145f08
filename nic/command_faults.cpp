// CommandFaults: the names, and which command is hit.
#include "nic/command_faults.hpp"

namespace zcrxlab::nic {

std::span<const CommandKindText> command_kinds() {
    static constexpr CommandKindText kTexts[] = {
        {CommandKind::kOpenReceiveQueue, "open_receive_queue"},
        {CommandKind::kCloseReceiveQueue, "close_receive_queue"},
        {CommandKind::kRss, "rss"},
        {CommandKind::kFlowRule, "flow_rule"},
    };
    return kTexts;
}

CommandAnswer CommandFaults::meet(CommandKind command) {
    if (!fault_ || (fault_->command && *fault_->command != command)) return CommandAnswer::kRight;
    if (fault_->skip != 0) {
        --fault_->skip;
        return CommandAnswer::kRight;
    }
    if (fault_->count == 0) return CommandAnswer::kRight;
    --fault_->count;
    ++hits_;
    return fault_->answer;
}

}  // namespace zcrxlab::nic
