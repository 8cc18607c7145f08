// Needs: comparison of what a scenario needs with what there is.
#include "scenarios/framework/needs.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <utility>

#include "harness/nics/nic_table.hpp"

namespace zcrxlab {

std::optional<KernelSeries> series_of(std::string_view release) {
    KernelSeries series;
    const char* const end = release.data() + release.size();
    const auto major = std::from_chars(release.data(), end, series.major);
    if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return {};
    const auto minor = std::from_chars(major.ptr + 1, end, series.minor);
    if (minor.ec != std::errc()) return {};
    return series;
}

std::string to_text(const KernelSeries& series) {
    return std::to_string(series.major) + "." + std::to_string(series.minor);
}

const std::vector<FeatureText>& feature_texts() {
    const NicRow& nodev = nic_at(NicPlace::kNowhere);
    static const std::vector<FeatureText> texts = {
        {Feature::kZcrx, "zcrx", "knows zero-copy receive", KernelSeries{6, 15}},
        {Feature::kNodev, nodev.name, "registers without a device (ZCRX_REG_NODEV)",
         series_of(nodev.oldest_kernel)},
        {Feature::kFlushRq, "flush", "flushes the refill ring (ZCRX_CTRL_FLUSH_RQ)",
         KernelSeries{6, 19}},
        {Feature::kExport, "export", "exports and imports an interface queue", KernelSeries{6, 19}},
        {Feature::kEvents, "events", "has events and statistics (ZCRX_CTRL_ARM_EVENT)",
         KernelSeries{7, 2}},
        {Feature::kAddArea, "add_area", "adds areas later (ZCRX_CTRL_ADD_AREA)",
         KernelSeries{7, 3}},
        {Feature::kCqeMixed, "cqe_mixed", "mixes CQE sizes (IORING_SETUP_CQE_MIXED)",
         KernelSeries{6, 18}},
        {Feature::kRxBufferSize, "rx_buf_len", "lets the receive buffer size be chosen",
         KernelSeries{7, 0}},
        {Feature::kLargeArea, "large_area", "takes areas above 1 GiB", KernelSeries{7, 2}},
        {Feature::kFailNth,
         "fail_nth",
         "can be asked to fail (CONFIG_FAULT_INJECTION)",
         {},
         "zcrxlab kernel build --config faults, then run --kernel 7.3-faults"},
        {Feature::kFailPagePool,
         "fail_page_pool",
         "lets its page pools be out of buffers at will (CONFIG_FAIL_FUNCTION)",
         {},
         "zcrxlab kernel build --config faults, then run --kernel 7.3-faults"},
        {Feature::kMemoryCgroup,
         "memory_cgroup",
         "counts memory by control group (CONFIG_MEMCG, cgroup v2 at /sys/fs/cgroup)",
         {},
         "zcrxlab kernel build, then run --kernel 7.3-base"},
    };
    return texts;
}

const FeatureText& text_of(Feature feature) {
    return feature_texts().at(static_cast<size_t>(feature));
}

namespace {

bool has(const std::vector<Feature>& features, Feature feature) {
    return std::find(features.begin(), features.end(), feature) != features.end();
}

std::string mebibytes(uint64_t bytes) {
    return std::to_string((bytes + 1048575) >> 20) + " MiB";
}

// A newer kernel than the first that has it, and it is not there.
Missing broken(std::string sentence, const KernelSeries& since, const Surroundings& there) {
    return {std::move(sentence) + "; that is there since " + to_text(since) +
                ", and this kernel, " + there.release +
                ", does not have it; --lenient skips what needs it",
            true};
}

bool is_promised(const std::optional<KernelSeries>& since, const Surroundings& there) {
    const std::optional<KernelSeries> kernel = series_of(there.release);
    return since && kernel && kernel->is_from(*since);
}

// A driver that refuses may have a sister with our patches; otherwise it may be too old.
std::string how_to_have_zero_copy(const std::string& target) {
    const NicRow* nic = find_target(target);
    if (nic != nullptr && !nic->zero_copy)
        for (const NicRow& other : nic_rows())
            if (other.driver == nic->driver && other.zero_copy)
                return "--nic " + std::string(other.name);
    return "--kernel " + std::string(default_nic().oldest_kernel) + " (or newer)";
}

std::optional<Missing> missing_driver(const Needs& needs, const Surroundings& there) {
    const bool refused_right = needs.where == Where::kNodev || needs.where == Where::kRefusing;
    if (refused_right || there.why_no_zero_copy.empty()) return {};
    std::string sentence =
        "needs a driver that can do zero-copy receive (" + there.why_no_zero_copy + ")";
    const NicRow* nic = find_target(there.target);
    if (nic != nullptr && nic->zero_copy) {
        const std::optional<KernelSeries> since = series_of(nic->oldest_kernel);
        if (is_promised(since, there)) return broken(std::move(sentence), *since, there);
    }
    return Missing{std::move(sentence) + "; type: zcrxlab run " +
                   how_to_have_zero_copy(there.target)};
}

std::optional<Missing> missing_feature(Feature feature, const Surroundings& there) {
    if (has(there.features, feature)) return {};
    const FeatureText& text = text_of(feature);
    std::string sentence = "needs a kernel that " + std::string(text.sentence);
    if (is_promised(text.since, there)) return broken(std::move(sentence), *text.since, there);
    return Missing{std::move(sentence) + "; type: " +
                   (text.since ? "zcrxlab run --kernel " + to_text(*text.since) + " (or newer)"
                               : std::string(text.command))};
}

std::string missing_device(const Needs& needs, const Surroundings& there) {
    const Abilities& can = there.abilities;
    const std::string on = "target " + there.target;
    const std::string other = "; type: zcrxlab run --nic gve";
    if (needs.where == Where::kRefusing && there.refusal != EOPNOTSUPP)
        return "is about a NIC whose driver has no queue for zero-copy receive, and " + on +
               " is none; type: zcrxlab run --nic netdevsim-stock";
    if (needs.where == Where::kDevice && !can.zero_copy)
        return "needs a NIC with a queue for zero-copy receive, and " + on + " has none" + other;
    if (needs.where == Where::kNodev && can.zero_copy)
        return "is about zcrx without a device, and " + on +
               " has one; type: zcrxlab run --nic nodev";
    if (needs.dma_log && !can.dma_log)
        return "needs a device that tells what it wrote, and " + on + " does not" + other;
    if (needs.faults && !can.faults)
        return "needs a device that takes fault rules, and " + on + " does not" + other;
    const NicRow* nic = find_target(there.target);
    if (needs.death && (nic == nullptr || !nic->dies))
        return "needs a device that dies at command, and " + on +
               " does not; type: zcrxlab run --nic bnxt";
    if (needs.queue_zero && nic != nullptr && nic->queues_kept > 0)
        return "needs a driver that gives queue 0 away, and that of " + on +
               " keeps it; type: zcrxlab run --nic bnxt";
    if (needs.emulated && !can.emulated)
        return "needs an emulated NIC (its driver's statistics, its place on a PCI bus), and " +
               on + " is none" + other;
    if (needs.disruptive && there.endpoints.shared)
        return "disturbs others on the same card; type: zcrxlab lab --disruptive";
    if (needs.outages && !can.outages)
        return "needs a device that loses its link and is reset at command, and " + on +
               " does not" + other;
    if (needs.flow_rules && !can.flow_rules)
        return "needs flow rules (ethtool -N), and " + on + " has none" + other;
    if (needs.where == Where::kDevice && !can.header_split)
        return "needs header split; type: ethtool -g " + there.endpoints.interface +
               " to see whether the NIC has it";
    // Queue 0 stays with the rest of the traffic.
    const uint32_t queues = needs.queues + there.endpoints.first_queue;
    if (needs.queues > 0 && can.zero_copy && can.queues < queues)
        return "needs " + std::to_string(queues) + " receive queues, and " +
               there.endpoints.interface + " has " + std::to_string(can.queues) +
               "; type: ethtool -L " + there.endpoints.interface + " combined " +
               std::to_string(queues) + " (or rx, if ethtool -l has no combined ones)";
    if (needs.two_families &&
        (there.endpoints.local_v4.empty() || there.endpoints.local_v6.empty()))
        return "needs an IPv4 and an IPv6 address on both ends; set LOCAL_V4, LOCAL_V6, "
               "REMOTE_V4 and REMOTE_V6";
    return {};
}

}  // namespace

std::optional<Missing> what_is_missing(const Needs& needs, const Surroundings& there) {
    if (needs.root && !there.root)
        return Missing{"needs root (CAP_NET_ADMIN); type: sudo zcrx-scenarios, or zcrxlab run"};
    if (auto missing = missing_driver(needs, there)) return missing;
    if (std::string sentence = missing_device(needs, there); !sentence.empty())
        return Missing{std::move(sentence)};

    std::vector<Feature> features = needs.features;
    features.insert(features.begin(), Feature::kZcrx);
    // Without a device nothing but a flush takes buffers from the refill ring.
    if (!there.abilities.zero_copy)
        features.insert(features.end(), {Feature::kNodev, Feature::kFlushRq});
    for (const Feature feature : features)
        if (auto missing = missing_feature(feature, there)) return missing;
    if (needs.cpus > there.cpus)
        return Missing{"needs " + std::to_string(needs.cpus) +
                       " CPUs, so that things happen at the same time; type: zcrxlab run --cpus " +
                       std::to_string(needs.cpus)};
    if (needs.memory > there.memory_available)
        return Missing{"needs " + mebibytes(needs.memory) + " of free memory, and there are " +
                       mebibytes(there.memory_available) + "; type: zcrxlab run --memory " +
                       std::to_string((needs.memory >> 20) * 2) + "M"};
    return {};
}

std::vector<std::string> words_for(const Needs& needs) {
    std::vector<std::string> words;
    if (needs.where == Where::kDevice) words.emplace_back("device");
    if (needs.where == Where::kNodev) words.emplace_back("no device");
    if (needs.where == Where::kRefusing) words.emplace_back("driver without zcrx");
    if (needs.dma_log) words.emplace_back("DMA log");
    if (needs.faults) words.emplace_back("faults");
    if (needs.death) words.emplace_back("death");
    if (needs.queue_zero) words.emplace_back("queue 0");
    if (needs.disruptive) words.emplace_back("disruptive");
    if (needs.outages) words.emplace_back("outages");
    if (needs.emulated) words.emplace_back("emulated NIC");
    if (needs.flow_rules) words.emplace_back("flow rules");
    if (needs.two_families) words.emplace_back("IPv4 and IPv6");
    if (needs.queues > 1) words.push_back(std::to_string(needs.queues) + " queues");
    if (needs.cpus > 1) words.push_back(std::to_string(needs.cpus) + " CPUs");
    if (needs.memory > 0) words.push_back(mebibytes(needs.memory));
    for (Feature feature : needs.features) words.emplace_back(text_of(feature).name);
    if (!needs.root) words.emplace_back("no root");
    return words;
}

}  // namespace zcrxlab
