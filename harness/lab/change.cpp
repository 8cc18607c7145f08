// Computes the steps between two states of a NIC, without asking the kernel.
#include "harness/lab/change.hpp"

#include <algorithm>

namespace zcrxlab {
namespace {

enum class Way { kForth, kBack };

class Steps {
  public:
    Steps(const NicSettings& now, const NicSettings& wanted, const DriverRow& driver, Way way)
        : now_(now), wanted_(wanted), driver_(driver), way_(way) {}

    std::vector<Change> all() {
        std::vector<Setting> order = driver_.order;
        if (way_ == Way::kBack) std::reverse(order.begin(), order.end());
        for (const Setting setting : order) add(setting);
        return std::move(steps_);
    }

  private:
    void add(Setting setting) {
        switch (setting) {
            case Setting::kPrivateFlags:
                return add_private_flags();
            case Setting::kFeatures:
                return add_features();
            case Setting::kChannels:
                return add_channels();
            case Setting::kRings:
                return add_rings();
            case Setting::kLink:
                return add_link();
            case Setting::kRss:
                return add_rss();
            case Setting::kRules:
                return add_rules();
            case Setting::kAddresses:
                return add_addresses();
        }
    }

    // Those of the driver's row first, in its order (or the reverse), then what else differs.
    template <typename State, typename Add>
    void for_each_name(const std::map<std::string, State>& now,
                       const std::map<std::string, State>& wanted,
                       const std::vector<WantedFlag>& known, Add add) {
        std::vector<std::string> names;
        for (const WantedFlag& flag : known) names.emplace_back(flag.name);
        if (way_ == Way::kBack) std::reverse(names.begin(), names.end());
        for (const auto& [name, state] : wanted)
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
        for (const std::string& name : names) {
            const auto from = now.find(name), to = wanted.find(name);
            if (from != now.end() && to != wanted.end()) add(name, from->second, to->second);
        }
    }

    void add_private_flags() {
        for_each_name(now_.private_flags, wanted_.private_flags, driver_.private_flags,
                      [this](const std::string& name, bool from, bool to) {
                          if (from != to) steps_.push_back(SetPrivateFlag{name, to});
                      });
    }

    // On the way back what was requested is requested again, and the kernel does as much of it as
    // it did before, once all other settings are back. A request that has not changed does nothing.
    void add_features() {
        for_each_name(
            now_.features, wanted_.features, driver_.features,
            [this](const std::string& name, const FeatureState& from, const FeatureState& to) {
                if (way_ == Way::kForth && from.on != to.on) {
                    steps_.push_back(SetFeature{name, to.on});
                } else if (from.requested != to.requested) {
                    steps_.push_back(RequestFeature{name, to.requested});
                }
            });
    }

    static void keep_change(std::optional<uint32_t>& out, const std::optional<uint32_t>& now,
                            const std::optional<uint32_t>& wanted) {
        if (now && wanted && *now != *wanted) out = wanted;
    }

    void add_channels() {
        if (!now_.channels || !wanted_.channels) return;
        Channels set;
        keep_change(set.rx, now_.channels->rx, wanted_.channels->rx);
        keep_change(set.tx, now_.channels->tx, wanted_.channels->tx);
        keep_change(set.combined, now_.channels->combined, wanted_.channels->combined);
        if (set != Channels{}) steps_.push_back(SetChannels{set});
    }

    void add_rings() {
        if (!now_.rings || !wanted_.rings) return;
        RingSizes set;
        keep_change(set.rx, now_.rings->rx, wanted_.rings->rx);
        keep_change(set.tx, now_.rings->tx, wanted_.rings->tx);
        keep_change(set.rx_buf_len, now_.rings->rx_buf_len, wanted_.rings->rx_buf_len);
        keep_change(set.hds_thresh, now_.rings->hds_thresh, wanted_.rings->hds_thresh);
        add_split(set);
        if (set != RingSizes{}) steps_.push_back(SetRings{set});
    }

    void add_split(RingSizes& set) const {
        const auto now = now_.rings->data_split, wanted = wanted_.rings->data_split;
        if (!now || !wanted) return;
        if (driver_.split_claims_on) {
            // What it says about the split is the same before and after; the threshold tells.
            if (way_ == Way::kForth) set.data_split = wanted;
            if (way_ == Way::kBack && (set.hds_thresh || only_split_differs()))
                set.data_split = *wanted == DataSplit::kEnabled && !set.hds_thresh
                                     ? DataSplit::kEnabled
                                     : driver_.split_off;
        } else if (*now != *wanted) {
            set.data_split =
                *wanted == DataSplit::kEnabled ? DataSplit::kEnabled : driver_.split_off;
        }
    }

