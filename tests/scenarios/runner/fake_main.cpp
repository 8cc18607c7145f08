// A scenario program whose scenarios and surroundings are fakes, for the runner's unit tests.
#include <cstdlib>

#include "scenarios/runner/program.hpp"

namespace zcrxlab {
namespace {

// What it sees is ordered through FAKE_* variables.
class FakeObserver : public Observer {
  public:
    FakeObserver() {
        surroundings_.target = "fake";
        surroundings_.abilities.zero_copy = true;
        surroundings_.abilities.header_split = true;
        surroundings_.abilities.queues = 4;
        surroundings_.abilities.outages = true;
        surroundings_.features = {Feature::kZcrx};
        surroundings_.memory_available = uint64_t{1} << 30;
        surroundings_.root = true;
        const char* release = std::getenv("FAKE_RELEASE");
        surroundings_.release = release != nullptr ? release : "7.3.4";
    }

    const Surroundings& surroundings() const override { return surroundings_; }
    void mark(const std::string&) override {}
    std::vector<KernelMessage> kernel_messages() override {
        // Before a scenario, in it, and behind it.
        static constexpr const char* kMoments[] = {"FAKE_EARLY_WARNING", "FAKE_WARNING",
                                                   "FAKE_LATE_WARNING"};
        if (!asked_for(kMoments[log_reads_++ % 3])) return {};
        return {{4, "WARNING: CPU: 0 PID: 1 at io_uring/zcrx.c:1 fake+0x1/0x2"}};
    }
    std::vector<std::string> lost_memory() override {
        if (!asked_for("FAKE_LOST_MEMORY") || leak_reads_++ > 0) return {};
        return {"unreferenced object 0x1 (size 64):\n"};
    }
    Counters counters() override {
        ++counter_reads_;
        Result<int64_t> pinned = asked_for("FAKE_LEAK") && counter_reads_ > 1 ? 7 : 0;
        // What the first scenario left goes away in the second one.
        if (asked_for("FAKE_LEAK_FOR_A_WHILE") && counter_reads_ > 1 && nic_reads_ < 3) pinned = 7;
        if (asked_for("FAKE_BLIND_FROM_THE_START") ||
            (asked_for("FAKE_BLINDNESS") && counter_reads_ > 1))
            pinned = Error{EACCES, "the pinned pages are a secret"};
        if (asked_for("FAKE_LOST_COUNTER") && counter_reads_ > 1) return {};
        return {{"pinned pages", pinned}};
    }
    std::vector<std::string> who_keeps() override { return {"Page pool 1 waits for 7 pages."}; }
    std::vector<Nic> nics() override {
        ++nic_reads_;
        Nic nic{"eth0", {"tcp-data-split: on"}};
        if (asked_for("FAKE_RULE") && nic_reads_ == 2) rule_ = true;
        if (rule_) nic.lines.emplace_back("rule 1");
        return {nic};
    }
    void restore_nics() override { rule_ = false; }
    Result<bool> provider_on(const std::string&, uint32_t) override {
        if (asked_for("FAKE_DEAF_KERNEL")) return Error{ENOBUFS, "the kernel does not answer"};
        return asked_for("FAKE_PROVIDER") || ++provider_reads_ < 3;
    }
    Result<void> device_before() override { return {}; }
    Result<DeviceTold> device_after() override {
        if (asked_for("FAKE_DEAD_DEVICE")) return Error{EIO, "The device is dead."};
        DeviceTold told;
        told.watched = DriverWatched{};
        if (asked_for("FAKE_WILD_DOORBELL"))
            told.forbidden.push_back(
                {.number = 1, .kind = "doorbell", .what = "it was rung wildly"});
        return told;
    }

  private:
    static bool asked_for(const char* name) { return std::getenv(name) != nullptr; }

    Surroundings surroundings_;
    bool rule_ = false;
    int log_reads_ = 0, counter_reads_ = 0, nic_reads_ = 0, provider_reads_ = 0, leak_reads_ = 0;
};

}  // namespace
}  // namespace zcrxlab

int main(int argc, char** argv) {
    return zcrxlab::scenario_program(
        argc, argv, []() -> zcrxlab::Result<std::unique_ptr<zcrxlab::Observer>> {
            return std::unique_ptr<zcrxlab::Observer>(std::make_unique<zcrxlab::FakeObserver>());
        });
}
