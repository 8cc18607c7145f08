// Nic::snapshot(): a line of text for each thing that can be configured.
#include <algorithm>
#include <cstring>
#include <string>

#include "harness/base/hex.hpp"
#include "harness/net/driver.hpp"
#include "harness/net/nic.hpp"

namespace zcrxlab {
namespace {

std::string text(const std::optional<uint32_t>& value) {
    return value ? std::to_string(*value) : "-";
}

std::string text(const std::optional<DataSplit>& split) {
    if (!split) return "-";
    switch (*split) {
        case DataSplit::kUnknown:
            return "unknown";
        case DataSplit::kDisabled:
            return "off";
        case DataSplit::kEnabled:
            return "on";
    }
    return "?";
}

// "0 1 2 3 (x32)": the shortest run of numbers that the table repeats.
std::string table_text(const std::vector<uint32_t>& table) {
    size_t period = 1;
    const auto repeats = [&table](size_t candidate) {
        for (size_t i = candidate; i < table.size(); ++i) {
            if (table[i] != table[i - candidate]) return false;
        }
        return true;
    };
    while (period < table.size() && !repeats(period)) ++period;
    std::string result;
    for (size_t i = 0; i < std::min(period, table.size()); ++i)
        result += (i == 0 ? "" : " ") + std::to_string(table[i]);
    return result + ", over " + std::to_string(table.size()) + " entries";
}

}  // namespace

std::vector<std::string> Nic::snapshot() {
    std::vector<std::string> lines;
    const auto missing = [&lines](const std::string& what, const Error& error) {
        lines.push_back(what + ": none (" + std::strerror(error.code) + ")");
    };

    if (auto link = links_->get(interface_)) {
        lines.push_back(std::string("link: ") + (link->up ? "up" : "down") + ", mtu " +
                        std::to_string(link->mtu) + ", address " + link->hardware_address);
    } else {
        missing("link", link.error());
    }
    if (auto addresses = links_->addresses(interface_)) {
        for (const std::string& address : *addresses) lines.push_back("address: " + address);
    } else {
        missing("addresses", addresses.error());
    }
    if (auto rings = ethtool_->rings()) {
        lines.push_back("rings: rx " + text(rings->rx) + ", tx " + text(rings->tx) +
                        ", rx-buf-len " + text(rings->rx_buf_len));
        lines.push_back("tcp-data-split: " + text(rings->data_split));
        lines.push_back("hds-thresh: " + text(rings->hds_thresh));
    } else {
        missing("rings", rings.error());
    }
    if (auto channels = ethtool_->channels()) {
        lines.push_back("channels: rx " + text(channels->rx) + ", tx " + text(channels->tx) +
                        ", combined " + text(channels->combined));
    } else {
        missing("channels", channels.error());
    }
    if (const auto bytes = rx_copybreak(interface_)) {
        lines.push_back("rx-copybreak: " + std::to_string(*bytes));
    } else {
        missing("rx-copybreak", bytes.error());
    }
    if (auto features = ethtool_->features()) {
        for (const auto& [name, on] : features->active)
            lines.push_back("feature " + name + ": " + (on ? "on" : "off"));
        for (const auto& [name, on] : features->requested)
            lines.push_back("requested feature " + name + ": " + (on ? "on" : "off"));
    } else {
        missing("features", features.error());
    }
    if (auto rss = steering_->rss()) {
        lines.push_back("rss table: " + table_text(rss->table));
        lines.push_back("rss key: " + hex_of(rss->key));
        lines.push_back("rss function: " + text(rss->function));
    } else {
        missing("rss", rss.error());
    }
    if (auto locations = steering_->locations()) {
        for (const uint32_t location : *locations) {
            auto rule = steering_->describe_rule(location);
            lines.push_back("flow rule " + std::to_string(location) + ": " +
                            (rule ? *rule : rule.error().sentence));
        }
    } else {
        missing("flow rules", locations.error());
    }
    if (auto xdp = netdev_->xdp_features()) {
        lines.push_back("xdp features: " + std::to_string(*xdp));
    } else {
        missing("xdp features", xdp.error());
    }
    if (auto queues = netdev_->receive_queues()) {
        for (const QueueState& queue : *queues) {
            std::string provider = "none";
            if (queue.io_uring) provider = "io_uring";
            if (queue.dmabuf) provider = "dmabuf " + std::to_string(*queue.dmabuf);
            if (queue.xsk) provider = "af_xdp";
            lines.push_back("receive queue " + std::to_string(queue.id) + " provider: " + provider);
        }
    } else {
        missing("receive queues", queues.error());
    }
    return lines;
}

}  // namespace zcrxlab
