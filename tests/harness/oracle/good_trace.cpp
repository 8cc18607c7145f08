// A trace in which everything holds, and what is expected of damaged ones.
#include "tests/harness/oracle/good_trace.hpp"

#include <algorithm>
#include <deque>

#include "harness/uapi/io_uring.hpp"

namespace zcrxlab {

namespace {

constexpr uint64_t kPage = 4096;
constexpr uint32_t kIfq = 7;
constexpr uint32_t kArea = 3;
constexpr uint32_t kQueue = 1;

struct TestStream {
    uint32_t stream;
    uint64_t request;
    uint8_t family;
    uint16_t port;
    uint32_t flow;
    uint32_t initial_sequence;
    uint64_t position = 0;
};

class Builder {
  public:
    explicit Builder(const TraceShape& shape) : shape_(shape) {}

    std::vector<Event> build() {
        begin();
        for (uint32_t i = 0; i < shape_.area_pages; ++i) free_.push_back(i);
        for (uint64_t packet = 0; packet < shape_.packets; ++packet) {
            for (TestStream& stream : streams_) receive(stream);
            if (packet == shape_.packets / 2) take_log();
        }
        end();
        return std::move(events_);
    }

  private:
    void add(EventBody body) { events_.push_back({++clock_, std::move(body)}); }

    uint64_t physical(uint32_t page) const {
        // Odd steps through a power of two: no two neighbours are neighbours in memory.
        return 0x40000000U + (page * 5 % 1048576U) * 3 * kPage;
    }

    void begin() {
        add(IfqRegistered{.ifq = kIfq,
                          .interface = shape_.device ? "eth0" : "",
                          .queue = kQueue,
                          .rq_entries = 64,
                          .buffer_size = kPage,
                          .zcrx_id = 0,
                          .zero_copy_expected = shape_.device,
                          .mixed = shape_.mixed,
                          .ring = kRingOfGoodTrace});
        AreaRegistered area{.ifq = kIfq,
                            .area = kArea,
                            .address = 0x7f0000000000,
                            .length = shape_.area_pages * kPage};
        for (uint32_t i = 0; i < shape_.area_pages; ++i) area.pages.push_back(physical(i));
        add(area);
        for (const TestStream& s : streams_) {
            add(ConnectionOpened{.stream = s.stream,
                                 .seed = s.stream,
                                 .family = s.family,
                                 .source_port = s.port,
                                 .destination_port = 9999});
            add(PeerSent{.stream = s.stream, .total = shape_.packets * shape_.packet_bytes});
            add(RequestSubmitted{
                .request = s.request, .ifq = kIfq, .stream = s.stream, .ring = kRingOfGoodTrace});
        }
    }

    void receive(TestStream& s) {
        const uint32_t page = free_.front();
        free_.pop_front();
        log(s, page);
        const uint64_t offset = uint64_t{kArea} << 48 | page * kPage;
        add(CqeSeen{.request = s.request,
                    .ifq = kIfq,
                    .stream = s.stream,
                    .result = static_cast<int32_t>(shape_.packet_bytes),
                    .flags = uapi::kCqeMore | (shape_.mixed ? uapi::kCqe32 : 0),
                    .offset = offset,
                    .big = true,
                    .position = s.position});
        s.position += shape_.packet_bytes;
        held_.push_back(page);
        if (held_.size() > shape_.returned_after) give_back();
    }

    void give_back() {
        const uint32_t page = held_.front();
        held_.pop_front();
        free_.push_back(page);
        add(BufferReturned{.ifq = kIfq,
                           .offset = uint64_t{kArea} << 48 | page * kPage,
                           .length = shape_.packet_bytes});
    }

    void log(const TestStream& s, uint32_t page) {
        ++packet_;
        DmaLogEntry header{};
        header.sequence = ++sequence_;
        header.packet = packet_;
        header.address = 0x1000U + packet_ % 16 * 256;
        header.length = 66U;
        header.flow = s.flow;
        header.tcp_sequence = s.initial_sequence + 1 + static_cast<uint32_t>(s.position);
        header.queue = uint16_t{kQueue};
        header.kind = DmaKind::kHeader;
        DmaLogEntry payload = header;
        payload.sequence = ++sequence_;
        payload.address = physical(page);
        payload.length = shape_.packet_bytes;
        payload.kind = DmaKind::kPayload;
        if (shape_.device) {
            entries_.push_back(header);
            entries_.push_back(payload);
        }
    }

