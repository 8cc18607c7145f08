// Timeline: what happened in one scenario, as items in lanes, and where it broke what was promised.
#include "results/timeline/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>

#include "harness/oracle/area_table.hpp"
#include "harness/trace/trace.hpp"
#include "harness/uapi/zcrx.hpp"

namespace zcrxlab {

namespace {

constexpr std::array<std::string_view, kItemKinds> kKindNames = {
    "setup", "request", "data",  "end",    "return", "sent",
    "write", "frame",   "fault", "kernel", "check",  "note"};

// The ring of an event, by its ifq.
template <typename Body>
concept OfRing = requires(const Body& body) {
    body.ifq;
};

ItemKind kind_of(const Event& event) {
    struct Visitor {
        ItemKind operator()(const RequestSubmitted&) const { return ItemKind::kRequest; }
        ItemKind operator()(const CqeSeen& e) const {
            return e.result > 0 ? ItemKind::kData : ItemKind::kEnd;
        }
        ItemKind operator()(const OtherSubmitted&) const { return ItemKind::kRequest; }
        ItemKind operator()(const OtherCqeSeen&) const { return ItemKind::kEnd; }
        ItemKind operator()(const CqFull&) const { return ItemKind::kNote; }
        ItemKind operator()(const CqRead&) const { return ItemKind::kCheck; }
        ItemKind operator()(const CqMayOverflow&) const { return ItemKind::kNote; }
        ItemKind operator()(const HeldCompared&) const { return ItemKind::kCheck; }
        ItemKind operator()(const RefillRead&) const { return ItemKind::kNote; }
        ItemKind operator()(const EndMeant&) const { return ItemKind::kNote; }
        ItemKind operator()(const BufferReturned&) const { return ItemKind::kReturn; }
        ItemKind operator()(const PeerSent&) const { return ItemKind::kSent; }
        ItemKind operator()(const DmaWrites&) const { return ItemKind::kCheck; }
        ItemKind operator()(const ForbiddenAsked&) const { return ItemKind::kHarm; }
        ItemKind operator()(const DriverWatched&) const { return ItemKind::kCheck; }
        ItemKind operator()(const FaultInjected&) const { return ItemKind::kHarm; }
        ItemKind operator()(const KernelMessage&) const { return ItemKind::kKernel; }
        ItemKind operator()(const CapacityMeasured&) const { return ItemKind::kCheck; }
        ItemKind operator()(const ProviderReleased&) const { return ItemKind::kCheck; }
        ItemKind operator()(const CounterCompared&) const { return ItemKind::kCheck; }
        ItemKind operator()(const NicCompared&) const { return ItemKind::kCheck; }
        ItemKind operator()(const CallReturned&) const { return ItemKind::kCheck; }
        ItemKind operator()(const QueueCounted&) const { return ItemKind::kCheck; }
        ItemKind operator()(const StreamFinished&) const { return ItemKind::kCheck; }
        ItemKind operator()(const CopiesExpected&) const { return ItemKind::kNote; }
        ItemKind operator()(const CountAsked&) const { return ItemKind::kNote; }
        ItemKind operator()(const BuffersNotCounted&) const { return ItemKind::kNote; }
        ItemKind operator()(const CopiesNotTold&) const { return ItemKind::kNote; }
        ItemKind operator()(const ActionDone&) const { return ItemKind::kNote; }
        ItemKind operator()(const Note&) const { return ItemKind::kNote; }
        ItemKind operator()(const IfqRegistered&) const { return ItemKind::kSetup; }
        ItemKind operator()(const AreaRegistered&) const { return ItemKind::kSetup; }
        ItemKind operator()(const ConnectionOpened&) const { return ItemKind::kSetup; }
        ItemKind operator()(const PeerClosed&) const { return ItemKind::kSetup; }
        ItemKind operator()(const RingClosed&) const { return ItemKind::kSetup; }
    };
    return std::visit(Visitor{}, event.body);
}

class Teller {
  public:
    Teller(const RecordedTest& test, Timeline& timeline)
        : events_(test.events), timeline_(timeline) {
        threads_told_apart_ =
            std::ranges::any_of(events_, [](const Event& event) { return event.thread != 0; });
    }