    // What MTU and features make of it is seen only when these are as wanted: then somebody had
    // asked for it.
    bool only_split_differs() const {
        NicSettings but_split = now_;
        but_split.rings->data_split = wanted_.rings->data_split;
        return but_split == wanted_ && now_ != wanted_;
    }

    void add_link() {
        if (now_.mtu != wanted_.mtu) steps_.push_back(SetMtu{wanted_.mtu});
        if (now_.up != wanted_.up) steps_.push_back(SetLink{wanted_.up});
    }

    void add_rss() {
        if (!now_.rss || !wanted_.rss) return;
        SetRss set;
        if (now_.rss->key != wanted_.rss->key) set.rss.key = wanted_.rss->key;
        if (now_.rss->table != wanted_.rss->table) {
            // A table written by hand keeps the kernel from changing it with the queues.
            set.defaults = wanted_.rss_is_default();
            if (!set.defaults) set.rss.table = wanted_.rss->table;
        }
        if (set != SetRss{}) steps_.push_back(set);
    }

    void add_rules() {
        for (const auto& [location, rule] : now_.rules) {
            const auto kept = wanted_.rules.find(location);
            if (kept == wanted_.rules.end() || kept->second != rule)
                steps_.push_back(RemoveRule{location});
        }
        for (const auto& [location, rule] : wanted_.rules) {
            const auto there = now_.rules.find(location);
            if (there == now_.rules.end() || there->second != rule)
                steps_.push_back(AddRule{location, rule});
        }
    }

    void add_addresses() {
        const auto has = [](const NicSettings& settings, const std::string& address) {
            return std::find(settings.addresses.begin(), settings.addresses.end(), address) !=
                   settings.addresses.end();
        };
        for (const std::string& address : now_.addresses)
            if (!has(wanted_, address)) steps_.push_back(RemoveAddress{address});
        for (const std::string& address : wanted_.addresses)
            if (!has(now_, address)) steps_.push_back(AddAddress{address});
    }

    const NicSettings& now_;
    const NicSettings& wanted_;
    const DriverRow& driver_;
    Way way_;
    std::vector<Change> steps_;
};

template <typename State>
void set_where_there(std::map<std::string, State>& flags, const std::vector<WantedFlag>& wanted) {
    for (const WantedFlag& flag : wanted)
        if (const auto at = flags.find(std::string(flag.name)); at != flags.end())
            at->second = flag.on;
}

}  // namespace

NicSettings ready_for_scenarios(const NicSettings& now, const DriverRow& driver, uint32_t queues,
                                uint32_t first_queue, const std::vector<std::string>& addresses) {
    NicSettings ready = now;
    set_where_there(ready.private_flags, driver.private_flags);
    set_where_there(ready.features, driver.features);
    if (ready.channels && ready.channels->receive() < queues) {
        if (ready.channels->combined.value_or(0) != 0) {
            ready.channels->combined = queues;
        } else if (ready.channels->rx && ready.channels->tx) {
            ready.channels->rx = ready.channels->tx = queues;
        }
    }
    if (ready.rings) {
        if (driver.rx_ring != 0 && ready.rings->rx) ready.rings->rx = driver.rx_ring;
        if (ready.rings->data_split) ready.rings->data_split = DataSplit::kEnabled;
        if (driver.threshold && ready.rings->hds_thresh) ready.rings->hds_thresh = 0;
    }
    ready.mtu = std::max(now.mtu, kLeastMtu);
    ready.up = true;
    if (ready.rss) {
        for (size_t i = 0; i < ready.rss->table.size(); ++i)
            ready.rss->table[i] = static_cast<uint32_t>(i % std::max(1U, first_queue));
    }
    ready.addresses.insert(ready.addresses.end(), addresses.begin(), addresses.end());
    return ready;
}

std::vector<Change> changes_to(const NicSettings& now, const NicSettings& wanted,
                               const DriverRow& driver) {
    return Steps(now, wanted, driver, Way::kForth).all();
}

std::vector<Change> changes_back(const NicSettings& now, const NicSettings& before,
                                 const DriverRow& driver) {
    return Steps(now, before, driver, Way::kBack).all();
}

}  // namespace zcrxlab
