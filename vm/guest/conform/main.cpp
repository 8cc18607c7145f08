// zcrx-conform-peer: makes one situation for a receiver, by itself or around the receiver's own
// client, and tells as a line of JSON what it saw.
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
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "harness/base/environment.hpp"
#include "harness/base/exit_code.hpp"
#include "harness/base/file.hpp"
#include "harness/base/number.hpp"
#include "harness/base/result.hpp"
#include "harness/base/slowness.hpp"
#include "harness/conform/check.hpp"
#include "harness/conform/peer_account.hpp"
#include "harness/conform/situation.hpp"
#include "vm/guest/conform/client_situation.hpp"
#include "vm/guest/conform/nic_rules.hpp"
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
// A program may keep what its first connections made it get; from then on it is compared.
constexpr unsigned kFirstConnections = 20;
constexpr const char* kSackPath = "/proc/sys/net/ipv4/tcp_sack";

struct Order {
    const Situation& situation;
    std::string address_v4, address_v6;  // of the receiver
    uint16_t port;
    Check check;
    const std::string& address(uint8_t family) const {
        return family == 6 ? address_v6 : address_v4;
    }
};

bool all_done(const Streams& streams) {
    return std::ranges::all_of(streams, [](const auto& stream) { return stream->done_sending(); });
}

// So many could not be sent on then.
uint64_t wait_until_quiet(const Streams& streams) {
    uint64_t before = 0;
    auto since = Clock::now();
    for (;;) {
        uint64_t sent = 0;
        for (const auto& stream : streams) sent += stream->sent_so_far();
        const auto now = Clock::now();
        if (sent != before) since = now;
        before = sent;
        if (all_done(streams) || now >= since + scaled(kQuiet))
            return static_cast<uint64_t>(std::ranges::count_if(
                streams, [](const auto& stream) { return !stream->done_sending(); }));
        std::this_thread::sleep_for(kLookAtStreamsEvery);
    }
}

void run_streams(const Order& order, PeerAccount& account) {
    const Situation& situation = order.situation;
    Streams streams;
    for (unsigned number = 0; number < situation.connections; ++number)
        streams.push_back(std::make_unique<Stream>(situation, number + 1, order.check));
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
    if (situation.slows_program) halt_program_where_it_waits();
    if (situation.stops_program) signal_program(SIGSTOP);
    if (situation.kills_program) signal_program(SIGKILL);
    go_on.count_down();
    if (situation.stops_program) {
        account.held_back = wait_until_quiet(streams);
        signal_program(SIGCONT);
    }
    if (situation.slows_program) slow_program_down([&] { return all_done(streams); });
    if (situation.silent_milliseconds != 0) {
        const milliseconds part(situation.silent_milliseconds / 3);
        // From a little later, so that what was said before is done with.
        std::this_thread::sleep_for(part);
        const ProgramTime time = watch_program(part);
        account.silent_milliseconds = time.watched;
        account.busy_milliseconds = time.busy;
    }
    for (std::thread& thread : threads) thread.join();
    for (const auto& stream : streams) account.streams.push_back(stream->account());
}

void run_one_by_one(const Order& order, PeerAccount& account) {
    const Situation& situation = order.situation;
    ProgramUse before;
    for (unsigned number = 0; number < situation.one_by_one; ++number) {
        if (number == kFirstConnections) before = use_of_program();
        Stream stream(situation, situation.connections + number + 1, order.check);
        stream.run(order.address(situation.family), order.port, [] {});
        account.streams.push_back(stream.account());
        // What a first one shows, the others need not show in their turn, for as long as it takes.
        if (stream.account().end != SeenEnd::kClosed) return;
    }
    const ProgramUse after = use_of_program();
    account.growth = Growth{.connections = situation.one_by_one - kFirstConnections,
                            .memory_before = before.memory,
                            .memory_after = after.memory,
                            .files_before = before.files,
                            .files_after = after.files};
}

void run_afterwards(const Order& order, PeerAccount& account) {
    const Situation plain{.name = "afterwards", .summary = "", .bytes = kAfterwardsBytes};
    Stream stream(plain, order.situation.connections + order.situation.one_by_one + 1, order.check);
    stream.is_afterwards();
    if (order.situation.kills_program) stream.waits_for_listener();
    stream.run(order.address(plain.family), order.port, [] {});
    account.streams.push_back(stream.account());
}

PeerAccount make(const Order& order) {
    PeerAccount account;
    if (order.situation.without_sack)
        if (auto written = write_file(kSackPath, "0"); !written) {
            account.error = written.error().sentence;
            return account;
        }
    {
        NicRules rules;
        if (!order.situation.faults.empty())
            if (auto added = rules.add(order.situation.faults); !added) {
                account.error = added.error().sentence;
                return account;
            }
        run_streams(order, account);
    }
    if (order.situation.without_sack) (void)write_file(kSackPath, "1").ok();
    if (order.situation.one_by_one != 0) run_one_by_one(order, account);
    if (order.situation.afterwards) run_afterwards(order, account);
    return account;
}

// As the host writes them behind the others: the command, seconds, and nothing more for root, or
// the user, the group and further groups.
std::optional<ClientOrder> client_from(std::span<char*> words) {
    const auto seconds = number_from<unsigned>(words[1]);
    std::vector<uint32_t> numbers;
    for (const char* word : words.subspan(2)) {
        const auto number = number_from<uint32_t>(word);
        if (!number) return std::nullopt;
        numbers.push_back(*number);
    }
    if (!seconds || numbers.size() == 1) return std::nullopt;
    ClientOrder order{words[0], std::chrono::seconds(*seconds), std::nullopt};
    if (!numbers.empty())
        order.user = GuestUser{numbers[0], numbers[1], {numbers.begin() + 2, numbers.end()}};
    return order;
}

}  // namespace
}  // namespace zcrxlab

int main(int argc, char** argv) {
    using namespace zcrxlab;
    const std::span<char*> words(argv, static_cast<size_t>(argc));
    const bool has_client = words.size() >= 6;
    const char* const v4 = std::getenv(environment::kLocalV4);
    const char* const v6 = std::getenv(environment::kLocalV6);
    const auto usage = [] {
        fmt::print(stderr,
                   "zcrx-conform-peer: usage: zcrx-conform-peer SITUATION PORT echo|sha256|none "
                   "[CLIENT SECONDS [USER GROUP...]], with LOCAL_V4 and LOCAL_V6\n");
        return kExitUsage;
    };
    if ((words.size() != 4 && !has_client) || v4 == nullptr || v6 == nullptr) return usage();
    const Situation* const situation = find_situation(words[1]);
    const auto port = number_from<uint16_t>(words[2]);
    const auto check = check_from(words[3]);
    if (situation == nullptr || !port || !check) return usage();
    PeerAccount account;
    if (has_client) {
        const auto client = client_from(words.subspan(4));
        if (!client) return usage();
        account = make_with_client(*situation, *port, *client);
    } else {
        account = make({*situation, v4, v6, *port, *check});
    }
    // A client may have left a line without its end.
    fmt::print("\n{}\n", to_json(account));
    return 0;
}
