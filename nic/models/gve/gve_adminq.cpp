// AdminQueue: fetches the driver's commands, carries them out, and answers each with a status.
#include "nic/models/gve/gve_adminq.hpp"

#include <fmt/format.h>

#include <bit>

namespace zcrxlab::nic::gve {
namespace {

CommandKind kind_of(const Command& command) {
    switch (static_cast<Opcode>(command.opcode.get())) {
        case Opcode::kCreateRxQueue:
            return CommandKind::kOpenReceiveQueue;
        case Opcode::kDestroyRxQueue:
            return CommandKind::kCloseReceiveQueue;
        case Opcode::kConfigureRss:
            return CommandKind::kRss;
        // It holds CONFIGURE_FLOW_RULE, and nothing else that is carried out.
        case Opcode::kExtended:
            return CommandKind::kFlowRule;
        default:
            return CommandKind::kOther;
    }
}

}  // namespace

bool AdminQueue::start(uint64_t base, uint32_t length) {
    event_counter_ = 0;
    entries_ = length / sizeof(Command);
    base_ = base;
    if (length % sizeof(Command) != 0 || !std::has_single_bit(entries_) || base + length < base) {
        entries_ = 0;
        ++state_.context.counters.bad_registers;
        state_.context.forbid(
            {.kind = ForbiddenKind::kRegister,
             .queue = kAdminName,
             .address = base,
             .what = fmt::format("its length is {}, and must be 64, 128, 256 ...", length)});
        return false;
    }
    return true;
}

void AdminQueue::doorbell(uint32_t produced) {
    if (!running() || produced - event_counter_ > entries_) {
        ++state_.context.counters.bad_registers;
        state_.context.forbid(
            {.kind = ForbiddenKind::kDoorbell,
             .queue = kAdminName,
             .what = running() ? fmt::format("its doorbell was rung with {} after {} in a queue of "
                                             "{}",
                                             produced, event_counter_, entries_)
                               : "its doorbell was rung, and there is no admin queue"});
        return;
    }
    while (event_counter_ != produced && running()) {
        uint64_t address = base_ + uint64_t{event_counter_ & (entries_ - 1)} * sizeof(Command);
        Command command;
        if (!state_.context.dma.read_object(address, command)) {
            state_.context.forbid_dma(kAdminName, current(), "a command", address, sizeof(command),
                                      Access::kRead);
            state_.context.broken(fmt::format(
                "the admin queue at {:#x} is not guest memory; its commands are not carried out",
                base_));
            entries_ = 0;
            return;
        }
        const CommandAnswer wanted = state_.context.command_faults.meet(kind_of(command));
        // Its commands are in a row: behind one without an answer there is none either, until the
        // driver rings again or sets the queue up anew.
        if (wanted == CommandAnswer::kNone) {
            state_.context.log("an admin command is left without an answer, as it was asked for");
            return;
        }
        const auto status =
            static_cast<uint32_t>(wanted == CommandAnswer::kError ? fail() : execute(command));
        const uint64_t answer = address + offsetof(Command, status);
        const std::optional<uint32_t> index = current();
        ++event_counter_;
        if (!state_.context.dma.write_object(answer, Be32(status))) {
            state_.context.forbid_dma(kAdminName, index, "the status of a command", answer,
                                      sizeof(Be32), Access::kWrite);
            state_.context.broken(fmt::format(
                "the admin queue at {:#x} cannot be written; its commands get no answer", base_));
        }
    }
}

Status AdminQueue::execute(const Command& command) {
    ++state_.context.counters.admin_commands;
    Status status = dispatch(static_cast<Opcode>(command.opcode.get()), command);
    if (status != Status::kPassed) ++state_.context.counters.admin_refused;
    return status;
}

Status AdminQueue::dispatch(Opcode opcode, const Command& command) {
    switch (opcode) {
        case Opcode::kDescribeDevice:
            return describe_device(body<DescribeDevice>(command));
        case Opcode::kConfigureDeviceResources:
            return configure_resources(body<ConfigureDeviceResources>(command));
        case Opcode::kCreateTxQueue:
            return create_tx(body<CreateTxQueue>(command));
        case Opcode::kCreateRxQueue:
            return create_rx(body<CreateRxQueue>(command));
        case Opcode::kDestroyTxQueue:
            return destroy_tx(body<DestroyQueue>(command));
        case Opcode::kDestroyRxQueue:
            return destroy_rx(body<DestroyQueue>(command));
        case Opcode::kDeconfigureDeviceResources:
            return deconfigure_resources();
        case Opcode::kConfigureRss:
            return configure_rss(body<ConfigureRss>(command));
        case Opcode::kSetDriverParameter:
            return set_driver_parameter(body<SetDriverParameter>(command));
        case Opcode::kReportStats:
            return report_stats(body<ReportStats>(command));
        case Opcode::kReportLinkSpeed:
            return report_link_speed(body<ReportLinkSpeed>(command));
        case Opcode::kGetPtypeMap:
            return get_ptype_map(body<GetPtypeMap>(command));
        case Opcode::kVerifyDriverCompatibility:
            return verify_driver(body<VerifyDriverCompatibility>(command));
        case Opcode::kQueryFlowRules:
            return query_flow_rules(body<QueryFlowRules>(command));
        case Opcode::kQueryRss:
            return query_rss(body<QueryRss>(command));
        case Opcode::kExtended:
            return extended(body<ExtendedCommand>(command));
        // Page lists belong to the QPL formats; a clock is not offered.
        case Opcode::kRegisterPageList:
        case Opcode::kUnregisterPageList:
        case Opcode::kReportNicTimestamp:
        case Opcode::kConfigureFlowRule:
            break;
    }
    return refuse(Status::kUnimplemented,
                  fmt::format("command {:#x} is not implemented", static_cast<uint32_t>(opcode)));
}

Status AdminQueue::fail() {
    ++state_.context.counters.admin_commands;
    ++state_.context.counters.admin_refused;
    return refuse(Status::kInternalError, "that was asked for");
}

Status AdminQueue::refuse(Status status, const std::string& why) {
    state_.context.log(
        fmt::format("admin command refused ({:#x}): {}", static_cast<uint32_t>(status), why));
    return status;
}

Status AdminQueue::forbid(Status status, const std::string& why) {
    state_.context.forbid({.kind = ForbiddenKind::kCommand,
                           .queue = kAdminName,
                           .descriptor = current(),
                           .what = why});
    return refuse(status, why);
}

Status AdminQueue::forbid_dma(const char* what, uint64_t address, uint64_t size, Access access) {
    state_.context.forbid_dma(kAdminName, current(), what, address, size, access);
    return refuse(Status::kInvalidArgument, fmt::format("{} is no guest memory", what));
}

std::optional<uint32_t> AdminQueue::current() const {
    if (!running()) return {};
    return event_counter_ & (entries_ - 1);
}

}  // namespace zcrxlab::nic::gve
