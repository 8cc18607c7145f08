// The rows. Each fact names the place in the driver of Linux 7.3 from which it is.
#include "harness/lab/driver_table.hpp"

#include "harness/nics/nic_table.hpp"

namespace zcrxlab {
namespace {

using enum Setting;

// The link comes up behind all that would close and open the port again.
const std::vector<Setting> kUsualOrder = {kPrivateFlags, kChannels, kFeatures, kRings,
                                          kLink,         kRss,      kRules,    kAddresses};

std::vector<DriverRow> make_rows() {
    std::vector<DriverRow> rows;

    DriverRow bnxt;
    bnxt.driver = kBnxtDriver;
    bnxt.vendor = "0x14e4";
    bnxt.order = kUsualOrder;
    // Not asked for, but aggregated packets would share buffers (bnxt_rx_agg_...: AGG_EOP).
    bnxt.features = {{"rx-lro", false}, {"rx-gro-hw", false}, {"rx-ntuple-filter", true}};
    // Four buffers for each entry are posted before the first packet, and a buffer is replaced
    // before it is delivered: an area no larger than that receives nothing (bnxt_rx_agg_netmems).
    bnxt.rx_ring = 64;
    bnxt.split_off = DataSplit::kUnknown;  // "off" is EINVAL (bnxt_set_ringparam)
    bnxt.split_claims_on = true;           // bnxt_get_ringparam: because there are buffers for it
    bnxt.physical_only = true;             // BNXT_SUPPORTS_QUEUE_API asks for a PF
    bnxt.always_has_switch_id = true;      // bnxt_get_port_parent_id: the card's serial number
    bnxt.note =
        "needs a P5 or P7 chip (57504, 57508, 57608) with firmware that can place flows by ring; "
        "each change of the rings closes and opens the port";
    rows.push_back(bnxt);

    DriverRow mlx5;
    mlx5.driver = "mlx5_core";
    mlx5.vendor = "0x15b3";
    // rx-gro-hw goes before the split (mlx5e_set_ringparam: "not supported when GRO HW is
    // disabled"), and striding receive queues before rx-gro-hw.
    mlx5.order = kUsualOrder;
    mlx5.private_flags = {{"rx_striding_rq", true}, {"rx_cqe_compress", false}};
    mlx5.features = {{"rx-lro", false}, {"rx-gro-hw", true}, {"rx-ntuple-filter", true}};
    mlx5.threshold = false;  // fixed at 0
    mlx5.note =
        "needs firmware that splits headers (ConnectX-7 and newer); an area below 4 MiB may stop "
        "its queues for 20 s";
    rows.push_back(mlx5);

    DriverRow gve;
    gve.driver = kGveDriver;
    gve.vendor = "0x1ae0";
    gve.order = kUsualOrder;
    gve.features = {{"rx-ntuple-filter", true}};
    gve.threshold = false;  // has none: EOPNOTSUPP
    gve.queues_kept = find_nic(kGveDriver)->queues_kept;
    gve.note = "queue 0 cannot be taken";
    rows.push_back(gve);

    DriverRow fbnic;
    fbnic.driver = "fbnic";
    fbnic.vendor = "0x1d9b";
    fbnic.order = kUsualOrder;
    fbnic.features = {{"rx-ntuple-filter", true}};
    fbnic.split_off = DataSplit::kUnknown;  // always on in hardware; "off" is EINVAL
    fbnic.split_claims_on = true;           // and yet it must be asked for
    rows.push_back(fbnic);

    DriverRow any;
    any.order = kUsualOrder;
    any.features = {{"rx-ntuple-filter", true}};
    any.note = "is a driver that zcrxlab does not know, so that it tries";
    rows.push_back(any);
    return rows;
}

const std::vector<DriverRow>& rows() {
    static const std::vector<DriverRow> all = make_rows();
    return all;
}

}  // namespace

const DriverRow& driver_row(std::string_view driver) {
    for (const DriverRow& row : rows())
        if (!row.driver.empty() && row.driver == driver) return row;
    return rows().back();
}

const DriverRow& driver_row_of_vendor(std::string_view vendor) {
    for (const DriverRow& row : rows())
        if (!row.vendor.empty() && row.vendor == vendor) return row;
    return rows().back();
}

std::span<const DriverRow> driver_rows() {
    return rows();
}

}  // namespace zcrxlab
