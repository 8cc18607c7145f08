// Chapter neighbours: protocols on top of TCP and beside it, when payload cannot be read.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/bpf.h>
#include <linux/tls.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "harness/base/errno_name.hpp"
#include "harness/net/namespace.hpp"
#include "harness/ring/pattern.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab::neighbours_protocols {
namespace {

constexpr size_t kSent = 20000;
constexpr int kMptcp = 262;     // IPPROTO_MPTCP
constexpr int kTlsLevel = 282;  // SOL_TLS
const Needs kUnreadable{.where = Where::kDevice, .flow_rules = true, .queues = 1};

void steer_port(Scene& scene, ReceivePath& rx, uint16_t port) {
    FlowRule rule;
    rule.family = 4;
    rule.destination_port = port;
    rule.queue = rx.queue();
    scene.steer(rule);
}

// A TCP connection whose packets go to the rx's queue, and which nothing receives from.
TcpPair steered_pair(Scene& scene, ReceivePath& rx) {
    TcpOptions options;
    options.local = scene.endpoints().local_v4;
    options.peer = scene.endpoints().peer_v4;
    options.peer_namespace = scene.endpoints().peer_namespace;
    const TcpListener listener = scene.must(tcp_listen(options));
    steer_port(scene, rx, listener.port);
    return scene.must(tcp_connect(listener, options));
}

// RECV_ZC is for sockets of plain TCP.
void expect_no_zero_copy(Scene& scene, ReceivePath& rx, int socket, const std::string& what) {
    io_uring_sqe& entry = *scene.must(rx.ring().next_sqe());
    entry.opcode = uapi::kOpRecvZc;
    entry.fd = socket;
    entry.ioprio = uapi::kRecvMultishot;
    entry.splice_fd_in = static_cast<int32_t>(rx.ifq().zcrx_id());
    rx.receiver().expect_other(entry.user_data, "recv_zc");
    const auto refused = scene.must(rx.receiver().next_other(scene.time_left()));
    ASSERT_TRUE(refused.has_value());
    const int32_t seen = refused->result;
    scene.returned("RECV_ZC on " + what, EPROTONOSUPPORT, seen < 0 ? -seen : 0);
}

// Sends, and reads what comes: all of the right bytes, or some of them and then a refusal.
void send_and_look(Scene& scene, int from, int to) {
    const Pattern pattern(scene.seed());
    std::vector<std::byte> sent(kSent), room(kSent);
    pattern.fill(sent, 0);
    if (::send(from, sent.data(), sent.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(kSent))
        scene.give_up(error_from_errno("send").sentence);
    size_t position = 0;
    int code = 0;
    while (position < kSent && code == 0) {
        pollfd ready{to, POLLIN, 0};
        if (::poll(&ready, 1, scene.milliseconds_left()) == 0)
            scene.give_up("Neither a byte nor a refusal came after " + std::to_string(position) +
                          " of " + std::to_string(kSent) + " bytes.");
        const ssize_t got = ::recv(to, room.data(), room.size(), MSG_DONTWAIT);
        if (got < 0) {
            code = errno;
            break;
        }
        EXPECT_GT(got, 0) << "It says that the stream has ended after " << position << " bytes.";
        if (got == 0) break;
        const std::span seen(room.data(), static_cast<size_t>(got));
        const auto wrong = pattern.compare(seen, position);
        ASSERT_FALSE(wrong.has_value()) << "Byte " << (wrong ? wrong->position : 0) << " is wrong.";
        position += seen.size();
    }
    scene.note(std::to_string(position) + " of " + std::to_string(kSent) + " bytes were read" +
               (code != 0 ? ", then " + errno_name(code) : ""));
    EXPECT_TRUE(code == 0 || code == EFAULT) << "It is refused with " << errno_name(code) << ".";
}

// ---- TLS in the kernel

bool encrypt(int socket, int direction) {
    tls12_crypto_info_aes_gcm_128 keys{};
    keys.info.version = TLS_1_2_VERSION;
    keys.info.cipher_type = TLS_CIPHER_AES_GCM_128;
    std::memset(keys.key, 7, sizeof keys.key);
    return ::setsockopt(socket, IPPROTO_TCP, TCP_ULP, "tls", 4) == 0 &&
           ::setsockopt(socket, kTlsLevel, direction, &keys, sizeof keys) == 0;
}

SCENARIO(
    neighbours, kernel_tls,
    "kernel TLS refuses records that it cannot read, or delivers their content right",
    Terms(kUnreadable).within(std::chrono::seconds(20)).claims({"neighbours.other-protocols"})) {
    ReceivePath rx(scene);
    const TcpPair pair = steered_pair(scene, rx);
    if (!encrypt(pair.receiver.get(), TLS_RX) || !encrypt(pair.peer.get(), TLS_TX)) {
        if (errno != ENOENT) scene.give_up(error_from_errno("switch TLS on").sentence);
        GTEST_SKIP() << "The kernel has no TLS, or no AES-GCM without more modules; type: zcrxlab "
                        "run --kernel 7.3";
    }
    expect_no_zero_copy(scene, rx, pair.receiver.get(), "a TLS socket");
    send_and_look(scene, pair.peer.get(), pair.receiver.get());
}

// ---- Multipath TCP

SCENARIO(
    neighbours, mptcp, "Multipath TCP refuses what it cannot read, or delivers it right",
    Terms(kUnreadable).within(std::chrono::seconds(20)).claims({"neighbours.other-protocols"})) {
    ReceivePath rx(scene);
    const Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, kMptcp));
    if (!listener) GTEST_SKIP() << "The kernel has no Multipath TCP (CONFIG_MPTCP).";
    sockaddr_in address{};
    address.sin_family = AF_INET;
    ::inet_pton(AF_INET, scene.endpoints().local_v4.c_str(), &address.sin_addr);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    ASSERT_EQ(::bind(listener.get(), generic, size), 0);
    ASSERT_EQ(::listen(listener.get(), 1), 0);
    ASSERT_EQ(::getsockname(listener.get(), generic, &size), 0);
    steer_port(scene, rx, ntohs(address.sin_port));
    const Fd peer =
        scene.must(in_namespace_get<Fd>(scene.endpoints().peer_namespace, [&]() -> Result<Fd> {
            Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, kMptcp));
            if (!socket || ::connect(socket.get(), generic, size) != 0)
                return error_from_errno("connect over Multipath TCP");
            return socket;
        }));
    const Fd receiver(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    ASSERT_TRUE(receiver);
    expect_no_zero_copy(scene, rx, receiver.get(), "a Multipath TCP socket");
    send_and_look(scene, peer.get(), receiver.get());
}