    void tell_events() {
        for (size_t i = 0; i < events_.size(); ++i) {
            const Event& event = events_[i];
            if (const auto* ifq = std::get_if<IfqRegistered>(&event.body)) areas_.add(*ifq);
            if (const auto* area = std::get_if<AreaRegistered>(&event.body)) areas_.add(*area);
            const uint16_t thread = thread_lane(event.thread);
            const uint16_t subject = subject_lane(event);
            Item item{.at = since_begin(time_of(i)),
                      .lane = subject == Item::kNoLane ? thread : subject,
                      .kind = kind_of(event),
                      .event = i,
                      .text = on_one_line(describe(event))};
            if (subject != Item::kNoLane) item.thread = thread;
            if (const auto* cqe = std::get_if<CqeSeen>(&event.body); cqe && cqe->result > 0) {
                item.bytes = static_cast<uint64_t>(cqe->result);
                item.text += buffer_text(cqe->ifq, cqe->offset);
            } else if (const auto* back = std::get_if<BufferReturned>(&event.body)) {
                item.text += buffer_text(back->ifq, back->offset);
            } else if (const auto* message = std::get_if<KernelMessage>(&event.body)) {
                item.thread = Item::kNoLane;
                place_by_own_time(*message, item);
            }
            timeline_.items.push_back(std::move(item));
        }
    }

    void tell_writes(const WriteTimes& times) {
        for (const WriteTime& write : times.writes) {
            const DmaLogEntry& entry = *write.entry;
            std::string text;
            if (entry.kind == DmaKind::kHeader)
                text = fmt::format("port {} wrote {} bytes of headers", entry.port,
                                   entry.length.get());
            else if (write.stream)
                text = fmt::format("port {} wrote {} bytes of stream {}, position {}, to {:#x}",
                                   entry.port, entry.length.get(), *write.stream, write.position,
                                   entry.address.get());
            else
                text = fmt::format("port {} wrote {} bytes to {:#x}", entry.port,
                                   entry.length.get(), entry.address.get());
            if (entry.kind == DmaKind::kUnsplit) text += ", headers and all";
            text +=
                fmt::format(": DMA write {}, queue {}", entry.sequence.get(), entry.queue.get());
            if (entry.fault != 0) text += fmt::format(", touched by rule {}", entry.fault.get());
            if (write.posted)
                text += fmt::format(", posted {:.3f} ms before",
                                    static_cast<double>(write.written - *write.posted) / 1e6);
            timeline_.items.push_back({.at = since_begin(write.written),
                                       .lane = lane(Lane::Of::kDevice, 0),
                                       .kind = ItemKind::kWrite,
                                       .bytes = entry.length,
                                       .text = std::move(text)});
        }
    }

    void tell_surroundings(const Surroundings& around) {
        for (const TimedFrame& each : around.frames) {
            const Frame& frame = *each.frame;
            const bool harmed = !frame.harmed.empty();
            timeline_.items.push_back(
                {.at = since_begin(each.at),
                 .lane = lane(Lane::Of::kWire, 0),
                 .kind = harmed ? ItemKind::kHarm : ItemKind::kFrame,
                 .bytes = frame.payload,
                 .text = harmed ? frame.text + ": " + frame.harmed : frame.text});
        }
        for (const TimedLine& each : around.lines) {
            const DeviceLine& line = *each.line;
            const bool harm = line.what == "dropped" || line.what.starts_with("fault");
            timeline_.items.push_back(
                {.at = since_begin(each.at),
                 .lane = lane(Lane::Of::kDevice, 0),
                 .kind = harm ? ItemKind::kHarm : ItemKind::kNote,
                 .text = fmt::format("port {}, {}: {}", line.port, line.what, line.text)});
        }
    }

