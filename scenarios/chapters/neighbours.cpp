// Chapter neighbours: what the rest of the kernel makes of payload that it cannot read: a refusal,
// or the right bytes, and in no case is a byte lost for the request that comes after.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "harness/base/errno_name.hpp"
#include "harness/ring/pattern.hpp"
#include "scenarios/chapters/mapped_read.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/placement.hpp"

namespace zcrxlab::neighbours {
namespace {

using namespace std::chrono_literals;

constexpr uint64_t kWaiting = 40000;  // bytes that lie in the socket
const Needs kUnreadable{.where = Where::kDevice, .queues = 1};

Read result_of(ssize_t got, const std::vector<std::byte>& room, bool taken) {
    if (got < 0) return {.code = errno};
    return {.bytes = {room.begin(), room.begin() + got}, .taken = taken && got > 0};
}

Read receive_with(int socket, int flags) {
    std::vector<std::byte> room(kRoom);
    const ssize_t got = ::recv(socket, room.data(), room.size(), flags | MSG_DONTWAIT);
    return result_of(got, room, (flags & MSG_PEEK) == 0);
}

Read receive_scattered(int socket) {
    std::vector<std::byte> room(kRoom);
    iovec parts[] = {{room.data(), 100}, {room.data() + 100, kRoom - 100}};
    return result_of(::readv(socket, parts, 2), room, true);
}

Read receive_several(int socket) {
    std::vector<std::byte> room(kRoom);
    iovec part{room.data(), room.size()};
    mmsghdr messages[1]{};
    messages[0].msg_hdr.msg_iov = &part;
    messages[0].msg_hdr.msg_iovlen = 1;
    const int count = ::recvmmsg(socket, messages, 1, MSG_DONTWAIT, nullptr);
    return result_of(count < 0 ? -1 : static_cast<ssize_t>(messages[0].msg_len), room, true);
}

Read splice_out(int socket) {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return {.code = errno};
    const Fd from(ends[0]), to(ends[1]);
    std::vector<std::byte> room(kRoom);
    ssize_t got = ::splice(socket, nullptr, ends[1], nullptr, kRoom, SPLICE_F_NONBLOCK);
    if (got > 0) got = ::read(ends[0], room.data(), static_cast<size_t>(got));
    return result_of(got, room, true);
}

struct Reader {
    const char* name;
    Read (*read)(int socket);
    std::string_view claims;
};
constexpr Reader kReaders[] = {
    {"recv", [](int s) { return receive_with(s, 0); }, "neighbours.plain-recv"},
    {"recv_waitall", [](int s) { return receive_with(s, MSG_WAITALL); }, "neighbours.plain-recv"},
    {"readv", receive_scattered, "neighbours.plain-recv"},
    {"recvmmsg", receive_several, "neighbours.plain-recv"},
    {"peek", [](int s) { return receive_with(s, MSG_PEEK); }, "neighbours.peek"},
    {"splice", splice_out, "neighbours.splice"},
    {"zerocopy_receive", [](int s) { return map_pages(s, false); }, "neighbours.zerocopy-receive"},
    {"zerocopy_receive_copied", [](int s) { return map_pages(s, true); },
     "neighbours.zerocopy-receive"},
};

// Bytes must be right; none of them is a refusal, for which success would be the end of the stream,
// and any other errno something else that went wrong.
void expect_refused_or_right(Scene& scene, const Read& read, uint64_t seed) {
    scene.note(read.code != 0 ? "refused with " + errno_name(read.code)
                              : std::to_string(read.bytes.size()) + " bytes");
    if (read.code != 0) {
        EXPECT_EQ(read.code, EFAULT) << "It is refused with " << errno_name(read.code) << ".";
        return;
    }
    EXPECT_TRUE(!read.bytes.empty() || read.waits)
        << "It says that the stream has ended, and " << kWaiting << " bytes wait.";
    const auto wrong = Pattern(seed).compare(read.bytes, 0);
    EXPECT_FALSE(wrong.has_value()) << "Byte " << (wrong ? wrong->position : 0) << " is wrong.";
}

SCENARIO_TABLE(neighbours, reader,
               "who reads unreadable payload in another way is refused or gets the right bytes",
               Terms(kUnreadable).within(20s), kReaders, row) {
    ReceivePath rx(scene);
    const uint32_t stream = rx.connect({.bytes = kWaiting, .end = PeerEnd::kIdle, .armed = false});
    rx.wait_for_queued(stream, kWaiting);
    const Read read = row.read(rx.socket(stream));
    expect_refused_or_right(scene, read, rx.seed(stream));
    if (read.taken) {
        scene.trace().add(StreamFinished{stream, false});
        return;
    }
    rx.arm(stream);
    rx.receive(kWaiting);
    EXPECT_EQ(rx.receiver().total_bytes(), kWaiting);
    rx.abandon();
}

// Whether a thread of this process sleeps, by proc_pid_stat(5).
bool sleeps(pid_t thread) {
    std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
    std::string text;
    std::getline(file, text);
    const size_t name_ends = text.rfind(')');
    return name_ends != std::string::npos && text.compare(name_ends, 3, ") S") == 0;
}

// While another thread sleeps in recv().
SCENARIO(neighbours, sleeping_recv,
         "a recv that waits when unreadable payload comes is refused or gets the right bytes",
         Terms(kUnreadable).within(20s).claims({"neighbours.plain-recv"})) {
    ReceivePath rx(scene);
    const uint32_t stream = rx.connect({.bytes = 0, .end = PeerEnd::kIdle, .armed = false});
    const timeval bound{.tv_sec = scene.milliseconds_left() / 2000, .tv_usec = 0};
    ::setsockopt(rx.socket(stream), SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof bound);
    Read read;
    std::atomic<pid_t> thread{0};
    std::thread sleeper([&] {
        std::vector<std::byte> room(kRoom);
        thread = ::gettid();
        read = result_of(::recv(rx.socket(stream), room.data(), room.size(), 0), room, true);
    });
    scene.wait_for("The thread never slept in recv().",
                   [&] { return thread != 0 && sleeps(thread); });
    rx.peer(stream).send_more(kWaiting);
    sleeper.join();
    expect_refused_or_right(scene, read, rx.seed(stream));
    if (read.code == 0) {
        scene.trace().add(StreamFinished{stream, false});
        return;
    }
    rx.arm(stream);
    rx.receive(kWaiting);
    rx.abandon();
}

// The other order: a request is armed, and somebody else comes along again and again.
SCENARIO(neighbours, peeks_beside_a_request,
         "reading in other ways beside an armed request costs it no byte",
         Terms(kUnreadable).claims({"neighbours.peek"})) {
    ReceivePath rx(scene);
    const uint32_t stream = rx.connect({.bytes = 2 << 20});
    uint32_t refused = 0, peeked = 0;
    rx.receiver().on_data = [&](uint32_t, const Completion&, auto) {
        const Read read = receive_with(rx.socket(stream), MSG_PEEK);
        refused += read.code != 0 ? 1 : 0;
        peeked += read.code == 0 ? 1 : 0;
        EXPECT_TRUE(read.code == 0 || read.code == EFAULT || read.code == EAGAIN)
            << errno_name(read.code);
        // The end of the stream may be seen, but none of its bytes.
        EXPECT_TRUE(read.bytes.empty()) << read.bytes.size() << " bytes were shown.";
    };
    rx.receive_all();
    scene.note(std::to_string(refused) + " refused, " + std::to_string(peeked) + " not");
    EXPECT_GT(refused + peeked, 0U);
}

}  // namespace
}  // namespace zcrxlab::neighbours