// ---- sockmap

int bpf(int command, bpf_attr& attributes) {
    return static_cast<int>(::syscall(SYS_bpf, command, &attributes, sizeof attributes));
}

Fd make_sockmap() {
    bpf_attr attributes{};
    attributes.map_type = BPF_MAP_TYPE_SOCKMAP;
    attributes.key_size = attributes.value_size = sizeof(int);
    attributes.max_entries = 1;
    return Fd(bpf(BPF_MAP_CREATE, attributes));
}

// A program that lets every packet pass on to the socket itself.
Fd load_verdict() {
    const bpf_insn program[] = {
        {.code = BPF_ALU64 | BPF_MOV | BPF_K,
         .dst_reg = BPF_REG_0,
         .src_reg = 0,
         .off = 0,
         .imm = 1},
        {.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0}};
    bpf_attr attributes{};
    attributes.prog_type = BPF_PROG_TYPE_SK_SKB;
    attributes.insns = reinterpret_cast<uintptr_t>(program);
    attributes.insn_cnt = 2;
    attributes.license = reinterpret_cast<uintptr_t>("GPL");
    attributes.expected_attach_type = BPF_SK_SKB_STREAM_VERDICT;
    return Fd(bpf(BPF_PROG_LOAD, attributes));
}

void through_sockmap(Scene& scene, bool verdict) {
    ReceivePath rx(scene);
    const TcpPair pair = steered_pair(scene, rx);
    const Fd map = make_sockmap();
    if (!map) {
        if (errno != EINVAL && errno != ENOSYS)
            scene.give_up(error_from_errno("make a sockmap").sentence);
        GTEST_SKIP() << "The kernel has no sockmap (CONFIG_BPF_SYSCALL, CONFIG_INET).";
    }
    if (verdict) {
        const Fd program = load_verdict();
        if (!program) scene.give_up(error_from_errno("load a program").sentence);
        bpf_attr attributes{};
        attributes.target_fd = static_cast<uint32_t>(map.get());
        attributes.attach_bpf_fd = static_cast<uint32_t>(program.get());
        attributes.attach_type = BPF_SK_SKB_STREAM_VERDICT;
        if (bpf(BPF_PROG_ATTACH, attributes) != 0)
            scene.give_up(error_from_errno("attach a program").sentence);
    }
    const int key = 0, value = pair.receiver.get();
    bpf_attr attributes{};
    attributes.map_fd = static_cast<uint32_t>(map.get());
    attributes.key = reinterpret_cast<uintptr_t>(&key);
    attributes.value = reinterpret_cast<uintptr_t>(&value);
    if (bpf(BPF_MAP_UPDATE_ELEM, attributes) != 0)
        scene.give_up(error_from_errno("put a socket into a sockmap").sentence);
    expect_no_zero_copy(scene, rx, pair.receiver.get(), "a socket in a sockmap");
    send_and_look(scene, pair.peer.get(), pair.receiver.get());
}

SCENARIO(
    neighbours, sockmap, "a socket in a sockmap refuses what it cannot read, or delivers it right",
    Terms(kUnreadable).within(std::chrono::seconds(20)).claims({"neighbours.other-protocols"})) {
    through_sockmap(scene, false);
}

SCENARIO(
    neighbours, sockmap_verdict,
    "a sockmap with a program does not break over payload that cannot be read",
    Terms(kUnreadable).within(std::chrono::seconds(20)).claims({"neighbours.other-protocols"})) {
    through_sockmap(scene, true);
}

}  // namespace
}  // namespace zcrxlab::neighbours_protocols