    // Lanes in the order in which a page shows them, items in that of time.
    void put_in_order() {
        std::vector<uint16_t> order(timeline_.lanes.size());
        std::iota(order.begin(), order.end(), uint16_t{0});
        std::ranges::stable_sort(order, {}, [&](uint16_t i) { return timeline_.lanes[i].of; });
        std::vector<uint16_t> place(order.size());
        std::vector<Lane> lanes;
        for (const uint16_t from : order) {
            place[from] = static_cast<uint16_t>(lanes.size());
            lanes.push_back(std::move(timeline_.lanes[from]));
        }
        timeline_.lanes = std::move(lanes);
        for (Item& item : timeline_.items) {
            item.lane = place[item.lane];
            if (item.thread != Item::kNoLane) item.thread = place[item.thread];
        }
        // What the device did at the time of an event came before it, and may be known by it only.
        std::ranges::stable_sort(timeline_.items, [](const Item& left, const Item& right) {
            return std::pair(left.at, left.event != Item::kNoEvent) <
                   std::pair(right.at, right.event != Item::kNoEvent);
        });
    }

  private:
    int64_t time_of(size_t event) const { return static_cast<int64_t>(events_[event].nanoseconds); }
    int64_t since_begin(int64_t at) const { return at - timeline_.began; }

    uint16_t lane(Lane::Of of, uint32_t number) {
        const auto [found, added] =
            lanes_.try_emplace({of, number}, static_cast<uint16_t>(timeline_.lanes.size()));
        if (!added) return found->second;
        // More than that are never looked at; the last one takes the rest.
        constexpr size_t kMostLanes = 4096;
        if (timeline_.lanes.size() == kMostLanes) {
            found->second = kMostLanes - 1;
            return found->second;
        }
        Lane made{.of = of};
        switch (of) {
            case Lane::Of::kWire:
                made.name = made.brief = "wire";
                break;
            case Lane::Of::kDevice:
                made.name = made.brief = "device";
                break;
            case Lane::Of::kKernel:
                made.name = "kernel log";
                made.brief = "kernel";
                break;
            case Lane::Of::kRing: {
                const IfqRegistered* ifq = areas_.ifq(number);
                made.brief = fmt::format("ring {}", number);
                made.name = fmt::format("ring of ifq {}", number);
                if (ifq != nullptr)
                    made.name +=
                        ifq->interface.empty()
                            ? std::string(", no device")
                            : fmt::format(", {} queue {}", on_one_line(ifq->interface), ifq->queue);
                break;
            }
            case Lane::Of::kThread:
                if (number != 0)
                    made.name = made.brief = fmt::format("thread {}", number);
                else if (threads_told_apart_)
                    made.name = "runner, before and after", made.brief = "runner";
                else
                    made.name = "threads, not told apart", made.brief = "threads";
                break;
        }
        timeline_.lanes.push_back(std::move(made));
        return found->second;
    }
    uint16_t thread_lane(uint32_t thread) { return lane(Lane::Of::kThread, thread); }

    // Where an event belongs by what it is about; kNoLane if that is a thread.
    uint16_t subject_lane(const Event& event) {
        return std::visit(
            [&](const auto& body) -> uint16_t {
                using Body = std::decay_t<decltype(body)>;
                if constexpr (OfRing<Body>)
                    return lane(Lane::Of::kRing, body.ifq);
                else if constexpr (std::is_same_v<Body, KernelMessage>)
                    return lane(Lane::Of::kKernel, 0);
                else if constexpr (std::is_same_v<Body, DmaWrites> ||
                                   std::is_same_v<Body, FaultInjected> ||
                                   std::is_same_v<Body, ForbiddenAsked> ||
                                   std::is_same_v<Body, DriverWatched> ||
                                   std::is_same_v<Body, ProviderReleased>)
                    return lane(Lane::Of::kDevice, 0);
                else
                    return Item::kNoLane;
            },
            event.body);
    }

    std::string buffer_text(uint32_t ifq, uint64_t offset) const {
        const IfqRegistered* queue = areas_.ifq(ifq);
        if (queue == nullptr || queue->buffer_size == 0 || areas_.area_of(ifq, offset) == nullptr)
            return {};
        return fmt::format(", buffer {}", (offset & uapi::kZcrxOffsetMask) / queue->buffer_size);
    }

