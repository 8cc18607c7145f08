// Clocks: the wire's capture and the device's log, dealt out to scenarios and put on their clock.
#include "results/timeline/clocks.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "harness/oracle/findings.hpp"

namespace zcrxlab {

namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// Family, source port, destination port.
using Tuple = std::tuple<uint8_t, uint16_t, uint16_t>;

Tuple tuple_of(const Frame& frame) {
    return {frame.family, frame.source_port, frame.destination_port};
}

int64_t time_of(const Frame& frame) {
    return static_cast<int64_t>(frame.nanoseconds);
}

int64_t begin_of(const RecordedTest& test) {
    return static_cast<int64_t>(test.events.front().nanoseconds);
}
int64_t end_of(const RecordedTest& test) {
    return static_cast<int64_t>(test.events.back().nanoseconds);
}

class WireClock {
  public:
    explicit WireClock(const Recording& recording) : frames_(recording.frames) {
        for (size_t i = 0; i < frames_.size(); ++i)
            if (frames_[i].syn && !frames_[i].ack) syns_[tuple_of(frames_[i])].push_back(i);
        std::vector<int64_t> candidates;
        for (const RecordedTest& test : recording.tests)
            each_of<ConnectionOpened>(test.events, [&](size_t i, const ConnectionOpened& e) {
                const auto found = syns_.find({e.family, e.source_port, e.destination_port});
                if (found == syns_.end()) return;
                for (const size_t syn : found->second)
                    candidates.push_back(static_cast<int64_t>(test.events[i].nanoseconds) -
                                         time_of(frames_[syn]));
            });
        // Ports are used again now and then; most pairs are right, and are near each other.
        std::ranges::sort(candidates);
        size_t most = 0;
        for (size_t from = 0, to = 0; from < candidates.size(); ++from) {
            while (to < candidates.size() && candidates[to] - candidates[from] < kSecond) ++to;
            if (to - from > most) {
                most = to - from;
                roughly_ = candidates[from];
            }
        }
    }

    // To be added to a time of the host; a second or better.
    std::optional<int64_t> roughly() const { return roughly_; }

    // As well as one test can tell; nothing if it cannot.
    std::optional<int64_t> exactly(const RecordedTest& test) const {
        std::map<uint32_t, int64_t> first_data;  // by stream
        each_of<CqeSeen>(test.events, [&](size_t i, const CqeSeen& e) {
            if (e.result > 0 && e.position == 0)
                first_data.try_emplace(e.stream, static_cast<int64_t>(test.events[i].nanoseconds));
        });
        int64_t offset = kNever;
        each_of<ConnectionOpened>(test.events, [&](size_t i, const ConnectionOpened& e) {
            const auto opened = static_cast<int64_t>(test.events[i].nanoseconds);
            const auto syn = syn_of(e, opened);
            if (!syn) return;
            offset = std::min(offset, opened - time_of(frames_[*syn]));
            const auto data = first_data.find(e.stream);
            const auto segment = first_segment_behind(*syn);
            if (data != first_data.end() && segment)
                offset = std::min(offset, data->second - time_of(frames_[*segment]));
        });
        // A pair that does not belong together would move everything.
        if (offset == kNever || offset < *roughly_ - kSecond) return {};
        return offset;
    }

  private:
    std::optional<size_t> syn_of(const ConnectionOpened& e, int64_t opened) const {
        const auto found = syns_.find({e.family, e.source_port, e.destination_port});
        if (found == syns_.end() || !roughly_) return {};
        for (const size_t syn : found->second) {
            const int64_t candidate = opened - time_of(frames_[syn]);
            if (candidate >= *roughly_ - kSecond && candidate < *roughly_ + 2 * kSecond) return syn;
        }
        return {};
    }
    std::optional<size_t> first_segment_behind(size_t syn) const {
        for (size_t i = syn + 1; i < frames_.size(); ++i) {
            if (time_of(frames_[i]) - time_of(frames_[syn]) > 10 * kSecond) break;
            if (frames_[i].payload > 0 && tuple_of(frames_[i]) == tuple_of(frames_[syn]) &&
                frames_[i].sequence == frames_[syn].sequence + 1)
                return i;
        }
        return {};
    }

    const std::vector<Frame>& frames_;
    std::map<Tuple, std::vector<size_t>> syns_;
    std::optional<int64_t> roughly_;
};

// The wall clock less the monotonic one, by the first thing that both the capture and the log tell.
std::optional<int64_t> wall_less_monotonic(const Recording& recording) {
    for (const DeviceLine& line : recording.device) {
        if (line.what != "dropped" && !line.what.starts_with("fault ")) continue;
        for (const Frame& frame : recording.frames)
            if (!frame.harmed.empty())
                return time_of(frame) - static_cast<int64_t>(line.nanoseconds);
        return {};
    }
    return {};
}

// The test that a time of the guest falls into: what is between two belongs to the second.
size_t test_at(const std::vector<RecordedTest>& tests, int64_t at) {
    const auto found = std::ranges::partition_point(
        tests, [at](const RecordedTest& test) { return end_of(test) < at; });
    return static_cast<size_t>(found - tests.begin());
}

}  // namespace

std::vector<Surroundings> surroundings_of(const Recording& recording) {
    const std::vector<RecordedTest>& tests = recording.tests;
    std::vector<Surroundings> all(tests.size());
    const WireClock clock(recording);
    if (!clock.roughly()) return all;
    std::vector<int64_t> offsets(tests.size(), *clock.roughly());
    int64_t last = *clock.roughly();
    for (size_t i = 0; i < tests.size(); ++i)
        offsets[i] = last = clock.exactly(tests[i]).value_or(last);

    const auto begin = begin_of(tests.front()) - kSecond;
    const auto deal = [&](int64_t wall, auto&& put) {
        const int64_t at = wall + *clock.roughly();
        if (at < begin) return;
        const size_t test = test_at(tests, at);
        if (test < tests.size()) put(all[test], wall + offsets[test]);
    };
    for (const Frame& frame : recording.frames)
        deal(time_of(frame), [&](Surroundings& of, int64_t at) {
            of.frames.push_back({at, &frame});
        });
    if (const auto wall = wall_less_monotonic(recording))
        for (const DeviceLine& line : recording.device)
            deal(static_cast<int64_t>(line.nanoseconds) + *wall, [&](Surroundings& of, int64_t at) {
                of.lines.push_back({at, &line});
            });
    return all;
}

}  // namespace zcrxlab
