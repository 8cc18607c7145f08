// Sends and reads messages of the netlink family `ethtool`.
#include "harness/net/ethtool.hpp"

#include <linux/netlink.h>

#include <utility>

#include "harness/uapi/netlink.hpp"

namespace zcrxlab {
namespace {

namespace api = uapi::ethtool;

NetlinkRequest begin_request(uint16_t family, const std::string& interface, uint8_t command) {
    auto request = NetlinkRequest::generic(family, command, api::kVersion, 0);
    request.begin(api::kHeader).put_string(api::kHeaderName, interface).end();
    return request;
}

// Copies the attribute of a type into `value`, if it is there.
Result<void> take(const std::vector<NetlinkAttribute>& attributes, uint16_t type,
                  std::optional<uint32_t>& value) {
    const auto* attribute = find_attribute(attributes, type);
    if (attribute == nullptr) return {};
    auto number = attribute->u32();
    if (!number) return number.error();
    value = *number;
    return {};
}

using Member = std::pair<uint16_t, std::optional<uint32_t>*>;

Result<void> take_all(const std::vector<NetlinkAttribute>& attributes,
                      std::initializer_list<Member> members) {
    for (const auto& [type, member] : members) {
        if (auto taken = take(attributes, type, *member); !taken) return taken;
    }
    return {};
}

// The bits that a bitset lists, with their values; a bitset without a mask lists those that are on.
Result<std::map<std::string, bool>> decode_bitset(const NetlinkAttribute& bitset) {
    auto members = bitset.nested();
    if (!members) return members.error();
    const bool all_on = find_attribute(*members, api::kBitsetNoMask) != nullptr;
    std::map<std::string, bool> result;
    const auto* bits = find_attribute(*members, api::kBitsetBits);
    if (bits == nullptr) return result;
    auto list = bits->nested();
    if (!list) return list.error();
    for (const NetlinkAttribute& bit : *list) {
        if (bit.type != api::kBitsetBit) continue;
        auto fields = bit.nested();
        if (!fields) return fields.error();
        const auto* name = find_attribute(*fields, api::kBitName);
        if (name == nullptr) continue;
        auto text = name->string();
        if (!text) return text.error();
        result[*text] = all_on || find_attribute(*fields, api::kBitValue) != nullptr;
    }
    return result;
}

Error no_answer(const std::string& doing) {
    return {EBADMSG, doing + ": the kernel's answer holds nothing"};
}

}  // namespace

NetlinkRequest encode_rings(uint16_t family, const std::string& interface, const RingSizes& rings) {
    auto request = begin_request(family, interface, api::kRingsSet);
    if (rings.rx) request.put_u32(api::kRingsRx, *rings.rx);
    if (rings.tx) request.put_u32(api::kRingsTx, *rings.tx);
    if (rings.rx_buf_len) request.put_u32(api::kRingsRxBufLen, *rings.rx_buf_len);
    if (rings.data_split)
        request.put_u8(api::kRingsTcpDataSplit, static_cast<uint8_t>(*rings.data_split));
    if (rings.hds_thresh) request.put_u32(api::kRingsHdsThresh, *rings.hds_thresh);
    return request;
}

Result<RingSizes> decode_rings(const NetlinkMessage& message) {
    auto attributes = message.attributes();
    if (!attributes) return attributes.error();
    RingSizes rings;
    auto taken = take_all(*attributes, {{api::kRingsRxMax, &rings.rx_max},
                                        {api::kRingsTxMax, &rings.tx_max},
                                        {api::kRingsRx, &rings.rx},
                                        {api::kRingsTx, &rings.tx},
                                        {api::kRingsRxJumbo, &rings.rx_jumbo},
                                        {api::kRingsRxBufLen, &rings.rx_buf_len},
                                        {api::kRingsHdsThresh, &rings.hds_thresh},
                                        {api::kRingsHdsThreshMax, &rings.hds_thresh_max}});
    if (!taken) return taken.error();
    if (const auto* split = find_attribute(*attributes, api::kRingsTcpDataSplit)) {
        auto value = split->u8();
        if (!value) return value.error();
        if (*value > static_cast<uint8_t>(DataSplit::kEnabled)) {
            return Error{EBADMSG, "the kernel says that tcp-data-split is " +
                                      std::to_string(*value) + ", which is no known state"};
        }
        rings.data_split = static_cast<DataSplit>(*value);
    }
    return rings;
}

NetlinkRequest encode_channels(uint16_t family, const std::string& interface,
                               const Channels& channels) {
    auto request = begin_request(family, interface, api::kChannelsSet);
    if (channels.rx) request.put_u32(api::kChannelsRx, *channels.rx);
    if (channels.tx) request.put_u32(api::kChannelsTx, *channels.tx);
    if (channels.combined) request.put_u32(api::kChannelsCombined, *channels.combined);
    return request;
}

Result<Channels> decode_channels(const NetlinkMessage& message) {
    auto attributes = message.attributes();
    if (!attributes) return attributes.error();
    Channels channels;
    auto taken = take_all(*attributes, {{api::kChannelsRxMax, &channels.rx_max},
                                        {api::kChannelsTxMax, &channels.tx_max},
                                        {api::kChannelsCombinedMax, &channels.combined_max},
                                        {api::kChannelsRx, &channels.rx},
                                        {api::kChannelsTx, &channels.tx},
                                        {api::kChannelsCombined, &channels.combined}});
    if (!taken) return taken.error();
    return channels;
}

NetlinkRequest encode_feature(uint16_t family, const std::string& interface,
                              const std::string& name, bool on) {
    auto request = begin_request(family, interface, api::kFeaturesSet);
    request.begin(api::kFeaturesWanted).begin(api::kBitsetBits).begin(api::kBitsetBit);
    request.put_string(api::kBitName, name);
    if (on) request.put_flag(api::kBitValue);
    request.end().end().end();
    return request;
}

Result<Features> decode_features(const NetlinkMessage& message) {
    auto attributes = message.attributes();
    if (!attributes) return attributes.error();
    Features features;
    if (const auto* hardware = find_attribute(*attributes, api::kFeaturesHw)) {
        auto bits = decode_bitset(*hardware);
        if (!bits) return bits.error();
        for (const auto& [name, changeable] : *bits) {
            features.active[name] = false;
            if (changeable) features.changeable.push_back(name);
        }
    }
    if (const auto* active = find_attribute(*attributes, api::kFeaturesActive)) {
        auto bits = decode_bitset(*active);
        if (!bits) return bits.error();
        for (const auto& [name, on] : *bits) features.active[name] = on;
    }
    if (const auto* wanted = find_attribute(*attributes, api::kFeaturesWanted)) {
        auto bits = decode_bitset(*wanted);
        if (!bits) return bits.error();
        for (const std::string& name : features.changeable) {
            const auto bit = bits->find(name);
            features.requested[name] = bit != bits->end() && bit->second;
        }
    }
    return features;
}

Result<Rss> decode_rss(const NetlinkMessage& message) {
    auto attributes = message.attributes();
    if (!attributes) return attributes.error();
    Rss rss;
    if (auto taken = take(*attributes, api::kRssFunction, rss.function); !taken)
        return taken.error();
    if (const auto* table = find_attribute(*attributes, api::kRssIndirection)) {
        auto entries = table->array_u32();
        if (!entries) return entries.error();
        rss.table = std::move(*entries);
    }
    if (const auto* key = find_attribute(*attributes, api::kRssKey))
        rss.key.assign(key->payload.begin(), key->payload.end());
    return rss;
}

Result<Ethtool> Ethtool::open(const std::string& interface) {
    auto socket = NetlinkSocket::open(NETLINK_GENERIC);
    if (!socket) return socket.error();
    auto family = socket->family("ethtool");
    if (!family) return family.error();
    return Ethtool(std::move(*socket), *family, interface);
}

Result<NetlinkMessage> Ethtool::get(uint8_t command, const std::string& what) {
    const std::string doing = "get the " + what + " of " + interface_;
    auto messages = socket_.call(begin_request(family_, interface_, command), doing);
    if (!messages) return messages.error();
    if (messages->empty()) return no_answer(doing);
    return std::move(messages->front());
}

Result<void> Ethtool::set(NetlinkRequest request, const std::string& what) {
    auto messages = socket_.call(std::move(request), "set the " + what + " of " + interface_);
    if (!messages) return messages.error();
    return {};
}

Result<RingSizes> Ethtool::rings() {
    auto message = get(api::kRingsGet, "rings");
    if (!message) return message.error();
    return decode_rings(*message);
}

Result<void> Ethtool::set_rings(const RingSizes& rings) {
    return set(encode_rings(family_, interface_, rings), "rings");
}

Result<Channels> Ethtool::channels() {
    auto message = get(api::kChannelsGet, "channels");
    if (!message) return message.error();
    return decode_channels(*message);
}

Result<void> Ethtool::set_channels(const Channels& channels) {
    return set(encode_channels(family_, interface_, channels), "channels");
}

Result<Features> Ethtool::features() {
    auto message = get(api::kFeaturesGet, "features");
    if (!message) return message.error();
    return decode_features(*message);
}

Result<void> Ethtool::request_feature(const std::string& name, bool on) {
    return set(encode_feature(family_, interface_, name, on), "feature " + name);
}

Result<void> Ethtool::set_feature(const std::string& name, bool on) {
    if (auto done = request_feature(name, on); !done) return done;
    auto now = features();
    if (!now) return now.error();
    const auto state = now->active.find(name);
    if (state != now->active.end() && state->second == on) return {};
    return Error{EOPNOTSUPP, "the feature " + name + " of " + interface_ + " did not turn " +
                                 (on ? "on" : "off") + "; type: ethtool -k " + interface_};
}

Result<Rss> Ethtool::rss() {
    auto message = get(api::kRssGet, "RSS table");
    if (!message) return message.error();
    return decode_rss(*message);
}

Result<std::vector<uint32_t>> Ethtool::rss_contexts() {
    auto request = begin_request(family_, interface_, api::kRssGet);
    request.add_flags(NLM_F_DUMP);
    auto messages = socket_.call(std::move(request), "list the RSS contexts of " + interface_);
    if (!messages) return messages.error();
    std::vector<uint32_t> contexts;
    for (const NetlinkMessage& message : *messages) {
        auto attributes = message.attributes();
        if (!attributes) return attributes.error();
        std::optional<uint32_t> context;
        if (auto taken = take(*attributes, api::kRssContext, context); !taken) return taken.error();
        if (context.value_or(0) != 0) contexts.push_back(*context);
    }
    return contexts;
}

}  // namespace zcrxlab
