// Prints the page that tests/vm/story/page/check looks at: a few stories, or one of 100,000 events.
#include <cstdio>
#include <cstring>

#include "tests/vm/story/told_trace.hpp"
#include "vm/story/render.hpp"

namespace {

using namespace zcrxlab;

Story named(Story story, const char* name) {
    story.test = name;
    return story;
}

std::string small_page() {
    const TestResult verdict{.name = "refill.twice",
                             .status = TestStatus::kFailed,
                             .seconds = 0.25,
                             .message = "I3 does not hold: <b>live</b> ranges overlap"};
    static const TestResult untraced{.name = "registration.each_step_fails",
                                     .status = TestStatus::kSkipped,
                                     .message = "The kernel has no <b>fail-nth</b>."};
    Story good = told_story({.note = "</script><script>document.title='broken'</script><b>x</b>"});
    good.status = TestStatus::kPassed;
    const Story bad = story_of(told_test({.twice = 10}), {}, &verdict);
    RecordedTest cut = told_test({.stamps = false});
    cut.left_out = 3897;
    return to_page({named(std::move(good), "receive.<good>"), named(bad, "refill.twice"),
                    named(story_of(cut, {}, nullptr), "receive.cut/1")},
                   "7.3.4 <fixture> on gve", {&untraced});
}

// Three events a packet and what a test begins and ends with; each packet also has a DMA write. The
// buffer of one packet in the middle is handed out twice.
std::string large_page() {
    constexpr uint32_t kPackets = 33'329;
    RecordedTest test = told_test({.packets = kPackets, .pages = 512, .twice = kPackets / 2});
    while (test.events.size() < 100'000)
        test.events.push_back({test.events.back().nanoseconds, Note{"."}});
    return to_page({story_of(test, {}, nullptr)}, "100,000 events");
}

}  // namespace

int main(int argc, char** argv) {
    const bool large = argc > 1 && std::strcmp(argv[1], "large") == 0;
    return std::fputs((large ? large_page() : small_page()).c_str(), stdout) < 0 ? 1 : 0;
}
