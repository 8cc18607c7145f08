// Building with libmnl; taking apart by hand, because libmnl stops silently where a length is
// wrong.
#include "harness/net/netlink_message.hpp"

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

#include <algorithm>
#include <cstring>

#include "harness/uapi/netlink.hpp"

namespace zcrxlab {
namespace {

// Far more than any request of ours; what does not fit is a mistake in the caller.
constexpr size_t kRoom = 16384;
constexpr uint16_t kTypeMask = 0x3fff;  // without NLA_F_NESTED and NLA_F_NET_BYTEORDER

size_t aligned(size_t size) {
    return (size + 3) & ~size_t{3};
}

template <typename T>
T read_as(std::span<const std::byte> bytes) {
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

Error wrong_size(const NetlinkAttribute& attribute, const char* wanted) {
    return {EBADMSG, "netlink attribute " + std::to_string(attribute.type) + " has " +
                         std::to_string(attribute.payload.size()) + " bytes, not " + wanted};
}

}  // namespace

NetlinkRequest::NetlinkRequest(uint16_t type, uint16_t flags) : buffer_(kRoom) {
    nlmsghdr* header = mnl_nlmsg_put_header(buffer_.data());
    header->nlmsg_type = type;
    header->nlmsg_flags = flags | NLM_F_REQUEST;
}

NetlinkRequest NetlinkRequest::generic(uint16_t family, uint8_t command, uint8_t version,
                                       uint16_t flags) {
    NetlinkRequest request(family, flags);
    const genlmsghdr header{command, version, 0};
    request.fixed(std::as_bytes(std::span(&header, 1)));
    return request;
}

nlmsghdr* NetlinkRequest::header() {
    return reinterpret_cast<nlmsghdr*>(buffer_.data());
}
const nlmsghdr* NetlinkRequest::header() const {
    return reinterpret_cast<const nlmsghdr*>(buffer_.data());
}

NetlinkRequest& NetlinkRequest::fixed(std::span<const std::byte> bytes) {
    if (header()->nlmsg_len + aligned(bytes.size()) > kRoom) {
        too_large_ = true;
        return *this;
    }
    std::memcpy(mnl_nlmsg_put_extra_header(header(), bytes.size()), bytes.data(), bytes.size());
    return *this;
}

NetlinkRequest& NetlinkRequest::put(uint16_t type, std::span<const std::byte> payload) {
    if (!mnl_attr_put_check(header(), kRoom, type, payload.size(), payload.data()))
        too_large_ = true;
    return *this;
}

NetlinkRequest& NetlinkRequest::put_u8(uint16_t type, uint8_t value) {
    return put(type, std::as_bytes(std::span(&value, 1)));
}

NetlinkRequest& NetlinkRequest::put_u32(uint16_t type, uint32_t value) {
    return put(type, std::as_bytes(std::span(&value, 1)));
}

NetlinkRequest& NetlinkRequest::put_string(uint16_t type, std::string_view value) {
    if (!mnl_attr_put_strz_check(header(), kRoom, type, std::string(value).c_str()))
        too_large_ = true;
    return *this;
}

NetlinkRequest& NetlinkRequest::put_flag(uint16_t type) {
    return put(type, {});
}

NetlinkRequest& NetlinkRequest::begin(uint16_t type) {
    nlattr* nest = mnl_attr_nest_start_check(header(), kRoom, type);
    if (nest == nullptr) {
        too_large_ = true;
        nest = reinterpret_cast<nlattr*>(buffer_.data() + sizeof(nlmsghdr));
    }
    open_.push_back(nest);
    return *this;
}

NetlinkRequest& NetlinkRequest::end() {
    if (!too_large_ && !open_.empty()) mnl_attr_nest_end(header(), open_.back());
    if (!open_.empty()) open_.pop_back();
    return *this;
}

void NetlinkRequest::set_sequence(uint32_t sequence) {
    header()->nlmsg_seq = sequence;
}
void NetlinkRequest::add_flags(uint16_t flags) {
    header()->nlmsg_flags |= flags;
}
uint16_t NetlinkRequest::flags() const {
    return header()->nlmsg_flags;
}

std::span<const std::byte> NetlinkRequest::bytes() const {
    if (too_large_) return {};
    return std::span(buffer_).first(header()->nlmsg_len);
}

Result<uint8_t> NetlinkAttribute::u8() const {
    if (payload.size() != 1) return wrong_size(*this, "1");
    return read_as<uint8_t>(payload);
}

Result<uint16_t> NetlinkAttribute::u16() const {
    if (payload.size() != 2) return wrong_size(*this, "2");
    return read_as<uint16_t>(payload);
}

Result<uint32_t> NetlinkAttribute::u32() const {
    if (payload.size() != 4) return wrong_size(*this, "4");
    return read_as<uint32_t>(payload);
}

Result<uint64_t> NetlinkAttribute::number() const {
    if (payload.size() == 4) return read_as<uint32_t>(payload);
    if (payload.size() == 8) return read_as<uint64_t>(payload);
    return wrong_size(*this, "4 or 8");
}

Result<std::string> NetlinkAttribute::string() const {
    const auto end = std::find(payload.begin(), payload.end(), std::byte{0});
    if (end == payload.end()) return wrong_size(*this, "those of a string with its final 0");
    return std::string(reinterpret_cast<const char*>(payload.data()),
                       static_cast<size_t>(end - payload.begin()));
}

Result<std::vector<NetlinkAttribute>> NetlinkAttribute::nested() const {
    return parse_attributes(payload);
}

Result<std::vector<uint32_t>> NetlinkAttribute::array_u32() const {
    if (payload.size() % 4 != 0) return wrong_size(*this, "a multiple of 4");
    std::vector<uint32_t> values(payload.size() / 4);
    if (!values.empty()) std::memcpy(values.data(), payload.data(), payload.size());
    return values;
}

Result<std::vector<NetlinkAttribute>> parse_attributes(std::span<const std::byte> bytes) {
    std::vector<NetlinkAttribute> attributes;
    size_t at = 0;
    while (at < bytes.size()) {
        const auto rest = bytes.subspan(at);
        // Padding behind the last attribute of a nest is no attribute.
        if (rest.size() < sizeof(nlattr)) {
            return Error{EBADMSG, "a netlink attribute is cut off at byte " + std::to_string(at)};
        }
        const auto head = read_as<nlattr>(rest);
        if (head.nla_len < sizeof(nlattr) || head.nla_len > rest.size()) {
            return Error{EBADMSG, "the netlink attribute at byte " + std::to_string(at) +
                                      " says that it has " + std::to_string(head.nla_len) +
                                      " bytes, and there are " + std::to_string(rest.size())};
        }
        attributes.push_back({static_cast<uint16_t>(head.nla_type & kTypeMask),
                              rest.subspan(sizeof(nlattr), head.nla_len - sizeof(nlattr))});
        at += aligned(head.nla_len);
    }
    return attributes;
}

const NetlinkAttribute* find_attribute(const std::vector<NetlinkAttribute>& attributes,
                                       uint16_t type) {
    for (const NetlinkAttribute& attribute : attributes) {
        if (attribute.type == type) return &attribute;
    }
    return nullptr;
}

Result<std::vector<NetlinkAttribute>> NetlinkMessage::attributes(size_t skip) const {
    if (payload.size() < skip) {
        return Error{EBADMSG, "a netlink message of " + std::to_string(payload.size()) +
                                  " bytes is too short for its header of " + std::to_string(skip)};
    }
    return parse_attributes(std::span(payload).subspan(std::min(aligned(skip), payload.size())));
}

namespace {

// The kernel's own words in an acknowledgement, and at which byte of the request.
std::string extended_words(std::span<const std::byte> tlvs) {
    const auto attributes = parse_attributes(tlvs);
    if (!attributes) return {};
    std::string words;
    if (const auto* message = find_attribute(*attributes, uapi::kAckMessage)) {
        if (auto text = message->string()) words = ": " + *text;
    }
    if (const auto* offset = find_attribute(*attributes, uapi::kAckOffset)) {
        if (auto at = offset->u32()) words += " (attribute at byte " + std::to_string(*at) + ")";
    }
    return words;
}

// An Error if the acknowledgement in `payload` (an int, a copy of the request, TLVs) refuses.
Result<void> check_acknowledgement(std::span<const std::byte> payload, uint16_t flags, bool is_done,
                                   std::string_view doing) {
    if (payload.size() < sizeof(int)) {
        // The end of a dump of an old kernel has no number.
        if (is_done) return {};
        return Error{EBADMSG, std::string(doing) + ": the netlink acknowledgement is cut off"};
    }
    const int code = read_as<int>(payload);
    if (code == 0) return {};
    if (code > 0 || code < -4095) {
        return Error{EBADMSG, std::string(doing) + ": the netlink acknowledgement says " +
                                  std::to_string(code) + ", which is no errno"};
    }
    size_t skip = sizeof(int);
    if (!is_done) {
        if (payload.size() < sizeof(nlmsgerr))
            skip = payload.size();
        else {
            const auto error = read_as<nlmsgerr>(payload);
            const bool capped = (flags & NLM_F_CAPPED) != 0;
            skip = sizeof(int) + (capped ? sizeof(nlmsghdr) : aligned(error.msg.nlmsg_len));
        }
    }
    std::string words;
    if ((flags & NLM_F_ACK_TLVS) != 0 && skip <= payload.size())
        words = extended_words(payload.subspan(skip));
    return Error{-code, std::string(doing) + ": " + std::strerror(-code) + words};
}

}  // namespace

Result<NetlinkAnswer> parse_datagram(std::span<const std::byte> datagram, uint32_t sequence,
                                     std::string_view doing) {
    NetlinkAnswer answer;
    size_t at = 0;
    while (at < datagram.size()) {
        const auto rest = datagram.subspan(at);
        if (rest.size() < sizeof(nlmsghdr)) {
            return Error{EBADMSG, std::string(doing) + ": a netlink message is cut off at byte " +
                                      std::to_string(at)};
        }
        const auto head = read_as<nlmsghdr>(rest);
        if (head.nlmsg_len < sizeof(nlmsghdr) || head.nlmsg_len > rest.size()) {
            return Error{EBADMSG, std::string(doing) + ": the netlink message at byte " +
                                      std::to_string(at) + " says that it has " +
                                      std::to_string(head.nlmsg_len) + " bytes, and there are " +
                                      std::to_string(rest.size())};
        }
        at += aligned(head.nlmsg_len);
        if (head.nlmsg_seq != sequence) continue;
        const auto payload = rest.subspan(sizeof(nlmsghdr), head.nlmsg_len - sizeof(nlmsghdr));
        if ((head.nlmsg_flags & NLM_F_DUMP_INTR) != 0) answer.interrupted = true;
        if (head.nlmsg_type == NLMSG_ERROR || head.nlmsg_type == NLMSG_DONE) {
            auto accepted = check_acknowledgement(payload, head.nlmsg_flags,
                                                  head.nlmsg_type == NLMSG_DONE, doing);
            if (!accepted) return accepted.error();
            answer.done = true;
            continue;
        }
        if (head.nlmsg_type < NLMSG_MIN_TYPE) continue;
        answer.messages.push_back({head.nlmsg_type, head.nlmsg_flags, head.nlmsg_seq,
                                   std::vector(payload.begin(), payload.end())});
    }
    return answer;
}

}  // namespace zcrxlab
