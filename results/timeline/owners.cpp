// Owners: whose each buffer of an area was, over time.
#include "results/timeline/owners.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "harness/oracle/area_table.hpp"
#include "harness/oracle/findings.hpp"
#include "harness/uapi/zcrx.hpp"

namespace zcrxlab {

namespace {

// No area of a guest is larger; a number above this is damaged.
constexpr uint64_t kMostBuffers = 1U << 22;
// More buffers than that in one CQE are not followed.
constexpr uint64_t kMostOfOneCqe = 64;

// What happens to a buffer, in the order in which it does if it is all at once.
enum class Step { kPosted, kWritten, kDelivered, kReturned, kTaken };

struct Moment {
    int64_t at = 0;
    Step step = Step::kPosted;
    uint32_t buffer = 0;
    size_t event = 0;
    uint64_t from = 0, to = 0;  // kDelivered: bytes of the area; kReturned: from only
};

// An area, and what happened to its buffers.
struct Area {
    AreaOwners owners;
    const AreaRegistered* registered = nullptr;
    bool open = true;
    std::vector<Moment> moments = {};
};

// The areas of a trace. Numbers of ifqs and areas are not used twice, but pages are.
class Areas {
  public:
    explicit Areas(Events events) : last_(events.empty() ? 0 : events.back().nanoseconds) {}

    void see(int64_t at, const AreaRegistered& e, const AreaTable& table) {
        const IfqRegistered* ifq = table.ifq(e.ifq);
        if (ifq == nullptr || ifq->buffer_size == 0) return;
        const uint64_t buffers = e.length / ifq->buffer_size;
        if (buffers == 0 || buffers > kMostBuffers) return;
        Area area;
        area.owners = {.ifq = e.ifq,
                       .area = e.area,
                       .buffers = static_cast<uint32_t>(buffers),
                       .buffer_size = ifq->buffer_size,
                       .from = at,
                       .to = static_cast<int64_t>(last_)};
        area.registered = &e;
        numbers_[{e.ifq, e.area}] = areas_.size();
        for (size_t page = 0; page < e.pages.size(); ++page)
            if (e.pages[page] != 0) pages_[e.pages[page]].emplace_back(areas_.size(), page);
        areas_.push_back(std::move(area));
    }
    void close(int64_t at, uint32_t ifq) {
        for (Area& area : areas_)
            if (area.owners.ifq == ifq && std::exchange(area.open, false)) area.owners.to = at;
    }

    Area* find(uint32_t ifq, uint64_t offset) {
        const auto found =
            numbers_.find({ifq, static_cast<uint32_t>(offset >> uapi::kZcrxAreaShift)});
        return found == numbers_.end() ? nullptr : &areas_[found->second];
    }
    // The buffer of an area; nothing if the offset lies behind it.
    static std::optional<uint32_t> buffer_at(const Area& area, uint64_t offset) {
        const uint64_t buffer = (offset & uapi::kZcrxOffsetMask) / area.owners.buffer_size;
        if (buffer >= area.owners.buffers) return {};
        return static_cast<uint32_t>(buffer);
    }
    // The buffer that the device wrote to: of the areas that have had this page, the one that was
    // there then.
    std::optional<std::pair<Area*, uint32_t>> written(const DmaLogEntry& entry, int64_t at) {
        const auto found = pages_.find(entry.address / kGuestPageSize * kGuestPageSize);
        if (found == pages_.end()) return {};
        for (auto place = found->second.rbegin(); place != found->second.rend(); ++place) {
            Area& area = areas_[place->first];
            if (at > area.owners.to) continue;
            if (at < area.owners.from && std::next(place) != found->second.rend()) continue;
            const uint64_t buffer = place->second * kGuestPageSize / area.owners.buffer_size;
            if (buffer >= area.owners.buffers) return {};
            return std::pair(&area, static_cast<uint32_t>(buffer));
        }
        return {};
    }
    std::vector<Area>& all() { return areas_; }

