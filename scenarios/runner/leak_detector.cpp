// kmemleak's file.
#include "scenarios/runner/leak_detector.hpp"

#include <fstream>
#include <thread>
#include <utility>

namespace zcrxlab {
namespace {

constexpr size_t kLongest = 6000;

bool tell(const std::filesystem::path& file, const char* order) {
    std::ofstream stream(file);
    stream << order << std::flush;
    return stream.good();
}

}  // namespace

LeakDetector::LeakDetector(std::filesystem::path file, std::chrono::milliseconds old_enough)
    : file_(std::move(file)), old_enough_(old_enough) {
    if (std::filesystem::exists(file_)) tell(file_, "clear");
}

std::string LeakDetector::look() const {
    if (!std::filesystem::exists(file_) || !tell(file_, "scan")) return "";
    std::this_thread::sleep_for(old_enough_);
    // An object is lost only if a second look finds it unchanged.
    if (!tell(file_, "scan")) return "";
    std::ifstream stream(file_);
    std::string text;
    for (std::string line; text.size() < kLongest && std::getline(stream, line);)
        text += line + "\n";
    return text;
}

}  // namespace zcrxlab
