// Needs: what a scenario has to have, as data, and the sentence for what is missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/targets/target.hpp"

namespace zcrxlab {

// Features of the running kernel, each found by trying it.
enum class Feature {
    kZcrx,          // IORING_REGISTER_ZCRX_IFQ exists
    kNodev,         // ZCRX_REG_NODEV
    kFlushRq,       // ZCRX_CTRL_FLUSH_RQ
    kExport,        // ZCRX_CTRL_EXPORT and ZCRX_REG_IMPORT
    kEvents,        // ZCRX_CTRL_ARM_EVENT, events and statistics
    kAddArea,       // ZCRX_CTRL_ADD_AREA
    kCqeMixed,      // IORING_SETUP_CQE_MIXED
    kRxBufferSize,  // rx_buf_len in the registration
    kLargeArea,     // areas above 1 GiB
    kFailNth,       // /proc/thread-self/fail-nth: the kernel can be asked to fail
    kFailPagePool,  // its page pools can be asked to have no buffer
    kMemoryCgroup,  // what a group of processes takes of its memory is counted (cgroup v2)
};

// A series of kernels: 7 and 3 of 7.3.4.
struct KernelSeries {
    unsigned major = 0, minor = 0;
    // Whether it is `other` or came later.
    bool is_from(const KernelSeries& other) const {
        return major != other.major ? major > other.major : minor >= other.minor;
    }
};
// That of a release as uname has it ("7.3.4+deb13-cloud-amd64", "7.3-rc7"); nothing of other text.
std::optional<KernelSeries> series_of(std::string_view release);
std::string to_text(const KernelSeries& series);

struct FeatureText {
    Feature feature;
    std::string_view name;      // for --list and JSON
    std::string_view sentence;  // "..., which <sentence>"
    // The first series with it: every later kernel has it, too. Nothing where the configuration of
    // a kernel decides; then `command` builds one that has it.
    std::optional<KernelSeries> since;
    std::string_view command = {};
};
// All features, in the order of the enum.
const std::vector<FeatureText>& feature_texts();
const FeatureText& text_of(Feature feature);

// Where a scenario makes sense.
enum class Where {
    kAnywhere,  // on a device, or without one by copying
    kDevice,    // needs a NIC with a queue that zcrx can take
    kNodev,     // ZCRX_REG_NODEV only
    kRefusing,  // needs a NIC whose driver has no queue for zcrx (EOPNOTSUPP)
};

struct Needs {
    Where where = Where::kAnywhere;
    bool dma_log = false;       // the target tells what it wrote
    bool faults = false;        // the target takes fault rules
    bool flow_rules = false;    // ethtool n-tuple rules
    bool outages = false;       // the target loses its link and is reset at command
    bool disruptive = false;    // disturbs others on the same card
    bool death = false;         // the device dies at command, until it is switched off and on
    bool queue_zero = false;    // no driver that keeps queue 0 for itself
    bool emulated = false;      // an emulated NIC behind a stock driver, on a PCI bus
    bool two_families = false;  // IPv4 and IPv6 addresses on both ends
    uint32_t queues = 0;        // queues that zcrx can take at the same time
    uint64_t memory = 0;        // bytes of free memory
    uint32_t cpus = 1;          // that run at the same time
    bool root = true;           // CAP_NET_ADMIN and the rest
    std::vector<Feature> features = {};
};

// What there is, found once per run.
struct Surroundings {
    std::string target;  // as find_target() takes it
    Abilities abilities;
    std::string why_no_zero_copy;  // where a NIC is there, but its driver cannot do it
    int refusal = 0;               // and the errno with which it was refused then
    Endpoints endpoints;
    std::vector<Feature> features;
    uint64_t memory_available = 0;  // bytes
    uint32_t cpus = 1;              // online
    bool root = false;
    std::string release = {};  // of the kernel, as uname has it
};

struct Missing {
    std::string sentence;  // what it is, and what to type
    // Kernels older than this one have it: whoever lost it made a mistake, or meant it.
    bool promised = false;
};
// The first thing that is missing; nothing if everything is there.
std::optional<Missing> what_is_missing(const Needs& needs, const Surroundings& surroundings);

// The needs as short words, for listings: "device", "faults", "events" ...
std::vector<std::string> words_for(const Needs& needs);

}  // namespace zcrxlab
