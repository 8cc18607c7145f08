// The rows. Each fact about a driver is that of Linux 7.3 unless it names another version.
#include "harness/nics/nic_table.hpp"

#include <algorithm>

namespace zcrxlab {
namespace {

constexpr NicRow kRows[] = {
    {
        .name = "gve",
        .sentence = "our emulated NIC with the stock driver",
        .place = NicPlace::kNicProgram,
        .target = "gve",
        .model = "gve",
        .driver = kGveDriver,
        .driver_source = "drivers/net/ethernet/google/gve/gve_main.c",
        .driver_functions = "gve_",
        .oldest_kernel = "6.18",  // gve_rx_queue_mem_alloc and the other queue operations
        .statistics = {.received = "rx_packets",
                       .sent = "tx_packets",
                       .received_bytes = "rx_bytes[#]",
                       .dropped = "rx_dropped_pkt[#]",
                       .no_buffer = "rx_no_buffers_posted[#]",
                       .broken = "rx_desc_err_dropped_pkt",
                       .split = "rx_hsplit_pkt",
                       .unsplit = "rx_hsplit_unsplit_pkt"},
        .queues_kept = 1,  // gve_rx_queue_stop: ERANGE for queue 0
        .zero_copy = true,
        .dma_log = true,
        .faults = true,
        .mutations = true,
        .control_channel = true,
        .matrix = MatrixUse::kUsual,
    },
    {
        .name = "bnxt",
        .sentence = "our second emulated NIC, a BCM57504, with the stock driver bnxt_en",
        .place = NicPlace::kNicProgram,
        .target = "bnxt",
        .model = "bnxt",
        .driver = kBnxtDriver,
        .driver_source = "drivers/net/ethernet/broadcom/bnxt/bnxt.c",
        .driver_functions = "bnxt_",
        .kernel_flavour = "amd64",
        .oldest_kernel = "6.16",  // the oldest one on which it was seen to work
        .statistics = {.received = "[#]: rx_ucast_packets",
                       .sent = "[#]: tx_ucast_packets",
                       .received_bytes = "[#]: rx_ucast_bytes",
                       .dropped = "[#]: rx_discards",
                       .no_buffer = "[#]: rx_discards",
                       .broken = "[#]: rx_buf_errors"},
        // Four buffers for each entry are posted, and a buffer is replaced before it is delivered:
        // what an area has beyond them is all that can be on the way (bnxt_rx_agg_netmems).
        .rx_ring = 64,
        // What is of one packet is asked of single packets, on real cards, too (driver_table.cpp).
        .feature_off = "rx-gro-hw",
        .zero_copy = true,
        .dma_log = true,
        .faults = true,
        .mutations = true,
        .dies = true,
        .control_channel = true,
        .matrix = MatrixUse::kIfAsked,
    },
    {
        .name = "netdevsim",
        .sentence = "a NIC simulated by a driver of ours (kernel-config/netdevsim)",
        .place = NicPlace::kGuestDriver,
        .target = "netdevsim",
        .driver = kNetdevsimDriver,
        .driver_functions = "nsim_",
        .oldest_kernel = "7.2",  // the oldest one that the patches fit
        .zero_copy = true,
        .patched = true,
        .dma_log = true,
        .faults = true,
        .matrix = MatrixUse::kIfAsked,
    },
    {
        .name = "netdevsim-stock",
        .sentence = "a NIC simulated by the kernel's own driver, which must refuse",
        .place = NicPlace::kGuestDriver,
        .target = "netdevsim-stock",
        .driver = kNetdevsimDriver,
        .driver_functions = "nsim_",
    },
    {
        .name = "nodev",
        .sentence = "no NIC, copies only",
        .place = NicPlace::kNowhere,
        .target = "nodev",
        .oldest_kernel = "7.1",  // ZCRX_REG_NODEV
        .matrix = MatrixUse::kUsual,
    },
    {
        .name = "vfio",
        .argument = "ADDRESS",
        .sentence = "a NIC of this machine, passed through (run only)",
        .place = NicPlace::kPassedIn,
        .target = "nic",
        .zero_copy = true,
    },
    {
        .name = "nic",
        .argument = "IFNAME",
        .sentence = "a NIC of this machine, without a VM (lab only)",
        .place = NicPlace::kThisMachine,
        .target = "nic",
        .zero_copy = true,
    },
    {
        .name = "dummy",
        .sentence = "a PCI device that no driver takes",
        .place = NicPlace::kNicProgram,
        .model = "dummy",
        .for_tests = true,
        .control_channel = true,
    },
};

}  // namespace

std::span<const NicRow> nic_rows() {
    return kRows;
}

const NicRow& default_nic() {
    return kRows[0];
}

const NicRow& nic_at(NicPlace place) {
    return *std::ranges::find(kRows, place, &NicRow::place);
}

const NicRow* find_nic(std::string_view nic) {
    const auto names = [nic](const NicRow& row) {
        if (row.argument.empty()) return nic == row.name;
        return nic.starts_with(row.name) && nic.substr(row.name.size()).starts_with(':');
    };
    const auto* const row = std::ranges::find_if(kRows, names);
    return row == std::end(kRows) ? nullptr : row;
}

const NicRow* find_target(std::string_view target) {
    const auto* const row = std::ranges::find_if(
        kRows, [target](const NicRow& one) { return one.name == target && one.target == target; });
    return row == std::end(kRows) ? nullptr : row;
}

bool nic_is_at(std::string_view nic, NicPlace place) {
    const NicRow* row = find_nic(nic);
    if (row == nullptr) row = find_target(nic);
    return row != nullptr && row->place == place;
}

std::string nic_label(const NicRow& row) {
    std::string label(row.name);
    if (!row.argument.empty()) label.append(":").append(row.argument);
    return label;
}

std::string nic_labels(bool (*fits)(const NicRow&), std::string_view between) {
    std::string labels;
    for (const NicRow& row : kRows)
        if (fits(row)) labels.append(labels.empty() ? "" : between).append(nic_label(row));
    return labels;
}

bool is_for_a_vm(const NicRow& row) {
    return row.place != NicPlace::kThisMachine;
}
bool is_offered(const NicRow& row) {
    return is_for_a_vm(row) && !row.for_tests;
}
bool has_interface(const NicRow& row) {
    return row.place != NicPlace::kNowhere && !row.target.empty();
}
bool takes_faults(const NicRow& row) {
    return row.faults && !row.for_tests;
}
bool takes_mutations(const NicRow& row) {
    return row.mutations && !row.for_tests;
}
bool is_in_matrix(const NicRow& row) {
    return row.matrix != MatrixUse::kNever;
}
bool is_usual_in_matrix(const NicRow& row) {
    return row.matrix == MatrixUse::kUsual;
}
bool is_in_matrix_with_a_device(const NicRow& row) {
    return is_in_matrix(row) && row.place != NicPlace::kNowhere;
}

}  // namespace zcrxlab
