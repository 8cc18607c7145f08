// zcrx-conform-peer: makes one situation for a receiver, and tells as a line of JSON what it saw.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "harness/base/environment.hpp"
#include "harness/base/exit_code.hpp"
#include "harness/base/number.hpp"
#include "harness/base/result.hpp"
#include "harness/base/slowness.hpp"
#include "harness/conform/peer_account.hpp"
#include "harness/conform/situation.hpp"
#include "harness/targets/control_channel.hpp"
#include "vm/guest/conform/program_processes.hpp"
#include "vm/guest/conform/stream.hpp"

namespace zcrxlab {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;
using Streams = std::vector<std::unique_ptr<Stream>>;

// Peers that have sent nothing for so long cannot send more.
constexpr milliseconds kQuiet{1000};
constexpr milliseconds kLookAtStreamsEvery{20};

struct Order {
    const Situation& situation;
    std::string address_v4, address_v6;  // of the receiver
    uint16_t port;
    bool echo;
    const std::string& address(uint8_t family) const {
        return family == 6 ? address_v6 : address_v4;
    }
};

// The rules of a situation, in the NIC from here on until it is left.
class Faults {
  public:
    Result<void> add(std::string_view rules) {
        const char* const path = std::getenv(environment::kControl);
        if (path == nullptr || *path == '\0')
            return Error{ENOENT, "This NIC cannot be told to make mistakes; leave out --nic."};
        auto channel = ControlChannel::open(path);
        if (!channel) return channel.error();
        channel_ = std::move(*channel);
        for (size_t at = 0; at < rules.size();) {
            const size_t end = std::min(rules.find('\n', at), rules.size());
            const auto added = channel_->call(
                "{\"do\":\"fault\",\"rule\":" + std::string(rules.substr(at, end - at)) + "}");
            if (!added) return added.error();
            at = end + 1;
        }
        return {};
    }
    Faults() = default;
    Faults(const Faults&) = delete;
    Faults& operator=(const Faults&) = delete;
    ~Faults() {
        if (channel_) (void)channel_->call(R"({"do":"clear"})").ok();
    }

  private:
    std::optional<ControlChannel> channel_;
};

void wait_until_quiet(const Streams& streams) {
    uint64_t before = 0;
    auto since = Clock::now();
    for (;;) {
        uint64_t sent = 0;
        bool done = true;
        for (const auto& stream : streams) {
            sent += stream->sent_so_far();
            done = done && stream->done_sending();
        }
        const auto now = Clock::now();
        if (sent != before) since = now;
        before = sent;
        if (done || now >= since + scaled(kQuiet)) return;
        std::this_thread::sleep_for(kLookAtStreamsEvery);
    }
}

// While nothing is said: from a little later, so that what was said before is done with.
void watch_silence(const Situation& situation, PeerAccount& account) {
    const milliseconds part(situation.silent_milliseconds / 3);
    std::this_thread::sleep_for(part);
    const auto from = Clock::now();
    const milliseconds before = time_of_program();
    std::this_thread::sleep_for(part);
    const milliseconds busy = time_of_program() - before;
    const auto silent = std::chrono::duration_cast<milliseconds>(Clock::now() - from);
    account.silent_milliseconds = static_cast<uint64_t>(silent.count());
    account.busy_milliseconds = static_cast<uint64_t>(std::max<int64_t>(busy.count(), 0));
}

void run_streams(const Order& order, PeerAccount& account) {
    const Situation& situation = order.situation;
    Streams streams;
    for (unsigned number = 0; number < situation.connections; ++number)
        streams.push_back(std::make_unique<Stream>(situation, number + 1, order.echo));
    std::latch all_have_begun(static_cast<std::ptrdiff_t>(streams.size()));
    std::latch go_on(1);
    const auto begun = [&] {
        all_have_begun.count_down();
        go_on.wait();
    };
    std::vector<std::thread> threads;
    for (const auto& stream : streams)
        threads.emplace_back([&order, &situation, &begun, one = stream.get()] {
            one->run(order.address(situation.family), order.port, begun);
        });
    all_have_begun.wait();
    if (situation.stops_program) signal_program(SIGSTOP);
    go_on.count_down();
    if (situation.stops_program) {
        wait_until_quiet(streams);
        signal_program(SIGCONT);
    }
    if (situation.silent_milliseconds != 0) watch_silence(situation, account);
    for (std::thread& thread : threads) thread.join();
    for (const auto& stream : streams) account.streams.push_back(stream->account());
}

void run_afterwards(const Order& order, PeerAccount& account) {
    const Situation plain{.name = "afterwards", .summary = "", .bytes = kAfterwardsBytes};
    Stream stream(plain, order.situation.connections + 1, order.echo);
    stream.is_afterwards();
    stream.run(order.address(plain.family), order.port, [] {});
    account.streams.push_back(stream.account());
}

PeerAccount make(const Order& order) {
    PeerAccount account;
    {
        Faults faults;
        if (!order.situation.faults.empty())
            if (auto added = faults.add(order.situation.faults); !added) {
                account.error = added.error().sentence;
                return account;
            }
        run_streams(order, account);
    }
    if (order.situation.afterwards) run_afterwards(order, account);
    return account;
}

}  // namespace
}  // namespace zcrxlab

int main(int argc, char** argv) {
    const zcrxlab::Situation* const situation =
        argc == 4 ? zcrxlab::find_situation(argv[1]) : nullptr;
    const auto port = argc == 4 ? zcrxlab::number_from<uint16_t>(argv[2]) : std::nullopt;
    const char* const v4 = std::getenv(zcrxlab::environment::kLocalV4);
    const char* const v6 = std::getenv(zcrxlab::environment::kLocalV6);
    if (situation == nullptr || !port || v4 == nullptr || v6 == nullptr) {
        fmt::print(stderr,
                   "zcrx-conform-peer: usage: zcrx-conform-peer SITUATION PORT echo|none, with "
                   "LOCAL_V4 and LOCAL_V6\n");
        return zcrxlab::kExitUsage;
    }
    const zcrxlab::Order order{*situation, v4, v6, *port, std::string_view(argv[3]) == "echo"};
    fmt::print("{}\n", zcrxlab::to_json(zcrxlab::make(order)));
    return 0;
}
