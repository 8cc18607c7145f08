// Finds few words for a failure.
#include "lists/bundle/words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

namespace zcrxlab {

namespace {

constexpr size_t kLongestTitle = 72;

// By the invariants that a message names; those that harm most first.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kTitles = {{
    {"I7 (", "the kernel complains in its log"},
    {"I3 (", "memory that the user holds changes"},
    {"I1 (", "received bytes are not those that were sent"},
    {"I2 (", "a CQE is wrong, or belongs to no request"},
    {"I5 (", "buffers of the area are lost"},
    {"I6 (", "something stays behind after the ring is closed"},
    {"I4 (", "payload is copied, or does not come from the device's DMA"},
    {"I9 (", "a call returns another error than it should"},
    {"I8 (", "the NIC is left configured differently"},
    {"I10 (", "the driver asks something forbidden of its device"},
}};

// "[   12.345678] " of a line of the kernel log.
std::string without_time(const std::string& line) {
    if (!line.starts_with("[")) return line;
    const size_t end = line.find("] ");
    return end == std::string::npos ? line : line.substr(end + 2);
}

// Without the processor and the task of a "WARNING: CPU: 0 PID: 12 at ..." (up to 6.18), or of one
// with ", CPU#0: task/12" behind it.
std::string without_processor(std::string line) {
    const size_t at = line.find(" at ");
    if (line.starts_with("WARNING: CPU: ") && at != std::string::npos)
        return "WARNING:" + line.substr(at);
    return line.substr(0, line.find(", CPU#"));
}

// As much of a line as a subject has room for, in whole words.
std::string shortened(std::string line) {
    if (line.size() <= kLongestTitle) return line;
    line.resize(std::min(line.rfind(' ', kLongestTitle), kLongestTitle));
    while (!line.empty() && std::ispunct(static_cast<unsigned char>(line.back())) != 0 &&
           line.back() != ')')
        line.pop_back();
    return line;
}

}  // namespace

namespace {

std::string title_by_itself(const Failure& failure) {
    if (std::string title = title_of(failure.list); !title.empty()) return title;
    const std::string splat = failure.splat.substr(0, failure.splat.find_first_of("\r\n"));
    if (!splat.empty()) return shortened(without_processor(without_time(splat)));
    for (const auto& [invariant, title] : kTitles)
        if (failure.message.starts_with(invariant) ||
            failure.message.find("\n" + std::string(invariant)) != std::string::npos)
            return std::string(title);
    if (failure.message.find("in time") != std::string::npos)
        return "data is not received, or a request does not end, in bounded time";
    return "zero-copy receive does not do what it promises";
}

}  // namespace

std::string title_of(const Failure& failure) {
    return (failure.embargoed ? "[embargoed] " : "") + title_by_itself(failure);
}

std::vector<std::string> seen_of(const Failure& failure, std::string_view form) {
    std::vector<std::string> lines;
    for (const Sighting& one : failure.seen)
        if (one.form == form)
            lines.push_back(one.kernel + ": " + one.verdict +
                            (one.said.empty() ? "" : " (" + one.said + ")"));
    return lines;
}

}  // namespace zcrxlab