  private:
    uint64_t last_;
    std::vector<Area> areas_;
    std::map<std::pair<uint32_t, uint32_t>, size_t> numbers_;  // ifq and area
    // Address of a page to area and page in it, the oldest first.
    std::unordered_map<uint64_t, std::vector<std::pair<size_t, uint64_t>>> pages_;
};

// The kernel takes entries of a refill ring in their order, so that one is gone when a later one
// is. Adds when each return must have been taken, where that is known.
void add_taken(std::vector<Area*>& areas_of_ring) {
    struct Return {
        Area* area = nullptr;
        Moment moment;
        int64_t again = std::numeric_limits<int64_t>::max();  // the device has the buffer again
    };
    std::vector<Return> returns;
    for (Area* area : areas_of_ring) {
        std::map<uint32_t, std::vector<int64_t>> had;  // by buffer, sorted: when the device has it
        for (const Moment& moment : area->moments)
            if (moment.step == Step::kPosted || moment.step == Step::kWritten)
                had[moment.buffer].push_back(moment.at);
        for (auto& [buffer, times] : had) std::ranges::sort(times);
        for (const Moment& moment : area->moments) {
            if (moment.step != Step::kReturned) continue;
            Return one{area, moment};
            const auto& times = had[moment.buffer];
            const auto next = std::ranges::upper_bound(times, moment.at);
            if (next != times.end()) one.again = *next;
            returns.push_back(one);
        }
    }
    std::ranges::stable_sort(returns, {}, [](const Return& one) { return one.moment.event; });
    int64_t taken = std::numeric_limits<int64_t>::max();
    for (size_t i = returns.size(); i-- > 0;) {
        const Return& one = returns[i];
        taken = std::min(taken, one.again);
        if (taken == std::numeric_limits<int64_t>::max()) continue;
        one.area->moments.push_back(
            {std::max(taken, one.moment.at), Step::kTaken, one.moment.buffer, one.moment.event});
    }
}

// The life of one buffer. `moments` are its own, by time.
class Buffer {
  public:
    template <typename Change>
    void see(const Moment& moment, Change&& change) {
        switch (moment.step) {
            case Step::kTaken:
                // It may have come further meanwhile.
                if (owner_ == Owner::kRing) become(Owner::kFree, moment, change);
                break;
            case Step::kPosted:
                if (held_.empty()) become(Owner::kPosted, moment, change);
                break;
            case Step::kWritten:
                if (held_.empty()) become(Owner::kSocket, moment, change);
                break;
            case Step::kDelivered: {
                const bool again = std::ranges::any_of(held_, [&](const auto& range) {
                    return moment.from < range.second && range.first < moment.to;
                });
                held_.emplace_back(moment.from, moment.to);
                become(again || owner_ == Owner::kTwice ? Owner::kTwice : Owner::kUser, moment,
                       change);
                break;
            }
            case Step::kReturned: {
                const auto range = std::ranges::find_if(held_, [&](const auto& candidate) {
                    return moment.from >= candidate.first && moment.from < candidate.second;
                });
                // What the user does not hold changes nothing.
                if (range == held_.end()) break;
                held_.erase(range);
                become(held_.empty() ? Owner::kRing : Owner::kUser, moment, change);
                break;
            }
        }
    }

  private:
    template <typename Change>
    void become(Owner owner, const Moment& moment, Change&& change) {
        if (owner == owner_) return;
        owner_ = owner;
        change(OwnerChange{moment.at, moment.buffer, owner, moment.event});
    }

