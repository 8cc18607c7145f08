// kmemleak's file.
#include "scenarios/runner/leak_detector.hpp"

#include <chrono>
#include <fstream>
#include <thread>
#include <utility>

namespace zcrxlab {
namespace {

// mm/kmemleak.c: MSECS_MIN_AGE; and an object is lost only if a second look finds it unchanged.
constexpr std::chrono::milliseconds kOldEnough{5500};
constexpr size_t kLongest = 6000;

bool tell(const std::filesystem::path& file, const char* order) {
    std::ofstream stream(file);
    stream << order << std::flush;
    return stream.good();
}

}  // namespace

LeakDetector::LeakDetector(std::filesystem::path file) : file_(std::move(file)) {
    if (std::filesystem::exists(file_)) tell(file_, "clear");
}

std::string LeakDetector::look() const {
    if (!std::filesystem::exists(file_) || !tell(file_, "scan")) return "";
    std::this_thread::sleep_for(kOldEnough);
    if (!tell(file_, "scan")) return "";
    std::ifstream stream(file_);
    std::string text;
    for (std::string line; text.size() < kLongest && std::getline(stream, line);)
        text += line + "\n";
    return text;
}

}  // namespace zcrxlab
