// Prints the page that tests/results/timeline/page/check looks at: a few timelines, or one of
// 100,000 events.
#include <cstdio>
#include <cstring>

#include "results/timeline/render.hpp"
#include "tests/results/timeline/told_trace.hpp"

namespace {

using namespace zcrxlab;

Timeline named(Timeline timeline, const char* name) {
    timeline.test = name;
    return timeline;
}

std::string small_page() {
    const TestResult verdict{.name = "refill.twice",
                             .status = TestStatus::kFailed,
                             .seconds = 0.25,
                             .message = "I3 does not hold: <b>live</b> ranges overlap"};
    static const TestResult untraced{.name = "registration.each_step_fails",
                                     .status = TestStatus::kSkipped,
                                     .message = "The kernel has no <b>fail-nth</b>."};
    Timeline good =
        told_story({.note = "</script><script>document.title='broken'</script><b>x</b>"});
    good.status = TestStatus::kPassed;
    const Timeline bad = timeline_of(told_test({.twice = 10}), {}, &verdict);
    RecordedTest cut = told_test({.stamps = false});
    cut.left_out = 3897;
    // Its second half comes a minute later.
    RecordedTest late = told_test({});
    for (size_t i = late.events.size() / 2; i < late.events.size(); ++i)
        late.events[i].nanoseconds += 60'000'000'000;
    return to_page({named(std::move(good), "receive.<good>"), named(bad, "refill.twice"),
                    named(timeline_of(cut, {}, nullptr), "receive.cut/1"),
                    named(timeline_of(late, {}, nullptr), "receive.late")},
                   "7.3.4 <fixture> on gve", {&untraced});
}

// Three events a packet and what a test begins and ends with; each packet also has a DMA write. The
// buffer of one packet in the middle is handed out twice.
std::string large_page() {
    constexpr uint32_t kPackets = 33'329;
    RecordedTest test = told_test({.packets = kPackets, .pages = 512, .twice = kPackets / 2});
    while (test.events.size() < 100'000)
        test.events.push_back({test.events.back().nanoseconds, Note{"."}});
    return to_page({timeline_of(test, {}, nullptr)}, "100,000 events");
}

}  // namespace

int main(int argc, char** argv) {
    const bool large = argc > 1 && std::strcmp(argv[1], "large") == 0;
    return std::fputs((large ? large_page() : small_page()).c_str(), stdout) < 0 ? 1 : 0;
}
