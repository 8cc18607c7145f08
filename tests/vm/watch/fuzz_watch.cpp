// Fuzzes what reads the guest: records in pieces, the console, and what the watch makes of them.
//
// reaches 50 % of vm/watch/watch.cpp
// reaches vm/watch/watch.cpp: withdrawn_ = true;
// reaches 65 % of vm/watch/console.cpp
#include <chrono>
#include <cstdint>
#include <string_view>

#include "harness/report/report.hpp"
#include "vm/watch/console.hpp"
#include "vm/watch/watch.hpp"

constexpr uint8_t kPause = 0xff;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    const Watch::Time start{};
    Watch watch({}, start);
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    ConsoleLines console([&](const std::string& line) { watch.console_line(line, start); });
    // Records as the fuzzer likes them: a byte for the type, then JSON up to a NUL. No type is
    // 0xff: this machine stands still.
    std::string_view rest = input;
    while (rest.size() > 1) {
        const auto type = static_cast<RecordType>(static_cast<uint8_t>(rest[0]));
        const std::string_view json = rest.substr(1, rest.find('\0', 1) - 1);
        if (static_cast<uint8_t>(rest[0]) == kPause)
            watch.stood_still({start, start + kShortestPause, kShortestPause, "QEMU was stopped"});
        else
            watch.record({type, std::string(json)}, start);
        while (watch.take_again()) {
        }
        rest.remove_prefix(std::min(rest.size(), json.size() + 2));
    }
    console.feed(input);
    watch.tick(start + std::chrono::hours(1));
    const RunSummary run = watch.summary(start);
    if (watch.state() != VmState::kDone && exit_code(run) == 0) __builtin_trap();
    return 0;
}
