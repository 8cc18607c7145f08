// Answers of a control channel of any content: parsed or refused, nothing else.
//
// reaches harness/targets/control_channel.cpp: if (log.entries > kLargestLog / sizeof(DmaLogEntry)
// reaches harness/targets/control_channel.cpp: if (!one.is_object() || !read_asked(one, read)
// reaches harness/targets/control_channel.cpp: if (flow_bytes != 0) std::memcpy(
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "harness/targets/control_channel.hpp"

using namespace zcrxlab;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const size_t end = std::min(text.find('\n'), size);
    (void)check_answer(text.substr(0, end));
    constexpr uint64_t kAfter = 7;
    if (const auto list = parse_forbidden_answer(text.substr(0, end), kAfter))
        for (const ForbiddenAsked& asked : list->asked)
            if (asked.number <= kAfter || asked.number > list->newest || asked.what.empty())
                std::abort();
    const auto announced = parse_log_answer(text.substr(0, end));
    if (!announced) return 0;
    const auto bytes = std::as_bytes(std::span(text.substr(std::min(end + 1, size))));
    (void)parse_log_bytes(*announced, bytes);
    return 0;
}
