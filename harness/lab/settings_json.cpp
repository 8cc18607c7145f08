// NicSettings as JSON, for the journal. Bytes are hexadecimal.
#include <nlohmann/json.hpp>

#include "harness/lab/settings.hpp"

namespace zcrxlab {
namespace {

using Json = nlohmann::json;

std::string hexadecimal(const std::vector<std::byte>& bytes) {
    static const char* digits = "0123456789abcdef";
    std::string text;
    for (const std::byte byte : bytes) {
        text += digits[static_cast<unsigned>(byte) >> 4];
        text += digits[static_cast<unsigned>(byte) & 15];
    }
    return text;
}

int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

// Reads members of an object; the first that is not what it should be is remembered.
class Reader {
  public:
    explicit Reader(const Json& json) : json_(json) {
        if (!json.is_object()) wrong_ = "is no object";
    }

    void take(const char* name, bool& value) {
        if (const Json* member = find(name))
            member->is_boolean() ? void(value = member->get<bool>()) : complain(name);
    }
    void take(const char* name, std::optional<uint32_t>& value) {
        if (const Json* member = find(name))
            is_u32(*member) ? void(value = member->get<uint32_t>()) : complain(name);
    }
    void take(const char* name, uint32_t& value) {
        std::optional<uint32_t> number;
        take(name, number);
        value = number.value_or(value);
    }
    void take(const char* name, std::vector<std::string>& value) {
        const Json* member = find(name);
        if (member == nullptr) return;
        if (!member->is_array()) return complain(name);
        for (const Json& entry : *member)
            entry.is_string() ? value.push_back(entry.get<std::string>()) : complain(name);
    }
    void take(const char* name, std::vector<uint32_t>& value) {
        const Json* member = find(name);
        if (member == nullptr) return;
        if (!member->is_array()) return complain(name);
        for (const Json& entry : *member)
            is_u32(entry) ? value.push_back(entry.get<uint32_t>()) : complain(name);
    }
    void take(const char* name, std::map<std::string, bool>& value) {
        const Json* member = find(name);
        if (member == nullptr) return;
        if (!member->is_object()) return complain(name);
        for (const auto& [key, entry] : member->items())
            entry.is_boolean() ? void(value[key] = entry.get<bool>()) : complain(name);
    }
    void take(const char* name, std::vector<std::byte>& value) {
        const Json* member = find(name);
        if (member == nullptr) return;
        if (!member->is_string()) return complain(name);
        const auto& text = member->get_ref<const std::string&>();
        if (text.size() % 2 != 0) return complain(name);
        for (size_t i = 0; i < text.size(); i += 2) {
            const int high = digit(text[i]), low = digit(text[i + 1]);
            if (high < 0 || low < 0) return complain(name);
            value.push_back(static_cast<std::byte>(high << 4 | low));
        }
    }
    // An object inside, or null.
    const Json* find(const char* name) const {
        if (!json_.is_object()) return nullptr;
        const auto at = json_.find(name);
        return at == json_.end() ? nullptr : &*at;
    }
    void complain(const std::string& name) {
        if (wrong_.empty()) wrong_ = "has a wrong \"" + name + "\"";
    }
    void join(const Reader& inside) {
        if (wrong_.empty()) wrong_ = inside.wrong_;
    }
    const std::string& wrong() const { return wrong_; }

  private:
    static bool is_u32(const Json& json) {
        return json.is_number_unsigned() && json.get<uint64_t>() <= UINT32_MAX;
    }
    const Json& json_;
    std::string wrong_;
};

void put(Json& json, const char* name, const std::optional<uint32_t>& value) {
    if (value) json[name] = *value;
}

void take_rings(Reader& outside, NicSettings& settings) {
    const Json* json = outside.find("rings");
    if (json == nullptr) return;
    Reader reader(*json);
    RingSizes rings;
    reader.take("rx", rings.rx);
    reader.take("tx", rings.tx);
    reader.take("rx_buf_len", rings.rx_buf_len);
    reader.take("hds_thresh", rings.hds_thresh);
    std::optional<uint32_t> split;
    reader.take("data_split", split);
    if (split && *split > static_cast<uint32_t>(DataSplit::kEnabled)) {
        reader.complain("data_split");
    } else if (split) {
        rings.data_split = static_cast<DataSplit>(*split);
    }
    settings.rings = rings;
    outside.join(reader);
}

void take_channels(Reader& outside, NicSettings& settings) {
    const Json* json = outside.find("channels");
    if (json == nullptr) return;
    Reader reader(*json);
    Channels channels;
    reader.take("rx", channels.rx);
    reader.take("tx", channels.tx);
    reader.take("combined", channels.combined);
    settings.channels = channels;
    outside.join(reader);
}

void take_rss(Reader& outside, NicSettings& settings) {
    const Json* json = outside.find("rss");
    if (json == nullptr) return;
    Reader reader(*json);
    Rss rss;
    reader.take("function", rss.function);
    reader.take("table", rss.table);
    reader.take("key", rss.key);
    settings.rss = std::move(rss);
    outside.join(reader);
}

void take_rules(Reader& outside, NicSettings& settings) {
    const Json* json = outside.find("rules");
    if (json == nullptr) return;
    if (!json->is_array()) return outside.complain("rules");
    for (const Json& entry : *json) {
        Reader reader(entry);
        std::optional<uint32_t> location;
        std::vector<std::byte> rule;
        reader.take("location", location);
        reader.take("rule", rule);
        if (!location) reader.complain("location");
        outside.join(reader);
        if (location) settings.rules[*location] = std::move(rule);
    }
}

}  // namespace

std::string to_json(const NicSettings& settings) {
    Json json = {{"up", settings.up},
                 {"mtu", settings.mtu},
                 {"addresses", settings.addresses},
                 {"private_flags", settings.private_flags},
                 {"features", settings.features}};
    if (settings.channels) {
        Json& channels = json["channels"] = Json::object();
        put(channels, "rx", settings.channels->rx);
        put(channels, "tx", settings.channels->tx);
        put(channels, "combined", settings.channels->combined);
    }
    if (settings.rings) {
        Json& rings = json["rings"] = Json::object();
        put(rings, "rx", settings.rings->rx);
        put(rings, "tx", settings.rings->tx);
        put(rings, "rx_buf_len", settings.rings->rx_buf_len);
        put(rings, "hds_thresh", settings.rings->hds_thresh);
        if (settings.rings->data_split)
            rings["data_split"] = static_cast<uint32_t>(*settings.rings->data_split);
    }
    if (settings.rss) {
        Json& rss = json["rss"] = Json::object();
        put(rss, "function", settings.rss->function);
        rss["table"] = settings.rss->table;
        rss["key"] = hexadecimal(settings.rss->key);
    }
    Json& rules = json["rules"] = Json::array();
    for (const auto& [location, rule] : settings.rules)
        rules.push_back({{"location", location}, {"rule", hexadecimal(rule)}});
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<NicSettings> settings_from_json(std::string_view text) {
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) return Error{EINVAL, "The settings of a NIC are no JSON"};
    Reader reader(json);
    NicSettings settings;
    reader.take("up", settings.up);
    reader.take("mtu", settings.mtu);
    reader.take("addresses", settings.addresses);
    reader.take("private_flags", settings.private_flags);
    reader.take("features", settings.features);
    take_channels(reader, settings);
    take_rings(reader, settings);
    take_rss(reader, settings);
    take_rules(reader, settings);
    if (!reader.wrong().empty())
        return Error{EINVAL, "What should be the settings of a NIC " + reader.wrong()};
    return settings;
}

}  // namespace zcrxlab
