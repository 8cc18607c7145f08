// The NIC counts what comes from the client, and the kernel's tables of sockets tell how far it is.
#include "vm/guest/conform/client_situation.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/base/slowness.hpp"
#include "vm/guest/conform/nic_rules.hpp"
#include "vm/guest/conform/program_processes.hpp"
#include "vm/guest/tcp_sockets.hpp"

namespace zcrxlab {

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// Amid its packets is behind so many of them with payload: whatever it has to say first was said.
constexpr uint64_t kUnderWay = 30;
constexpr milliseconds kAskEvery{5};
// Who has sent nothing for so long cannot send more.
constexpr milliseconds kClientQuiet{1000};
// So long a program that was started again may need until it listens, and one whose client is gone
// until it closes.
constexpr milliseconds kListenPatience{20'000}, kClosePatience{10'000};
// A program may keep what its first clients made it get; from then on it is compared.
constexpr unsigned kFirstRuns = 3;

bool happens_amid_packets(const Situation& situation) {
    return situation.stops_program || situation.kills_program || situation.silent_milliseconds != 0;
}

// Bytes that wait to be read by the program.
uint64_t unread_by_program() {
    uint64_t bytes = 0;
    for (const TcpSocket& socket : tcp_sockets(kInitOfGuest))
        if (socket.state != kTcpListen) bytes += socket.unread;
    return bytes;
}

// Connections of ours that could not bring all.
uint64_t held_back() {
    const auto sockets = tcp_sockets(::getpid());
    return static_cast<uint64_t>(std::ranges::count_if(sockets, [](const TcpSocket& socket) {
        return socket.state != kTcpListen && socket.unacknowledged != 0;
    }));
}

// False if the client ended before.
bool wait_until_under_way(Client& client, NicRules& rules) {
    for (;;) {
        if (const auto seen = rules.packets(); seen && *seen >= kUnderWay) return client.runs();
        if (!client.runs()) return false;
        std::this_thread::sleep_for(kAskEvery);
    }
}

void wait_until_quiet(Client& client) {
    uint64_t before = 0;
    auto since = Clock::now();
    while (client.runs() && Clock::now() < since + scaled(kClientQuiet)) {
        const uint64_t unread = unread_by_program();
        if (unread != before) since = Clock::now();
        before = unread;
        std::this_thread::sleep_for(kAskEvery);
    }
}

void stop_program(Client& client, NicRules& rules, PeerAccount& account) {
    signal_program(SIGSTOP);
    const auto before = rules.packets();
    wait_until_quiet(client);
    const auto after = rules.packets();
    if (before && after) account.packets_meanwhile = *after - *before;
    account.held_back = held_back();
    signal_program(SIGCONT);
}

// A client that was done by itself keeps nobody busy either.
void be_silent(Client& client, const Situation& situation, PeerAccount& account) {
    const milliseconds part(situation.silent_milliseconds / 3);
    if (client.runs()) signal_beside_us(SIGSTOP);
    std::this_thread::sleep_for(part);
    const ProgramTime time = watch_program(part);
    account.silent_milliseconds = time.watched;
    account.busy_milliseconds = time.busy;
    std::this_thread::sleep_for(part);
    signal_beside_us(SIGCONT);
}

Result<void> run_amid_mistakes(const Situation& situation, const ClientOrder& order,
                               PeerAccount& account) {
    NicRules rules;
    if (!situation.faults.empty())
        if (auto added = rules.add(situation.faults); !added) return added;
    const bool amid = happens_amid_packets(situation);
    if (amid)
        if (auto counts = rules.count_packets(); !counts) return counts;
    auto client = Client::start(order);
    if (!client) return client.error();
    const bool under_way = amid && wait_until_under_way(*client, rules);
    if (under_way && situation.stops_program) stop_program(*client, rules, account);
    if (under_way && situation.kills_program) signal_program(SIGKILL);
    if (situation.silent_milliseconds != 0) be_silent(*client, situation, account);
    if (situation.slows_program) slow_program_down([&] { return !client->runs(); });
    account.client_was_done = !under_way && (situation.stops_program || situation.kills_program);
    account.clients.push_back(client->wait());
    const auto idle = rules.idle();
    if (!idle) return idle.error();
    account.idle_rules = *idle;
    return {};
}

Result<void> run_one_by_one(const ClientOrder& order, PeerAccount& account) {
    ProgramUse before;
    for (unsigned number = 0; number < kClientRunsOneByOne; ++number) {
        if (number == kFirstRuns) before = use_of_program();
        auto client = Client::start(order);
        if (!client) return client.error();
        account.clients.push_back(client->wait());
        // What a first one shows, the others need not show in their turn.
        if (!account.clients.back().went_well()) return {};
    }
    const ProgramUse after = use_of_program();
    account.growth = Growth{.connections = kClientRunsOneByOne - kFirstRuns,
                            .memory_before = before.memory,
                            .memory_after = after.memory,
                            .files_before = before.files,
                            .files_after = after.files};
    return {};
}

Result<void> run_afterwards(const ClientOrder& order, uint16_t port, PeerAccount& account) {
    // Who was started again may need a while.
    const auto give_up = Clock::now() + scaled(kListenPatience);
    const std::vector<uint16_t> ports(port == 0 ? 0 : 1, port);
    while (!listens(kInitOfGuest, ports) && Clock::now() < give_up)
        std::this_thread::sleep_for(kAskEvery);
    auto client = Client::start(order);
    if (!client) return client.error();
    account.clients.push_back(client->wait());
    account.clients.back().afterwards = true;
    return {};
}

uint64_t connections_left_open() {
    const auto give_up = Clock::now() + scaled(kClosePatience);
    for (;;) {
        const auto sockets = tcp_sockets(kInitOfGuest);
        const auto open = std::ranges::count(sockets, kTcpCloseWait, &TcpSocket::state);
        if (open == 0 || Clock::now() >= give_up) return static_cast<uint64_t>(open);
        std::this_thread::sleep_for(kAskEvery);
    }
}

}  // namespace

PeerAccount make_with_client(const Situation& situation, uint16_t port, const ClientOrder& client) {
    PeerAccount account;
    // Of a round that ended without us.
    end_beside_us();
    Result<void> made = run_amid_mistakes(situation, client, account);
    if (made && situation.one_by_one != 0) made = run_one_by_one(client, account);
    if (made && situation.afterwards) made = run_afterwards(client, port, account);
    if (!made) account.error = made.error().sentence;
    account.left_open = connections_left_open();
    return account;
}

}  // namespace zcrxlab