    // A line of the log says itself when it was written: "[    9.533496] gve ...".
    void place_by_own_time(const KernelMessage& message, Item& item) {
        const char* text = message.text.c_str();
        if (*text != '[') return;
        char* end = nullptr;
        const double seconds = std::strtod(text + 1, &end);
        if (end == text + 1 || *end != ']' || !(seconds > 0 && seconds < 1e9)) return;
        const auto own = since_begin(std::llround(seconds * 1e9));
        // It was read later than it was written, and not very much.
        constexpr int64_t kLongest = 600'000'000'000;
        if (own <= item.at && item.at - own < kLongest) item.at = own;
        const size_t skip = static_cast<size_t>(end - text) + 1;
        item.text = fmt::format(
            "level {}: {}", message.level,
            on_one_line(
                std::string_view(message.text)
                    .substr(std::min(message.text.size(), skip + (text[skip] == ' ' ? 1 : 0)))));
    }

    Events events_;
    Timeline& timeline_;
    AreaTable areas_;
    bool threads_told_apart_ = false;
    std::map<std::pair<Lane::Of, uint32_t>, uint16_t> lanes_;
};

void mark_failures(const RecordedTest& test, Timeline& timeline) {
    std::map<size_t, size_t> item_of;  // by event
    for (size_t i = 0; i < timeline.items.size(); ++i)
        if (timeline.items[i].event != Item::kNoEvent) item_of[timeline.items[i].event] = i;
    timeline.judged = test.whole();
    if (timeline.judged)
        for (const Violation& violation : check_all(test.events)) {
            const auto found = item_of.find(violation.event);
            timeline.failures.push_back({found == item_of.end() ? 0 : found->second,
                                         name_of(violation.invariant),
                                         on_one_line(violation.sentence)});
        }
    const bool bad = timeline.status == TestStatus::kFailed ||
                     timeline.status == TestStatus::kKnown ||
                     timeline.status == TestStatus::kBlocked;
    // What the scenario's own checks found has no event; it came to light at the end.
    if (bad && timeline.failures.empty() && !timeline.items.empty()) {
        std::string_view message = timeline.message;
        message = message.substr(0, message.find("\nIt claims"));
        if (message.starts_with("Known issue") && message.find('\n') != std::string_view::npos)
            message.remove_prefix(message.find('\n') + 1);
        timeline.failures.push_back({timeline.items.size() - 1, "", on_one_line(message)});
    }
    std::ranges::stable_sort(timeline.failures, {}, &Breach::item);
}

}  // namespace

std::string_view name_of(ItemKind kind) {
    return kKindNames[static_cast<size_t>(kind)];
}

Timeline timeline_of(const RecordedTest& test, const Surroundings& around,
                     const TestResult* verdict) {
    Timeline timeline;
    timeline.test = test.name;
    timeline.left_out = test.left_out;
    timeline.began =
        test.events.empty() ? 0 : static_cast<int64_t>(test.events.front().nanoseconds);
    if (verdict != nullptr) {
        timeline.status = verdict->status;
        timeline.message = cleaned(verdict->message);
        timeline.seconds = verdict->seconds;
    }
    const WriteTimes times = write_times(test.events);
    Teller teller(test, timeline);
    teller.tell_events();
    teller.tell_writes(times);
    teller.tell_surroundings(around);
    teller.put_in_order();
    timeline.areas = owners(test.events, times);
    for (AreaOwners& area : timeline.areas) {
        area.from -= timeline.began;
        area.to -= timeline.began;
        for (OwnerChange& change : area.changes) change.at -= timeline.began;
    }
    mark_failures(test, timeline);
    return timeline;
}

std::vector<Timeline> timelines_of(const Recording& recording, const RunSummary* results,
                                   const std::function<bool(const std::string&)>& wanted) {
    const std::vector<Surroundings> around = surroundings_of(recording);
    std::vector<Timeline> timelines;
    for (size_t i = 0; i < recording.tests.size(); ++i) {
        if (!wanted(recording.tests[i].name)) continue;
        const TestResult* verdict = nullptr;
        if (results != nullptr)
            for (const TestResult& result : results->tests)
                if (on_one_line(result.name) == recording.tests[i].name) verdict = &result;
        timelines.push_back(timeline_of(recording.tests[i], around[i], verdict));
    }
    return timelines;
}

}  // namespace zcrxlab
