// NicSettings as JSON, for the journal. Bytes are hexadecimal.

#include <map>
#include <optional>
#include <span>

#include "harness/base/hex.hpp"
#include "harness/base/json.hpp"
#include "harness/lab/settings.hpp"

namespace zcrxlab {
namespace {

using Json = nlohmann::json;

// Reads members of an object; the first that is not what it should be is remembered.
class Reader {
  public:
    explicit Reader(const Json& json) : json_(json) {
        if (!json.is_object()) wrong_ = "is no object";
    }

    void take(const char* name, bool& value) { assign(find(name), name, value); }
    void take(const char* name, std::optional<uint32_t>& value) {
        if (const Json* found = find(name)) assign(found, name, value.emplace());
    }
    void take(const char* name, uint32_t& value) { assign(find(name), name, value); }
    template <typename T>
    void take(const char* name, std::vector<T>& value) {
        const Json* list = find(name);
        if (list == nullptr) return;
        if (!list->is_array()) return complain(name);
        for (const Json& entry : *list) {
            std::optional<T> one = get<T>(entry);
            one ? value.push_back(std::move(*one)) : complain(name);
        }
    }
    void take(const char* name, std::map<std::string, bool>& value) {
        const Json* flags = find(name);
        if (flags == nullptr) return;
        if (!flags->is_object()) return complain(name);
        for (const auto& [key, entry] : flags->items()) assign(&entry, name, value[key]);
    }
    void take(const char* name, std::map<std::string, FeatureState>& value) {
        const Json* features = find(name);
        if (features == nullptr) return;
        if (!features->is_object()) return complain(name);
        for (const auto& [key, entry] : features->items()) {
            FeatureState& state = value[key];
            // A journal of an earlier version keeps only whether it is on.
            if (const auto on = get<bool>(entry)) {
                state = *on;
                continue;
            }
            Reader inside(entry);
            inside.take("on", state.on);
            inside.take("requested", state.requested);
            if (!inside.wrong().empty()) complain(name);
        }
    }
    void take(const char* name, std::vector<std::byte>& value) {
        const Json* text = find(name);
        if (text == nullptr) return;
        const auto bytes = bytes_from_hex(get<std::string>(*text).value_or("no digits"));
        if (!bytes) return complain(name);
        const auto raw = std::as_bytes(std::span(*bytes));
        value.assign(raw.begin(), raw.end());
    }
    // The member; null if there is none.
    const Json* find(const char* name) const { return member(json_, name); }
    void complain(const std::string& name) {
        if (wrong_.empty()) wrong_ = "has a wrong \"" + name + "\"";
    }
    void join(const Reader& inside) {
        if (wrong_.empty()) wrong_ = inside.wrong_;
    }
    const std::string& wrong() const { return wrong_; }

  private:
    template <typename T>
    void assign(const Json* from, const char* name, T& value) {
        if (from == nullptr) return;
        const std::optional<T> read = get<T>(*from);
        read ? void(value = *read) : complain(name);
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
                 {"private_flags", settings.private_flags}};
    Json& features = json["features"] = Json::object();
    for (const auto& [name, state] : settings.features)
        features[name] = {{"on", state.on}, {"requested", state.requested}};
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
        rss["key"] = hex_of(settings.rss->key);
    }
    Json& rules = json["rules"] = Json::array();
    for (const auto& [location, rule] : settings.rules)
        rules.push_back({{"location", location}, {"rule", hex_of(rule)}});
    return json_text(json);
}

Result<NicSettings> settings_from_json(std::string_view text) {
    const Result<Json> json = parse_json(text);
    if (!json) return Error{EINVAL, "The settings of a NIC are no JSON"};
    Reader reader(*json);
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
