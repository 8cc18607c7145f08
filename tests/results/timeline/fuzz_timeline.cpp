// Arbitrary bytes as each of the files of a run: they are refused with a sentence, or whatever they
// tell can be shown.
//
// reaches 60 % of results/timeline/capture.cpp
// reaches 45 % of results/timeline/timeline.cpp
// reaches 45 % of results/timeline/text.cpp
// reaches 80 % of results/timeline/page.cpp
// reaches 55 % of results/timeline/owners.cpp
#include <cstdlib>

#include "harness/trace/trace.hpp"
#include "results/timeline/render.hpp"
#include "tests/results/timeline/told_trace.hpp"

namespace {

using namespace zcrxlab;

void check_lines(const std::string& text) {
    for (const char c : text)
        if (static_cast<unsigned char>(c) < 0x20 && c != '\n') std::abort();
}

void show(const Recording& recording) {
    const std::vector<Timeline> timelines =
        timelines_of(recording, nullptr, [](const std::string&) { return true; });
    for (const Timeline& timeline : timelines) {
        for (const Item& item : timeline.items)
            if (item.lane >= timeline.lanes.size()) std::abort();
        for (const Breach& failure : timeline.failures)
            if (failure.item >= timeline.items.size()) std::abort();
        for (const AreaOwners& area : timeline.areas)
            for (const OwnerChange& change : area.changes)
                if (change.buffer >= area.buffers) std::abort();
        check_lines(to_text(timeline, {}));
        check_lines(to_text(timeline, {.width = 40, .around_failure = true}));
    }
    const std::string page = to_page(timelines, "fuzz");
    size_t ends = 0;
    for (size_t at = 0; (at = page.find("</script", at)) != std::string::npos; ++at) ++ends;
    if (ends != timelines.size() + 2) std::abort();
}

}  // namespace

// The first byte says which file it is; lines of a trace may also be put among good ones.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) return 0;
    static const std::string kGood = [] {
        std::string text;
        for (const Event& event : told_trace({.packets = 3, .pages = 4}))
            text += to_json(event) + "\n";
        return text;
    }();
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    Recording recording;
    switch (data[0] % 4) {
        case 0:
        case 1: {
            std::string whole = data[0] % 4 == 0 ? "" : kGood;
            // A piece of the good ones gives way.
            if (!whole.empty() && text.size() > 4) {
                const size_t at = (static_cast<size_t>(data[1]) << 8 | data[2]) % whole.size();
                whole.replace(at, data[3] % 64, text.substr(3));
            } else {
                whole += text;
            }
            auto tests = read_trace(whole);
            if (!tests) {
                if (tests.error().sentence.empty()) std::abort();
                return 0;
            }
            recording.tests = std::move(*tests);
            break;
        }
        case 2: {
            auto capture = read_capture(std::as_bytes(std::span(text)));
            if (!capture) return 0;
            recording.tests = {told_test({.packets = 3, .pages = 4})};
            recording.frames = std::move(capture->frames);
            break;
        }
        default: {
            auto lines = read_device_log(text);
            if (!lines) return 0;
            recording.tests = {told_test({.packets = 3, .pages = 4})};
            // With what puts the log on the trace's clock.
            recording.device = std::move(*lines);
            Frame syn{.nanoseconds = 1'000'000'000'000,
                      .harmed = "fault",
                      .family = 4,
                      .source_port = 40000,
                      .destination_port = 9999,
                      .syn = true};
            recording.frames = {syn};
            break;
        }
    }
    show(recording);
    return 0;
}
