// Chapter neighbours: classifiers, which meet packets between NIC and IP, and ask for payload that
// cannot be read.
#include <gtest/gtest.h>
#include <linux/bpf.h>
#include <net/if.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <vector>

#include "harness/base/fd.hpp"
#include "scenarios/chapters/device_datagrams.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/bpf.hpp"
#include "scenarios/framework/surroundings/coalescing.hpp"

namespace zcrxlab::neighbours_classifiers {
namespace {

const Needs kUnreadable{.where = Where::kDevice, .queues = 1};
constexpr uint32_t kTcxIngress = 46;   // BPF_TCX_INGRESS (Linux 6.6)
constexpr int32_t kPass = 0;           // TCX_PASS
constexpr int32_t kWithPayload = 400;  // bytes: no packet without payload is as long
constexpr uint8_t kContext = BPF_REG_6;

// ---- programs

constexpr bpf_insn instruction(uint8_t code, uint8_t to, uint8_t from, int16_t offset,
                               int32_t value) {
    return {.code = code, .dst_reg = to, .src_reg = from, .off = offset, .imm = value};
}
constexpr bpf_insn set(uint8_t to, int32_t value) {
    return instruction(BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, value);
}
constexpr bpf_insn copy(uint8_t to, uint8_t from) {
    return instruction(BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0);
}
constexpr bpf_insn call(int32_t function) {
    return instruction(BPF_JMP | BPF_CALL, 0, 0, 0, function);
}
constexpr bpf_insn load_length(uint8_t to) {
    return instruction(BPF_LDX | BPF_MEM | BPF_W, to, kContext, offsetof(__sk_buff, len), 0);
}
constexpr bpf_insn point_into_stack(uint8_t to, int32_t below) {
    return instruction(BPF_ALU64 | BPF_ADD, to, 0, 0, below);  // BPF_K is 0
}

// Runs `body` for packets with payload, and lets every packet pass. The length is in register 2.
std::vector<bpf_insn> for_payload(const std::vector<bpf_insn>& body) {
    std::vector<bpf_insn> code = {copy(kContext, BPF_REG_1), load_length(BPF_REG_2),
                                  instruction(BPF_JMP | BPF_JLT | BPF_K, BPF_REG_2, 0,
                                              static_cast<int16_t>(body.size()), kWithPayload)};
    code.insert(code.end(), body.begin(), body.end());
    code.push_back(set(BPF_REG_0, kPass));
    code.push_back(instruction(BPF_JMP | BPF_EXIT, 0, 0, 0, 0));
    return code;
}

Fd put_in_the_way(Scene& scene, const std::vector<bpf_insn>& code) {
    const Fd program = scene.must(load_program(BPF_PROG_TYPE_SCHED_CLS, code));
    return scene.must(
        attach_program(program, if_nametoindex(scene.endpoints().interface.c_str()), kTcxIngress));
}

// ---- what they ask for

// How often a program was told yes, and how often no.
class Answers {
  public:
    explicit Answers(Scene& scene) : scene_(scene) {
        bpf_attr create{};
        create.map_type = BPF_MAP_TYPE_ARRAY;
        create.key_size = sizeof(uint32_t);
        create.value_size = sizeof(uint64_t);
        create.max_entries = 2;
        map_ = scene.must(bpf(BPF_MAP_CREATE, create, "make a BPF map"));
    }
    // Counts what `asking` leaves in register 0, 0 or an error. Uses all others up.
    std::vector<bpf_insn> of_each(std::vector<bpf_insn> asking) const {
        const std::vector<bpf_insn> count = {
            set(BPF_REG_1, 1),
            instruction(BPF_JMP | BPF_JNE | BPF_K, BPF_REG_0, 0, 1, 0),
            set(BPF_REG_1, 0),
            instruction(BPF_STX | BPF_MEM | BPF_W, BPF_REG_10, BPF_REG_1, -4, 0),
            instruction(BPF_LD | BPF_DW, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0, map_.get()),
            instruction(0, 0, 0, 0, 0),
            copy(BPF_REG_2, BPF_REG_10),
            point_into_stack(BPF_REG_2, -4),
            call(BPF_FUNC_map_lookup_elem),
            instruction(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 2, 0),
            set(BPF_REG_1, 1),
            instruction(BPF_STX | BPF_ATOMIC | BPF_DW, BPF_REG_0, BPF_REG_1, 0, BPF_ADD),
        };
        asking.insert(asking.end(), count.begin(), count.end());
        return asking;
    }
    uint64_t yes() const { return of(0); }
    uint64_t no() const { return of(1); }

