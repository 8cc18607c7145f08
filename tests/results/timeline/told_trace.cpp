// A trace of one ring that receives, with times as in an emulated guest, for tests and pages.
#include "tests/results/timeline/told_trace.hpp"

#include <algorithm>
#include <deque>

#include "harness/uapi/io_uring.hpp"

namespace zcrxlab {

namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kRequest = 101;

class Teller {
  public:
    explicit Teller(const ToldShape& shape) : shape_(shape) {}

    std::vector<Event> tell() {
        begin();
        for (uint32_t page = 0; page < shape_.pages; ++page) free_.push_back(page);
        const int64_t data = at_;
        for (uint32_t packet = 0; packet < shape_.packets; ++packet) {
            at_ = data + packet * kMillisecond;
            receive(packet);
        }
        end();
        return std::move(events_);
    }

  private:
    void add(EventBody body, uint32_t thread = kTester) {
        events_.push_back({static_cast<uint64_t>(kToldBegin + at_), std::move(body), thread});
    }
    static uint64_t physical(uint32_t page) { return 0x40000000U + page * 3 * kPage; }
    static uint32_t stamp(int64_t at) {
        return static_cast<uint32_t>((kToldBegin + at + kDeviceAhead) / 1000);
    }

    void begin() {
        add(IfqRegistered{
            .ifq = 1, .interface = "eth0", .queue = 1, .rq_entries = 64, .buffer_size = kPage});
        AreaRegistered area{.ifq = 1, .length = shape_.pages * kPage};
        for (uint32_t page = 0; page < shape_.pages; ++page) area.pages.push_back(physical(page));
        at_ = kMillisecond;
        add(area);
        at_ = 5 * kMillisecond;
        add(ConnectionOpened{.stream = 1, .source_port = 40000, .destination_port = 9999});
        add(RequestSubmitted{.request = kRequest, .ifq = 1, .stream = 1});
        at_ = kToldData;
    }

    void receive(uint32_t packet) {
        const uint32_t page =
            shape_.twice != 0 && packet == shape_.twice ? held_.back() : free_.front();
        if (free_.front() == page) free_.pop_front();
        DmaLogEntry entry{};
        entry.sequence = packet + 1;
        entry.packet = packet + 1;
        entry.address = physical(page);
        entry.length = uint32_t{kPage};
        entry.flow = 1U;
        entry.tcp_sequence = 1 + packet * static_cast<uint32_t>(kPage);
        entry.queue = uint16_t{1};
        entry.kind = DmaKind::kPayload;
        if (shape_.stamps) {
            entry.posted = stamp(at_);
            entry.written = stamp(at_ + 300'000);
        }
        entries_.push_back(entry);
        at_ += 200'000;
        add(PeerSent{.stream = 1, .total = (packet + 1) * kPage}, kSender);
        at_ += 300'000;
        add(CqeSeen{.request = kRequest,
                    .ifq = 1,
                    .stream = 1,
                    .result = kPage,
                    .flags = uapi::kCqeMore,
                    .offset = page * kPage,
                    .big = true,
                    .position = packet * kPage});
        held_.push_back(page);
        at_ += 100'000;
        if (held_.size() > shape_.held) give_back();
    }

    void give_back() {
        add(BufferReturned{.ifq = 1, .offset = held_.front() * kPage, .length = kPage});
        const uint32_t page = held_.front();
        held_.pop_front();
        // Of a page that was handed out twice the second one makes it free.
        if (std::ranges::find(held_, page) == held_.end()) free_.push_back(page);
    }

    void end() {
        at_ += kMillisecond;
        add(PeerClosed{.stream = 1}, kSender);
        add(CqeSeen{.request = kRequest,
                    .ifq = 1,
                    .stream = 1,
                    .big = true,
                    .position = shape_.packets * kPage});
        add(StreamFinished{.stream = 1});
        while (!held_.empty()) give_back();
        at_ += kMillisecond;
        add(RingClosed{.ifq = 1});
        at_ += 30 * kMillisecond;
        add(ProviderReleased{.interface = "eth0", .queue = 1, .released = true, .milliseconds = 30},
            0);
        add(NicCompared{.interface = "eth0", .before = {"mtu 9000"}, .after = {"mtu 9000"}}, 0);
        DmaLogFlow flow{};
        flow.flow = 1U;
        flow.source_port = uint16_t{40000};
        flow.destination_port = uint16_t{9999};
        flow.family = 4;
        flow.has_syn = 1;
        add(DmaWrites{.entries = std::move(entries_), .flows = {flow}}, 0);
        add(DriverWatched{}, 0);
        add(KernelMessage{.level = 6, .text = "[    9.502000] gve eth0: Device link is up."}, 0);
        if (!shape_.note.empty()) add(Note{.text = shape_.note});
    }

    const ToldShape& shape_;
    std::vector<Event> events_;
    std::vector<DmaLogEntry> entries_;
    std::deque<uint32_t> free_, held_;
    int64_t at_ = 0;
};

}  // namespace

std::vector<Event> told_trace(const ToldShape& shape) {
    return Teller(shape).tell();
}

RecordedTest told_test(const ToldShape& shape) {
    return {.name = "receive.told", .events = told_trace(shape)};
}

Timeline told_story(const ToldShape& shape) {
    return timeline_of(told_test(shape), {}, nullptr);
}

}  // namespace zcrxlab
