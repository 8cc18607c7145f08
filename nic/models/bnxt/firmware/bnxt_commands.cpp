// Commands: the table, and what is the same for all of them.
#include "nic/models/bnxt/firmware/bnxt_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

namespace zcrxlab::nic::bnxt {
namespace {

constexpr uint16_t number_of(HwrmType type) {
    return static_cast<uint16_t>(type);
}

bool is_receive_ring(uint8_t type) {
    return type == static_cast<uint8_t>(RingType::kRx) ||
           type == static_cast<uint8_t>(RingType::kAggregation);
}

CommandKind kind_of(const Request& request) {
    switch (request.type()) {
        case HwrmType::kRingAlloc:
            return is_receive_ring(request.as<RingAllocate>().type) ? CommandKind::kOpenReceiveQueue
                                                                    : CommandKind::kOther;
        case HwrmType::kRingFree:
            return is_receive_ring(request.as<RingFree>().type) ? CommandKind::kCloseReceiveQueue
                                                                : CommandKind::kOther;
        case HwrmType::kVnicRssCfg:
            return CommandKind::kRss;
        case HwrmType::kCfaNtupleFilterAlloc:
        case HwrmType::kCfaNtupleFilterFree:
            return CommandKind::kFlowRule;
        default:
            return CommandKind::kOther;
    }
}

}  // namespace

const CommandRow Commands::kRows[] = {
    {number_of(HwrmType::kVerGet), "VER_GET", &Commands::version},
    {number_of(HwrmType::kFuncReset), "FUNC_RESET", &Commands::reset},
    {number_of(HwrmType::kFuncQcaps), "FUNC_QCAPS", &Commands::capabilities},
    {number_of(HwrmType::kFuncQcfg), "FUNC_QCFG", &Commands::settings},
    {number_of(HwrmType::kFuncCfg), "FUNC_CFG", &Commands::configure},
    {number_of(HwrmType::kFuncDrvRgtr), "FUNC_DRV_RGTR", &Commands::register_driver},
    {number_of(HwrmType::kFuncDrvUnrgtr), "FUNC_DRV_UNRGTR", &Commands::unregister_driver},
    {number_of(HwrmType::kFuncResourceQcaps), "FUNC_RESOURCE_QCAPS", &Commands::resources},
    {number_of(HwrmType::kQueueQportcfg), "QUEUE_QPORTCFG", &Commands::port_queues},
    {number_of(HwrmType::kPortPhyQcaps), "PORT_PHY_QCAPS", &Commands::phy_capabilities},
    {number_of(HwrmType::kPortPhyQcfg), "PORT_PHY_QCFG", &Commands::phy_settings},
    {number_of(HwrmType::kPortPhyCfg), "PORT_PHY_CFG", &Commands::configure_phy},
    {number_of(HwrmType::kRingAlloc), "RING_ALLOC", &Commands::allocate_ring},
    {number_of(HwrmType::kRingFree), "RING_FREE", &Commands::free_ring},
    {number_of(HwrmType::kRingAggintQcaps), "RING_AGGINT_QCAPS",
     &Commands::coalescing_capabilities},
    {number_of(HwrmType::kRingCmplRingCfgAggintParams), "RING_CMPL_RING_CFG_AGGINT_PARAMS",
     &Commands::configure_coalescing},
    {number_of(HwrmType::kStatCtxAlloc), "STAT_CTX_ALLOC", &Commands::allocate_statistics},
    {number_of(HwrmType::kStatCtxFree), "STAT_CTX_FREE", &Commands::free_statistics},
    {number_of(HwrmType::kStatCtxClrStats), "STAT_CTX_CLR_STATS", &Commands::clear_statistics},
    {number_of(HwrmType::kFuncQstatsExt), "FUNC_QSTATS_EXT", &Commands::function_statistics},
    {number_of(HwrmType::kPortQstats), "PORT_QSTATS", &Commands::port_statistics},
    {number_of(HwrmType::kPortQstatsExt), "PORT_QSTATS_EXT", &Commands::extended_port_statistics},
    {number_of(HwrmType::kPortLedQcaps), "PORT_LED_QCAPS", &Commands::port_lights},
    {number_of(HwrmType::kFwSetTime), "FW_SET_TIME", &Commands::set_time},
    {number_of(HwrmType::kVnicQcaps), "VNIC_QCAPS", &Commands::vnic_capabilities},
    {number_of(HwrmType::kVnicAlloc), "VNIC_ALLOC", &Commands::allocate_vnic},
    {number_of(HwrmType::kVnicFree), "VNIC_FREE", &Commands::free_vnic},
    {number_of(HwrmType::kVnicCfg), "VNIC_CFG", &Commands::configure_vnic},
    {number_of(HwrmType::kVnicUpdate), "VNIC_UPDATE", &Commands::update_vnic},
    {number_of(HwrmType::kVnicRssCosLbCtxAlloc), "VNIC_RSS_COS_LB_CTX_ALLOC",
     &Commands::allocate_rss},
    {number_of(HwrmType::kVnicRssCosLbCtxFree), "VNIC_RSS_COS_LB_CTX_FREE", &Commands::free_rss},
    {number_of(HwrmType::kVnicRssCfg), "VNIC_RSS_CFG", &Commands::configure_rss},
    {number_of(HwrmType::kVnicPlcmodesCfg), "VNIC_PLCMODES_CFG", &Commands::configure_placement},
    {number_of(HwrmType::kCfaL2FilterAlloc), "CFA_L2_FILTER_ALLOC", &Commands::allocate_l2_filter},
    {number_of(HwrmType::kCfaL2FilterFree), "CFA_L2_FILTER_FREE", &Commands::free_l2_filter},
    {number_of(HwrmType::kCfaL2SetRxMask), "CFA_L2_SET_RX_MASK", &Commands::set_receive_mask},
    {number_of(HwrmType::kNvmGetDevInfo), "NVM_GET_DEV_INFO", &Commands::flash_information},
    {number_of(HwrmType::kFuncDrvIfChange), "FUNC_DRV_IF_CHANGE", &Commands::change_interface},
    {number_of(HwrmType::kCfaNtupleFilterAlloc), "CFA_NTUPLE_FILTER_ALLOC",
     &Commands::allocate_rule},
    {number_of(HwrmType::kCfaNtupleFilterFree), "CFA_NTUPLE_FILTER_FREE", &Commands::free_rule},
    {number_of(HwrmType::kCfaAdvFlowMgntQcaps), "CFA_ADV_FLOW_MGNT_QCAPS",
     &Commands::flow_capabilities},
    {number_of(HwrmType::kVnicTpaCfg), "VNIC_TPA_CFG", &Commands::configure_joining},
    // Those that the model does not have, so that people see by name what a driver asks.
    {0x0c, "ERROR_RECOVERY_QCFG"},
    {0x18, "FUNC_QSTATS"},
    {0x21, "PORT_MAC_CFG"},
    {0x29, "PORT_MAC_PTP_QCFG"},
    {0x2c, "PORT_PHY_I2C_READ"},
    {0x2d, "PORT_LED_CFG"},
    {0x32, "QUEUE_CFG"},
    {0x35, "QUEUE_PFCENABLE_QCFG"},
    {0x36, "QUEUE_PFCENABLE_CFG"},
    {0x37, "QUEUE_PRI2COS_QCFG"},
    {0x38, "QUEUE_PRI2COS_CFG"},
    {0x39, "QUEUE_COS2BW_QCFG"},
    {0x3a, "QUEUE_COS2BW_CFG"},
    {0x3b, "QUEUE_DSCP_QCAPS"},
    {0x47, "VNIC_RSS_QCFG"},
    {0x5e, "RING_RESET"},
    {0xa1, "TUNNEL_DST_PORT_ALLOC"},
    {0xa2, "TUNNEL_DST_PORT_FREE"},
    {0xc0, "FW_RESET"},
    {0xca, "FW_SET_STRUCTURED_DATA"},
    {0xcb, "FW_GET_STRUCTURED_DATA"},
    {0xdf, "PORT_MAC_QCAPS"},
    {0xe0, "TEMP_MONITOR_QUERY"},
    {0xf0, "WOL_FILTER_ALLOC"},
    {0xf2, "WOL_FILTER_QCFG"},
    {0x192, "FUNC_BACKING_STORE_QCAPS"},
    {0x193, "FUNC_BACKING_STORE_CFG"},
    {0x1a3, "FUNC_BACKING_STORE_CFG_V2"},
    {0x1a8, "FUNC_BACKING_STORE_QCAPS_V2"},
    {0x200, "SELFTEST_QLIST"},
    {0x204, "PCIE_QSTATS"},
    {0x218, "STAT_GENERIC_QSTATS"},
    {0x261, "QUEUE_PFCWD_TIMEOUT_QCAPS"},
    {0xff1c, "DBG_RING_INFO_GET"},
    {0xff20, "DBG_QCAPS"},
    {0xfff1, "NVM_GET_VARIABLE"},
    {0xfff2, "NVM_SET_VARIABLE"},
    {0xfff9, "NVM_FIND_DIR_ENTRY"},
    {0xfffa, "NVM_GET_DIR_ENTRIES"},
    {0xfffb, "NVM_GET_DIR_INFO"},
    {0xfffd, "NVM_READ"},
};

std::span<const CommandRow> Commands::rows() {
    return kRows;
}

Commands::Commands(BnxtState& state) : state_(state), asked_(std::size(kRows) + 1) {}

std::optional<Answer> Commands::execute(const Request& request) {
    const uint16_t type = request.header().type;
    const auto* const row = std::ranges::find(kRows, type, &CommandRow::type);
    const bool known = row != std::end(kRows);
    Asked& asked = asked_[static_cast<size_t>(row - std::begin(kRows))];
    ++asked.times;
    current_ = known ? row->name.data() : "a command without a name here";
    const CommandAnswer wanted = state_.context.command_faults.meet(kind_of(request));
    if (wanted == CommandAnswer::kNone) {
        state_.context.log(
            fmt::format("HWRM {} is left without an answer, as it was asked for", current_));
        return {};
    }
    Answer answer;
    if (wanted == CommandAnswer::kError) {
        answer = refuse(HwrmError::kFail, "that was asked for");
    } else if (request.header().target != kThisFunction &&
               request.header().target != kFunctionNumber) {
        answer = refuse(HwrmError::kAccessDenied,
                        fmt::format("function {} is not this one", request.header().target.get()));
    } else if (known && row->carry_out != nullptr) {
        answer = (this->*row->carry_out)(request);
    } else {
        // Once: some are asked every second.
        if (!known || asked.refused == 0)
            refuse(HwrmError::kNotSupported, fmt::format("type {:#x} is not implemented", type));
        answer = HwrmError::kNotSupported;
    }
    if (answer.error() != HwrmError::kNone) ++asked.refused;
    return answer;
}

std::vector<std::pair<std::string, uint64_t>> Commands::counters() const {
    std::vector<std::pair<std::string, uint64_t>> out;
    for (size_t i = 0; i < asked_.size(); ++i) {
        if (asked_[i].times == 0) continue;
        std::string name = "hwrm_";
        for (const char letter : i < std::size(kRows) ? kRows[i].name : "without_name")
            name += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
        out.emplace_back(name, asked_[i].times);
        if (asked_[i].refused != 0) out.emplace_back(name + "_refused", asked_[i].refused);
    }
    return out;
}

Answer Commands::refuse(HwrmError error, const std::string& why) {
    state_.context.log(
        fmt::format("HWRM {} refused ({:#x}): {}", current_, static_cast<uint16_t>(error), why));
    return error;
}

Answer Commands::forbid(HwrmError error, const std::string& why) {
    state_.context.forbid({.kind = ForbiddenKind::kCommand,
                           .queue = fmt::format("{} {}", kCommandsName, current_),
                           .what = why});
    return refuse(error, why);
}

Answer Commands::forbid_dma(const char* what, uint64_t address, uint64_t size, Access access) {
    state_.context.forbid_dma(fmt::format("{} {}", kCommandsName, current_), {}, what, address,
                              size, access);
    return refuse(HwrmError::kInvalidParameters, fmt::format("{} is no guest memory", what));
}

}  // namespace zcrxlab::nic::bnxt
