// Reads and writes the file of kmemleak.
#include "scenarios/runner/leak_detector.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <thread>
#include <utility>

namespace zcrxlab {
namespace {

constexpr size_t kLongestReport = 6000;  // characters in all
constexpr std::string_view kObject = "unreferenced object ";

bool tell(const std::filesystem::path& file, const char* order) {
    std::ofstream stream(file);
    stream << order << std::flush;
    return stream.good();
}

}  // namespace

std::vector<std::string> lost_objects(std::string_view text) {
    std::vector<std::string> objects;
    size_t length = 0;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const bool begins = line.starts_with(kObject);
        // Never a part of one: what it is may stand in its last line.
        if (begins && length >= kLongestReport) break;
        if (begins) objects.emplace_back();
        if (objects.empty()) continue;
        objects.back() += std::string(line) + "\n";
        length += line.size() + 1;
    }
    return objects;
}

LeakDetector::LeakDetector(std::filesystem::path file, std::chrono::milliseconds old_enough)
    : file_(std::move(file)), old_enough_(old_enough) {
    if (!std::filesystem::exists(file_)) return;
    tell(file_, "scan=off");
    tell(file_, "clear");
}

std::vector<std::string> LeakDetector::look() const {
    if (!std::filesystem::exists(file_) || !tell(file_, "scan")) return {};
    std::this_thread::sleep_for(old_enough_);
    // An object is lost only if a second look finds it unchanged.
    if (!tell(file_, "scan")) return {};
    std::ifstream stream(file_);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    auto objects = lost_objects(text);
    if (!objects.empty()) tell(file_, "clear");
    return objects;
}

}  // namespace zcrxlab