  private:
    uint64_t of(uint32_t key) const {
        uint64_t value = 0;
        bpf_attr look{};
        look.map_fd = static_cast<uint32_t>(map_.get());
        look.key = reinterpret_cast<uintptr_t>(&key);
        look.value = reinterpret_cast<uintptr_t>(&value);
        if (::syscall(SYS_bpf, BPF_MAP_LOOKUP_ELEM, &look, sizeof look) != 0)
            scene_.give_up(error_from_errno("read a BPF map").sentence);
        return value;
    }
    Scene& scene_;
    Fd map_;
};

struct Look {
    const char* name;
    std::vector<bpf_insn> at_payload;  // an error in register 0
};
const Look kLooks[] = {
    // The last byte, to the stack.
    {"load_bytes",
     {instruction(BPF_ALU64 | BPF_SUB | BPF_K, BPF_REG_2, 0, 0, 1), copy(BPF_REG_1, kContext),
      copy(BPF_REG_3, BPF_REG_10), point_into_stack(BPF_REG_3, -8), set(BPF_REG_4, 1),
      call(BPF_FUNC_skb_load_bytes)}},
    // All of it into the linear part.
    {"pull_data", {copy(BPF_REG_1, kContext), call(BPF_FUNC_skb_pull_data)}},
};

SCENARIO_TABLE(neighbours, classifier,
               "a classifier that asks for payload that cannot be read is refused, and the packets "
               "go on as they are",
               Terms(kUnreadable).claims({"neighbours.classifier"}), kLooks, row) {
    const Answers answers(scene);
    ReceivePath rx(scene);
    const Fd attached = put_in_the_way(scene, for_payload(answers.of_each(row.at_payload)));
    rx.connect({.bytes = 300000, .chunks = {10000}});
    rx.receive_all();
    scene.note(std::to_string(answers.no()) + " packets refused, " + std::to_string(answers.yes()) +
               " shown");
    EXPECT_GT(answers.no(), 0U) << "It was asked of no packet.";
    EXPECT_EQ(answers.yes(), 0U) << "What was shown cannot be what was received.";
}

// ---- the hash of a packet

struct Family {
    const char* name;
    uint8_t family;
};
constexpr Family kFamilies[] = {{"ipv4", 4}, {"ipv6", 6}};
constexpr uint8_t kHash = BPF_REG_7;

// 0 in register 0 if the packet has a hash, and the kernel takes it for that of its connection: it
// makes one of its own where it does not (skbuff.h:skb_get_hash).
const std::vector<bpf_insn> kCompareHashes = {
    instruction(BPF_LDX | BPF_MEM | BPF_W, kHash, kContext, offsetof(__sk_buff, hash), 0),
    copy(BPF_REG_1, kContext),
    call(BPF_FUNC_get_hash_recalc),
    instruction(BPF_ALU64 | BPF_XOR | BPF_X, BPF_REG_0, kHash, 0, 0),
    instruction(BPF_JMP | BPF_JNE | BPF_K, kHash, 0, 1, 0),
    set(BPF_REG_0, 1),
};

// 0 in register 0 if the packet has a hash, and the kernel makes one of its own, which does not
// know that of the NIC.
const std::vector<bpf_insn> kCompareWithOwn = {
    instruction(BPF_LDX | BPF_MEM | BPF_W, kHash, kContext, offsetof(__sk_buff, hash), 0),
    copy(BPF_REG_1, kContext),
    call(BPF_FUNC_get_hash_recalc),
    instruction(BPF_JMP | BPF_JEQ | BPF_K, kHash, 0, 4, 0),
    instruction(BPF_ALU64 | BPF_XOR | BPF_X, BPF_REG_0, kHash, 0, 0),
    instruction(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 2, 0),
    set(BPF_REG_0, 0),
    instruction(BPF_JMP | BPF_JA, 0, 0, 1, 0),
    set(BPF_REG_0, 1),
};

// Asks for the hash of each packet of a stream; the socket of the stream.
int receive_and_compare_hashes(Scene& scene, ReceivePath& rx, const StreamPlan& plan) {
    const Answers answers(scene);
    const Fd attached = put_in_the_way(scene, for_payload(answers.of_each(kCompareHashes)));
    const uint32_t stream = rx.connect(plan);
    rx.receive_all();
    scene.note(std::to_string(answers.yes()) + " packets have the hash of their connection, " +
               std::to_string(answers.no()) + " have none or another one");
    EXPECT_GT(answers.yes(), 0U) << "No packet has it.";
    EXPECT_EQ(answers.no(), 0U) << "packets have another one or none.";
    return rx.socket(stream);
}

// RPS and RFS steer by it, and a socket remembers it.
SCENARIO_TABLE(neighbours, classifier_hash,
               "a packet has the hash that its NIC gave it, and it is that of its connection",
               Terms(Needs{.where = Where::kDevice, .two_families = true, .queues = 1})
                   .claims({"neighbours.hash"}),
               kFamilies, row) {
    if (const auto hashing = scene.nic().set_feature("rx-hashing", true); !hashing)
        GTEST_SKIP() << hashing.error().sentence << "; type: zcrxlab run --nic gve";
    ReceivePath rx(scene);
    receive_and_compare_hashes(scene, rx,
                               {.bytes = 300000, .chunks = {10000}, .family = row.family});
}

SCENARIO_TABLE(
    neighbours, classifier_hash_coalesced,
    "a packet that the NIC has joined has the hash of its connection, too",
    Terms(Needs{.where = Where::kDevice, .dma_log = true, .two_families = true, .queues = 1})
        .claims({"neighbours.hash"}),
    kFamilies, row) {
    if (const auto hashing = scene.nic().set_feature("rx-hashing", true); !hashing)
        GTEST_SKIP() << hashing.error().sentence << "; type: zcrxlab run --nic gve";
    if (const auto coalescing = coalesce(scene); !coalescing)
        GTEST_SKIP() << coalescing.error().sentence << "; type: zcrxlab run --nic bnxt";
    ReceivePath rx(scene);
    // A segment is less than a buffer, so that a packet of two was joined.
    const int socket = receive_and_compare_hashes(
        scene, rx, {.bytes = 1 << 20, .family = row.family, .tcp = {.mss = 1400}});
    EXPECT_GT(most_buffers_of_packet(scene, socket), 1U)
        << "The NIC joined no segments, so that this shows nothing.";
}

// Fragments have no ports behind the first, so that a NIC hashes the addresses of all of them.
SCENARIO_TABLE(neighbours, classifier_hash_of_fragments,
               "a fragment of a datagram has a hash of its addresses, which is not taken for that "
               "of a connection",
               Terms(Needs{.where = Where::kDevice, .two_families = true, .queues = 1})
                   .claims({"neighbours.hash-of-addresses"}),
               kFamilies, row) {
    if (const auto hashing = scene.nic().set_feature("rx-hashing", true); !hashing)
        GTEST_SKIP() << hashing.error().sentence << "; type: zcrxlab run --nic gve";
    ReceivePath rx(scene);
    const Answers answers(scene);
    {
        const Fd attached = put_in_the_way(scene, for_payload(answers.of_each(kCompareWithOwn)));
        EXPECT_EQ(exchange(scene, {.family = row.family, .bytes = 30000, .count = 5}), "");
    }
    // Nothing of TCP while the program is there: its packets have the hash of their connection.
    rx.connect({.bytes = 30000, .family = row.family});
    rx.receive_all();
    scene.note(std::to_string(answers.yes()) + " fragments have the hash of their addresses, " +
               std::to_string(answers.no()) + " have none or that of a connection");
    EXPECT_GT(answers.yes(), 0U) << "No fragment has it.";
    EXPECT_EQ(answers.no(), 0U) << "fragments have none, or it is taken for that of a connection.";
}

}  // namespace
}  // namespace zcrxlab::neighbours_classifiers
