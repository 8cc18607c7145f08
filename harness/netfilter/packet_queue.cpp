// A table of nftables with one rule, and the other end of its queue (nfnetlink).
#include "harness/netfilter/packet_queue.hpp"

#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <linux/netlink.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "harness/base/endian.hpp"
#include "harness/base/slowness.hpp"

namespace zcrxlab {
namespace {

constexpr uint16_t kQueueNumber = 7777;
constexpr const char* kTable = "zcrxlab";
constexpr const char* kChain = "queued";
constexpr int kRoomForPackets = 32 << 20;  // bytes of packets that wait for the thread
constexpr uint32_t kMostWaiting = 65536;   // packets
constexpr std::chrono::milliseconds kLookAgain{50};

NetlinkRequest& put_be32(NetlinkRequest& request, uint16_t type, uint32_t value) {
    return request.put_value(type, Be32(value));
}

// `about` is a queue, or the subsystem of a batch.
NetlinkRequest netfilter_request(uint16_t type, uint16_t flags, uint8_t family, uint16_t about) {
    NetlinkRequest request(type, flags);
    const nfgenmsg head{family, NFNETLINK_V0, htons(about)};
    request.fixed_value(head);
    return request;
}

// ---- the rule

NetlinkRequest table_request(uint8_t what, uint16_t flags) {
    return netfilter_request(NFNL_SUBSYS_NFTABLES << 8 | what, flags | NLM_F_ACK, NFPROTO_IPV4, 0);
}

// An expression of a rule, whose attributes end_expression() closes.
void begin_expression(NetlinkRequest& rule, const char* name) {
    rule.begin(NFTA_LIST_ELEM).put_string(NFTA_EXPR_NAME, name).begin(NFTA_EXPR_DATA);
}
void end_expression(NetlinkRequest& rule) {
    rule.end().end();
}

NetlinkRequest rule_for(uint16_t port) {
    constexpr uint32_t kOffsetOfDestination = 2;  // in the headers of TCP and UDP
    NetlinkRequest rule = table_request(NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND);
    rule.put_string(NFTA_RULE_TABLE, kTable)
        .put_string(NFTA_RULE_CHAIN, kChain)
        .begin(NFTA_RULE_EXPRESSIONS);
    begin_expression(rule, "payload");
    put_be32(rule, NFTA_PAYLOAD_DREG, NFT_REG_1);
    put_be32(rule, NFTA_PAYLOAD_BASE, NFT_PAYLOAD_TRANSPORT_HEADER);
    put_be32(rule, NFTA_PAYLOAD_OFFSET, kOffsetOfDestination);
    put_be32(rule, NFTA_PAYLOAD_LEN, sizeof port);
    end_expression(rule);
    begin_expression(rule, "cmp");
    put_be32(rule, NFTA_CMP_SREG, NFT_REG_1);
    put_be32(rule, NFTA_CMP_OP, NFT_CMP_EQ);
    rule.begin(NFTA_CMP_DATA).put_value(NFTA_DATA_VALUE, Be16(port)).end();
    end_expression(rule);
    begin_expression(rule, "queue");
    rule.put_value(NFTA_QUEUE_NUM, Be16(kQueueNumber));
    end_expression(rule);
    rule.end();
    return rule;
}

NetlinkRequest batch_mark(uint16_t type) {
    return netfilter_request(type, 0, AF_UNSPEC, NFNL_SUBSYS_NFTABLES);
}

Result<void> add_rule(NetlinkSocket& socket, uint16_t port) {
    NetlinkRequest table = table_request(NFT_MSG_NEWTABLE, NLM_F_CREATE | NLM_F_EXCL);
    table.put_string(NFTA_TABLE_NAME, kTable);
    put_be32(table, NFTA_TABLE_FLAGS, NFT_TABLE_F_OWNER);  // it goes with the socket
    NetlinkRequest chain = table_request(NFT_MSG_NEWCHAIN, NLM_F_CREATE | NLM_F_EXCL);
    chain.put_string(NFTA_CHAIN_TABLE, kTable)
        .put_string(NFTA_CHAIN_NAME, kChain)
        .put_string(NFTA_CHAIN_TYPE, "filter")
        .begin(NFTA_CHAIN_HOOK);
    put_be32(chain, NFTA_HOOK_HOOKNUM, NF_INET_LOCAL_IN);
    put_be32(chain, NFTA_HOOK_PRIORITY, 0);
    chain.end();
    std::vector<NetlinkRequest> batch;
    batch.push_back(batch_mark(NFNL_MSG_BATCH_BEGIN));
    batch.push_back(std::move(table));
    batch.push_back(std::move(chain));
    batch.push_back(rule_for(port));
    batch.push_back(batch_mark(NFNL_MSG_BATCH_END));
    auto added = socket.call_together(std::move(batch), "add a rule of nftables");
    if (!added && added.error().code == EOPNOTSUPP)
        return Error{EOPNOTSUPP, "the kernel has no nftables (module nf_tables)"};
    if (!added && added.error().code == ENOENT)
        return Error{EOPNOTSUPP, "nftables cannot queue packets (module nft_queue)"};
    return added;
}

// ---- the queue

NetlinkRequest queue_request(uint8_t what) {
    return netfilter_request(NFNL_SUBSYS_QUEUE << 8 | what, 0, AF_UNSPEC, kQueueNumber);
}

Result<void> bind_queue(NetlinkSocket& socket, const PacketQueuePlan& plan) {
    if (auto set = socket.set_room(kRoomForPackets); !set) return set;
    const nfqnl_msg_config_cmd bind{NFQNL_CFG_CMD_BIND, 0, 0};
    auto request = queue_request(NFQNL_MSG_CONFIG);
    request.put_value(NFQA_CFG_CMD, bind);
    if (auto bound = socket.call(std::move(request), "bind a queue of packets"); !bound) {
        if (bound.error().code == EINVAL)
            return Error{EOPNOTSUPP,
                         "the kernel has no queues of packets (module "
                         "nfnetlink_queue)"};
        return bound.error();
    }
    const nfqnl_msg_config_params shown{
        htonl(plan.payload ? 0xffff : 0),
        static_cast<uint8_t>(plan.payload ? NFQNL_COPY_PACKET : NFQNL_COPY_META)};
    request = queue_request(NFQNL_MSG_CONFIG);
    request.put_value(NFQA_CFG_PARAMS, shown);
    put_be32(request, NFQA_CFG_QUEUE_MAXLEN, kMostWaiting);
    put_be32(request, NFQA_CFG_MASK, NFQA_CFG_F_GSO);
    put_be32(request, NFQA_CFG_FLAGS, plan.coalesced ? NFQA_CFG_F_GSO : 0);
    auto set = socket.call(std::move(request), "say what to tell of packets");
    return set ? Result<void>() : set.error();
}

// A number in network order, of an attribute that may be missing.
Result<uint32_t> network_number(const std::vector<NetlinkAttribute>& attributes, uint16_t type) {
    const NetlinkAttribute* attribute = find_attribute(attributes, type);
    if (attribute == nullptr) return 0U;
    const auto value = attribute->u32();
    if (!value) return value.error();
    return ntohl(*value);
}

}  // namespace

Result<std::unique_ptr<PacketQueue>> PacketQueue::open(const PacketQueuePlan& plan) {
    auto rule = NetlinkSocket::open(NETLINK_NETFILTER);
    if (!rule && rule.error().code == EPROTONOSUPPORT)
        return Error{EOPNOTSUPP, "the kernel has no netfilter (module nfnetlink)"};
    if (!rule) return rule.error();
    auto packets = NetlinkSocket::open(NETLINK_NETFILTER);
    if (!packets) return packets.error();
    if (auto bound = bind_queue(*packets, plan); !bound) return bound.error();
    if (auto added = add_rule(*rule, plan.port); !added) return added.error();
    return std::unique_ptr<PacketQueue>(new PacketQueue(std::move(*rule), std::move(*packets)));
}

PacketQueue::PacketQueue(NetlinkSocket rule, NetlinkSocket packets)
    : rule_(std::move(rule)), socket_(std::move(packets)), thread_([this] { run(); }) {}

PacketQueue::~PacketQueue() {
    rule_.reset();
    stopping_ = true;
    thread_.join();
}

void PacketQueue::run() {
    for (;;) {
        // What waits is accepted before it ends.
        const bool last = stopping_;
        const auto messages = socket_.hear(last ? std::chrono::milliseconds(0) : scaled(kLookAgain),
                                           "hear of queued packets");
        Result<void> taken = messages ? Result<void>() : messages.error();
        if (messages) {
            if (last && messages->empty()) return;
            for (const NetlinkMessage& message : *messages)
                if (taken) taken = accept(message);
        }
        if (taken) continue;
        const std::lock_guard lock(mutex_);
        error_ = taken.error();
        return;
    }
}

Result<void> PacketQueue::accept(const NetlinkMessage& message) {
    if (message.type != (NFNL_SUBSYS_QUEUE << 8 | NFQNL_MSG_PACKET)) return {};
    const auto attributes = message.attributes(sizeof(nfgenmsg));
    if (!attributes) return attributes.error();
    const NetlinkAttribute* head = find_attribute(*attributes, NFQA_PACKET_HDR);
    nfqnl_msg_packet_hdr header{};
    if (head == nullptr || head->payload.size() != sizeof header)
        return Error{EBADMSG, "a queued packet comes without its number"};
    std::memcpy(&header, head->payload.data(), sizeof header);
    QueuedPacket packet;
    if (const NetlinkAttribute* bytes = find_attribute(*attributes, NFQA_PAYLOAD))
        packet.bytes.assign(bytes->payload.begin(), bytes->payload.end());
    const auto length = network_number(*attributes, NFQA_CAP_LEN);
    if (!length) return length.error();
    packet.length = *length;
    const auto state = network_number(*attributes, NFQA_SKB_INFO);
    if (!state) return state.error();
    packet.coalesced = (*state & NFQA_SKB_GSO) != 0;
    {
        const std::lock_guard lock(mutex_);
        packets_.push_back(std::move(packet));
    }
    const nfqnl_msg_verdict_hdr verdict{htonl(NF_ACCEPT), header.packet_id};
    auto request = queue_request(NFQNL_MSG_VERDICT);
    request.put_value(NFQA_VERDICT_HDR, verdict);
    return socket_.tell(std::move(request), "accept a packet");
}

std::vector<QueuedPacket> PacketQueue::packets() {
    const std::lock_guard lock(mutex_);
    return packets_;
}

std::optional<Error> PacketQueue::error() {
    const std::lock_guard lock(mutex_);
    return error_;
}

}  // namespace zcrxlab