    void take_log() {
        if (!shape_.device) return;
        DmaWrites writes{.entries = std::move(entries_)};
        entries_.clear();
        for (const TestStream& s : streams_) {
            DmaLogFlow flow{};
            flow.flow = s.flow;
            flow.initial_sequence = s.initial_sequence;
            flow.source_port = s.port;
            flow.destination_port = uint16_t{9999};
            flow.family = s.family;
            flow.has_syn = 1;
            writes.flows.push_back(flow);
        }
        add(std::move(writes));
    }

    void end() {
        for (const TestStream& s : streams_) {
            add(PeerClosed{.stream = s.stream});
            add(CqeSeen{.request = s.request,
                        .ifq = kIfq,
                        .stream = s.stream,
                        .result = 0,
                        .big = !shape_.mixed,
                        .position = s.position});
        }
        while (!held_.empty()) give_back();
        take_log();
        for (const TestStream& s : streams_) add(StreamFinished{.stream = s.stream});
        add(CapacityMeasured{
            .ifq = kIfq, .total = shape_.area_pages, .distinct = shape_.area_pages});
        add(CqRead{.ring = kRingOfGoodTrace});
        add(RingClosed{.ifq = kIfq});
        if (shape_.device) {
            add(ProviderReleased{
                .interface = "eth0", .queue = kQueue, .released = true, .milliseconds = 12});
            add(NicCompared{.interface = "eth0",
                            .before = {"rings 1024", "split off"},
                            .after = {"rings 1024", "split off"}});
            add(DriverWatched{});
        }
        add(CounterCompared{.name = "pinned pages", .before = 100, .after = 100});
        add(KernelMessage{.level = 6, .text = "eth0: link becomes ready"});
        add(CallReturned{.call = "register with a wrong queue", .expected = 34, .seen = 34});
        add(Note{.text = "done"});
    }

    TraceShape shape_;
    std::vector<TestStream> streams_ = {{1, 101, 4, 40000, 5, 0xfffff000U},
                                        {2, 102, 6, 40000, 6, 0xffffffffU}};
    std::vector<Event> events_;
    std::deque<uint32_t> free_, held_;
    std::vector<DmaLogEntry> entries_;
    uint64_t clock_ = 0, sequence_ = 0, packet_ = 0;
};

bool has_words(const std::vector<Violation>& violations, Invariant invariant,
               const std::string& words) {
    return std::any_of(violations.begin(), violations.end(), [&](const Violation& v) {
        return v.invariant == invariant && v.sentence.find(words) != std::string::npos;
    });
}

}  // namespace

std::vector<Event> good_trace(const TraceShape& shape) {
    return Builder(shape).build();
}

void insert_at(std::vector<Event>& events, size_t index, EventBody body) {
    events.insert(events.begin() + static_cast<std::ptrdiff_t>(index), Event{0, std::move(body)});
}

DmaLogEntry& entry_of_cqe(std::vector<Event>& events, size_t n) {
    const CqeSeen& cqe = nth<CqeSeen>(events, n);
    const uint32_t flow = cqe.stream == 1 ? 5 : 6;
    const uint32_t initial = cqe.stream == 1 ? 0xfffff000U : 0xffffffffU;
    for (Event& event : events)
        if (auto* log = std::get_if<DmaWrites>(&event.body))
            for (DmaLogEntry& entry : log->entries)
                if (entry.kind != DmaKind::kHeader && entry.flow == flow &&
                    entry.tcp_sequence == initial + 1 + static_cast<uint32_t>(cqe.position))
                    return entry;
    ADD_FAILURE() << "no such entry in the log";
    std::abort();
}

std::string text_of(const std::vector<Violation>& violations) {
    std::string text;
    for (const Violation& v : violations)
        text += name_of(v.invariant) + " @" + std::to_string(v.event) + " " + v.sentence + "\n";
    return text;
}

void expect_green(const std::vector<Event>& events) {
    EXPECT_EQ(text_of(check_all(events)), "");
}

void expect_red(Invariant invariant, const std::vector<Event>& events, const std::string& words) {
    const auto violations = check_all(events);
    EXPECT_TRUE(has_words(violations, invariant, words))
        << "expected of " << name_of(invariant) << ": " << words << "\nseen:\n"
        << text_of(violations);
    for (const Violation& v : violations) EXPECT_LT(v.event, events.size());
}

void expect_only(Invariant invariant, const std::vector<Event>& events, const std::string& words) {
    expect_red(invariant, events, words);
    for (const Violation& v : check_all(events))
        EXPECT_EQ(name_of(v.invariant), name_of(invariant)) << v.sentence;
}

}  // namespace zcrxlab
