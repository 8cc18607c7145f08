// Probes the machine, sets its base configuration, and reads its counters.
#include "scenarios/runner/machine_observer.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <net/if.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <map>

#include "harness/base/environment.hpp"
#include "harness/base/kernel_parameters.hpp"
#include "harness/net/counters.hpp"
#include "harness/net/namespace.hpp"
#include "harness/net/netdev.hpp"
#include "harness/net/provider.hpp"
#include "harness/nics/nic_table.hpp"
#include "harness/ring/deferred_packets.hpp"
#include "harness/targets/target.hpp"
#include "harness/trace/kernel_profiles.hpp"
#include "scenarios/runner/feature_probe.hpp"

namespace zcrxlab {

namespace {

// For receive_paths, where the NIC has so many.
constexpr uint32_t kQueuesForLanes = 3;
constexpr uint32_t kLogEntriesAtOnce = 65536;

std::string from_environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

uint64_t memory_available() {
    std::ifstream file("/proc/meminfo");
    std::string word;
    uint64_t kilobytes = 0;
    while (file >> word)
        if (word == "MemAvailable:" && file >> kilobytes) return kilobytes * 1024;
    return 0;
}

// Asks for all log entries after `after`, which moves behind them.
Result<DmaWrites> read_log(ControlChannel& channel, uint64_t& after) {
    DmaWrites all;
    std::map<uint32_t, DmaLogFlow> flows;  // each answer has those that its entries belong to
    while (true) {
        Result<ControlChannel::Log> log = channel.log(after, kLogEntriesAtOnce);
        if (!log) return log.error();
        const DmaWrites& part = log->writes;
        all.lost += part.lost;
        all.entries.insert(all.entries.end(), part.entries.begin(), part.entries.end());
        for (const DmaLogFlow& flow : part.flows) flows.insert_or_assign(flow.flow, flow);
        if (part.entries.empty() || log->last <= after) break;
        after = log->last;
        if (part.entries.size() < kLogEntriesAtOnce) break;
    }
    for (const auto& [index, flow] : flows) all.flows.push_back(flow);
    return all;
}

// The newest sequence number: what was logged up to it belongs to nobody here.
Result<uint64_t> newest_in_log(ControlChannel& channel) {
    Result<ControlChannel::Log> log = channel.log(UINT64_MAX, 1);
    if (!log) return log.error();
    return log->newest;
}

// An address as the kernel's lists of sockets write it: words of 32 bits, each as a number of this
// machine.
std::string in_proc(int family, const std::string& address) {
    std::array<uint32_t, 4> words{};
    if (::inet_pton(family, address.c_str(), words.data()) != 1) return "none";
    std::string text;
    for (size_t i = 0; i < (family == AF_INET ? 1 : words.size()); ++i)
        text += fmt::format("{:08X}", words[i]);
    return text;
}

// The lines of `list` about sockets of a local address.
void add_sockets(const char* list, const std::string& local, std::vector<std::string>& said) {
    std::ifstream file(list);
    for (std::string line; std::getline(file, line);)
        if (line.find(": " + local + ":") != std::string::npos)
            said.push_back(std::string(list) + ":" + line);
}

}  // namespace

Result<std::unique_ptr<Observer>> MachineObserver::create() {
    std::unique_ptr<MachineObserver> self(new MachineObserver);
    self->surroundings_.root = geteuid() == 0;
    Result<KernelLog> log = KernelLog::open();
    if (!log) return log.error();
    self->kernel_log_ = *std::move(log);
    self->earlier_messages_ = self->kernel_log_->read_new();

    Surroundings& there = self->surroundings_;
    utsname system{};
    ::uname(&system);
    there.release = system.release;
    there.features = probe_features();
    there.memory_available = memory_available();
    there.cpus = static_cast<uint32_t>(sysconf(_SC_NPROCESSORS_ONLN));
    {
        Result<std::unique_ptr<Target>> target = target_from_environment();
        if (!target) return target.error();
        there.target = (*target)->name();
        there.abilities = (*target)->abilities();
        there.endpoints = (*target)->endpoints();
    }
    self->control_path_ = from_environment(environment::kControl);
    if (there.abilities.zero_copy)
        if (auto prepared = self->prepare_nic(there.endpoints); !prepared) return prepared.error();
    return std::unique_ptr<Observer>(std::move(self));
}

Result<void> MachineObserver::prepare_nic(const Endpoints& endpoints) {
    Result<zcrxlab::Nic> nic = zcrxlab::Nic::open(endpoints.interface, undo_);
    if (!nic) return nic.error();
    nic_ = std::make_unique<zcrxlab::Nic>(*std::move(nic));
    if (Result<std::vector<uint32_t>> rules = nic_->steering().locations()) rules_before_ = *rules;
    if (auto set = configure_queues(); !set) return set;
    if (surroundings_.abilities.queues > endpoints.first_queue) probe_queue();
    return spread_flows();
}

Result<void> MachineObserver::configure_queues() {
    Result<Channels> channels = nic_->ethtool().channels();
    if (!channels) return channels.error();
    const uint32_t wanted =
        std::min(surroundings_.endpoints.first_queue + kQueuesForLanes, channels->most_receive());
    if (channels->receive() < wanted) {
        if (auto set = nic_->set_queues(wanted); !set) return set;
        surroundings_.abilities.queues = wanted;
    }
    // Drivers take flow rules only while the feature is on; switching it off removes all of them.
    Result<Features> features = nic_->ethtool().features();
    if (!features) return features.error();
    const std::string ntuple = "rx-ntuple-filter";
    const auto& changeable = features->changeable;
    if (std::find(changeable.begin(), changeable.end(), ntuple) != changeable.end())
        if (auto set = nic_->set_feature(ntuple, true); !set) return set;
    const NicRow* row = find_target(surroundings_.target);
    if (row != nullptr && features->active.contains(std::string(row->feature_off)))
        if (auto set = nic_->set_feature(std::string(row->feature_off), false); !set) return set;
    if (row != nullptr && row->rx_ring != 0)
        if (auto set = nic_->set_ring_sizes(row->rx_ring, 0); !set) return set;
    return nic_->enable_header_split();
}

// Nobody takes queues of a driver that refuses; it need not be able to spread.
Result<void> MachineObserver::spread_flows() {
    if (!surroundings_.abilities.zero_copy) return {};
    return nic_->spread_over_first(1);
}

void MachineObserver::probe_queue() {
    if (const auto why = why_no_zero_copy(surroundings_.endpoints.interface,
                                          surroundings_.endpoints.first_queue)) {
        surroundings_.abilities.zero_copy = false;
        surroundings_.why_no_zero_copy = why->sentence;
        surroundings_.refusal = why->code;
    }
    // What is wrong about DMA is told once per boot, and the probe has had it.
    std::ofstream("/sys/kernel/debug/dma-api/num_errors") << 1;
}

void MachineObserver::restore_nics() {
    if (!nic_) return;
    if (Result<std::vector<uint32_t>> rules = nic_->steering().locations())
        for (const uint32_t location : *rules)
            if (std::find(rules_before_.begin(), rules_before_.end(), location) ==
                rules_before_.end())
                if (auto removed = nic_->steering().remove_rule(location); !removed)
                    mark(removed.error().sentence);
    for (const Result<void>& configured : {configure_queues(), spread_flows()})
        if (!configured) mark(configured.error().sentence);
}

MachineObserver::~MachineObserver() {
    for (const Error& error : undo_.run()) mark(error.sentence);
}

void MachineObserver::mark(const std::string& text) {
    kernel_log_->write(text);
}

void MachineObserver::forget_warnings() {
    std::ofstream file("/sys/kernel/debug/clear_warn_once");
    file << 1 << std::flush;
}

std::vector<KernelMessage> MachineObserver::kernel_messages() {
    return kernel_log_->read_new();
}

void MachineObserver::each_profile(
    const std::function<void(const std::string&, const std::string&)>& take) {
    for_each_profile(kKernelProfiles, take);
}

void MachineObserver::each_reached(
    const std::function<void(const std::string&, const std::string&)>& take) {
    for_each_reached(kKernelParameters, take);
}

Observer::Counters MachineObserver::counters() {
    Counters counters;
    const Result<MemoryCounters> memory = read_memory_counters();
    counters.emplace("pinned pages",
                     memory ? Result<int64_t>(memory->pinned_pages) : memory.error());
    if (!nic_) return counters;
    const Result<std::vector<PagePool>> pools = page_pools();
    const auto count = [&pools](auto fits) -> Result<int64_t> {
        if (!pools) return pools.error();
        return std::ranges::count_if(*pools, fits);
    };
    const auto zcrx = [](const PagePool& pool) { return pool.io_uring; };
    const auto detached = [](const PagePool& pool) { return pool.detach_time.has_value(); };
    counters.emplace("page pools of io_uring", count(zcrx));
    counters.emplace("page pools that wait for pages", count(detached));
    // Consumed packets may hold them, on a CPU that has received nothing since: with two CPUs
    // and netdevsim they often do, and with net.core.skb_defer_max=0 never. Asked again, the
    // answer is another one.
    if (pools && std::ranges::any_of(*pools, detached)) free_deferred_packets();
    return counters;
}

// A packet keeps the pages that it lies in, and a socket the packets that wait in it: also one that
// nobody has open any more. What else this machine is connected with is nobody's business.
std::vector<std::string> MachineObserver::who_keeps() {
    std::vector<std::string> said;
    if (!nic_) return said;
    if (const Result<std::vector<PagePool>> pools = page_pools())
        for (const PagePool& pool : *pools)
            if (pool.detach_time)
                said.push_back(
                    fmt::format("Page pool {} has been let go of for {} s and waits for "
                                "{} pages.",
                                pool.id, *pool.detach_time, pool.inflight));
    const Endpoints& ends = surroundings_.endpoints;
    add_sockets("/proc/net/tcp", in_proc(AF_INET, ends.local_v4), said);
    add_sockets("/proc/net/tcp6", in_proc(AF_INET6, ends.local_v6), said);
    return said;
}

Result<std::vector<PagePool>> MachineObserver::page_pools() {
    if (auto followed = follow_interface(); !followed) return followed.error();
    return nic_->netdev().page_pools(true);
}

Result<void> MachineObserver::follow_interface() {
    if (!nic_ || if_nametoindex(nic_->interface().c_str()) == nic_->netdev().ifindex()) return {};
    Result<zcrxlab::Nic> nic = zcrxlab::Nic::open(nic_->interface(), undo_);
    if (!nic) return nic.error();
    nic_ = std::make_unique<zcrxlab::Nic>(*std::move(nic));
    return {};
}

std::vector<Observer::Nic> MachineObserver::nics() {
    std::vector<Nic> list;
    if (!nic_) return list;
    if (auto followed = follow_interface(); !followed) mark(followed.error().sentence);
    Nic nic{nic_->interface(), nic_->snapshot()};
    // A provider that stays is judged on its own (I6).
    std::erase_if(nic.lines, [](const std::string& line) {
        return line.find(" provider: ") != std::string::npos;
    });
    list.push_back(std::move(nic));
    return list;
}

Result<bool> MachineObserver::provider_on(const std::string& interface, uint32_t queue) {
    Result<Netdev> netdev = Netdev::open(interface);
    if (!netdev) return netdev.error();
    // Asked for one queue, the kernel says the same of one that is not there as of a wrong
    // question.
    const Result<std::vector<QueueState>> queues = netdev->receive_queues();
    if (!queues) return queues.error();
    return std::ranges::any_of(
        *queues, [queue](const QueueState& state) { return state.id == queue && state.io_uring; });
}

Result<void> MachineObserver::device_before() {
    if (nic_is_at(surroundings_.target, NicPlace::kGuestDriver)) {
        Result<NetdevsimDevice> device = NetdevsimDevice::open(surroundings_.endpoints.interface);
        if (!device) return device.error();
        simulated_ = *std::move(device);
        return simulated_->takes_faults() ? simulated_->clear_faults() : Result<void>();
    }
    if (control_path_.empty()) return {};
    Result<ControlChannel> channel = ControlChannel::open(control_path_);
    if (!channel) return channel.error();
    if (auto cleared = channel->call(R"({"do":"clear"})"); !cleared) return cleared.error();
    Result<uint64_t> newest = newest_in_log(*channel);
    if (!newest) return newest.error();
    logged_ = *newest;
    return {};
}

// The port is closed in between, because only one process at a time may have it open.
Result<Observer::DeviceTold> MachineObserver::device_after() {
    DeviceTold told;
    if (simulated_ && simulated_->has_log()) {
        Result<DmaWrites> writes = simulated_->take_dma_log();
        if (!writes) return writes.error();
        if (auto cleared = simulated_->clear_faults(); !cleared) return cleared.error();
        told.writes = *std::move(writes);
        told.watched = DriverWatched{.by_device = false};
        return told;
    }
    if (control_path_.empty()) return told;
    Result<ControlChannel> channel = ControlChannel::open(control_path_);
    if (!channel) return channel.error();
    Result<DmaWrites> writes = read_log(*channel, logged_);
    if (!writes) return writes.error();
    if (auto cleared = channel->call(R"({"do":"clear"})"); !cleared) return cleared.error();
    Result<ForbiddenList> asked = channel->forbidden(watched_);
    if (!asked) return asked.error();
    watched_ = asked->newest;
    told.writes = *std::move(writes);
    told.forbidden = std::move(asked->asked);
    told.watched = DriverWatched{.lost = asked->lost};
    return told;
}

}  // namespace zcrxlab