    Owner owner_ = Owner::kFree;
    std::vector<std::pair<uint64_t, uint64_t>> held_;  // bytes that the user has, by CQE
};

void settle(Area& area) {
    std::ranges::stable_sort(area.moments, [](const Moment& a, const Moment& b) {
        return std::pair(a.at, a.step) < std::pair(b.at, b.step);
    });
    std::unordered_map<uint32_t, Buffer> buffers;
    for (const Moment& moment : area.moments) {
        if (moment.at > area.owners.to) continue;
        buffers[moment.buffer].see(
            moment, [&](OwnerChange change) { area.owners.changes.push_back(change); });
    }
}

// The device's writes as moments. A write that was delivered lies between the return of what the
// buffer had before and its CQE, whatever the clocks say.
void add_writes(Areas& areas, Events events, const WriteTimes& times) {
    std::map<std::pair<const Area*, uint32_t>, std::vector<int64_t>> returned;
    for (const Area& area : areas.all())
        for (const Moment& moment : area.moments)
            if (moment.step == Step::kReturned)
                returned[{&area, moment.buffer}].push_back(moment.at);
    for (const WriteTime& write : times.writes) {
        if (write.entry->kind == DmaKind::kHeader) continue;
        const auto place = areas.written(*write.entry, write.written);
        if (!place) continue;
        auto& [area, buffer] = *place;
        int64_t until = area->owners.to;
        if (write.cqe) {
            const CqeSeen& cqe = std::get<CqeSeen>(events[*write.cqe].body);
            // Not if these bytes were copied elsewhere.
            if (areas.find(cqe.ifq, cqe.offset) == area &&
                Areas::buffer_at(*area, cqe.offset) == buffer)
                until = static_cast<int64_t>(events[*write.cqe].nanoseconds);
        }
        int64_t since = area->owners.from;
        const auto& before = returned[{area, buffer}];
        const auto after = std::ranges::lower_bound(before, until);
        if (after != before.begin()) since = *std::prev(after) + 1;
        const int64_t written = std::clamp(write.written, since, std::max(since, until));
        area->moments.push_back({written, Step::kWritten, buffer, write.event});
        if (write.posted)
            area->moments.push_back(
                {std::clamp(*write.posted, since, written), Step::kPosted, buffer, write.event});
    }
}

}  // namespace

std::vector<AreaOwners> owners(Events events, const WriteTimes& times) {
    Areas areas(events);
    AreaTable table;
    for (size_t i = 0; i < events.size(); ++i) {
        const auto at = static_cast<int64_t>(events[i].nanoseconds);
        const EventBody& body = events[i].body;
        if (const auto* ifq = std::get_if<IfqRegistered>(&body)) {
            table.add(*ifq);
        } else if (const auto* area = std::get_if<AreaRegistered>(&body)) {
            areas.see(at, *area, table);
        } else if (const auto* closed = std::get_if<RingClosed>(&body)) {
            if (!closed->ifq_lives_on) areas.close(at, closed->ifq);
        } else if (const auto* cqe = std::get_if<CqeSeen>(&body);
                   cqe != nullptr && cqe->result > 0) {
            Area* where = areas.find(cqe->ifq, cqe->offset);
            if (where == nullptr) continue;
            // A CQE may span pages, and, where it is wrong, buffers.
            const uint64_t size = where->owners.buffer_size;
            const uint64_t begin = cqe->offset & uapi::kZcrxOffsetMask;
            const uint64_t end = begin + static_cast<uint64_t>(cqe->result);
            const uint64_t last =
                std::min<uint64_t>(where->owners.buffers, begin / size + kMostOfOneCqe);
            for (uint64_t buffer = begin / size; buffer * size < end && buffer < last; ++buffer)
                where->moments.push_back(
                    {at, Step::kDelivered, static_cast<uint32_t>(buffer), i, begin, end});
        } else if (const auto* back = std::get_if<BufferReturned>(&body)) {
            Area* where = areas.find(back->ifq, back->offset);
            if (where == nullptr) continue;
            if (const auto buffer = Areas::buffer_at(*where, back->offset))
                where->moments.push_back(
                    {at, Step::kReturned, *buffer, i, back->offset & uapi::kZcrxOffsetMask, 0});
        }
    }
    add_writes(areas, events, times);
    std::map<uint32_t, std::vector<Area*>> rings;
    for (Area& area : areas.all()) rings[area.owners.ifq].push_back(&area);
    for (auto& [ifq, of_ring] : rings) add_taken(of_ring);

    std::vector<AreaOwners> all;
    for (Area& area : areas.all()) {
        settle(area);
        all.push_back(std::move(area.owners));
    }
    return all;
}

Owner owner_at(const AreaOwners& area, uint32_t buffer, int64_t when) {
    Owner owner = Owner::kFree;
    for (const OwnerChange& change : area.changes) {
        if (change.at > when) break;
        if (change.buffer == buffer) owner = change.owner;
    }
    return owner;
}

}  // namespace zcrxlab
