// FailNth: /proc/thread-self/fail-nth and the settings in debugfs that belong to it.
#include "scenarios/framework/surroundings/fail_nth.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>

namespace zcrxlab {
namespace {

// "ignore-gfp-wait" spares allocations that may sleep, "min-order" those of single pages; "verbose"
// prints a backtrace for each failure, which would be taken for a complaint of the kernel's.
struct Wanted {
    const char* file;
    const char* value;
};
constexpr Wanted kWanted[] = {
    {"/sys/kernel/debug/failslab/ignore-gfp-wait", "N"},
    {"/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N"},
    {"/sys/kernel/debug/fail_page_alloc/min-order", "0"},
    {"/sys/kernel/debug/failslab/verbose", "0"},
    {"/sys/kernel/debug/fail_page_alloc/verbose", "0"},
    {"/sys/kernel/debug/fail_usercopy/verbose", "0"},
};

}  // namespace

bool FailNth::may_refuse_with(int code) {
    return code == ENOMEM || code == EFAULT;
}

FailNth::FailNth(Scene& scene)
    : scene_(scene), nth_(::open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC)) {
    if (!nth_) scene.give_up(error_from_errno("open /proc/thread-self/fail-nth").sentence);
    for (const Wanted& wanted : kWanted) change(wanted.file, wanted.value);
    if (settings_.empty())
        scene.give_up(
            "Nothing can be made to fail: neither failslab nor fail_page_alloc is in "
            "/sys/kernel/debug.");
}

FailNth::FailNth(Scene& scene, const std::string& cache) : FailNth(scene) {
    const std::string mark = "/sys/kernel/slab/" + cache + "/failslab";
    if (!change(mark, "1") || !change("/sys/kernel/debug/failslab/cache-filter", "Y"))
        scene.give_up("Nothing in the cache " + cache + " can be made to fail: no " + mark + ".");
    change("/sys/kernel/debug/fail_page_alloc/min-order", "10");
}

bool FailNth::change(const std::string& file, const std::string& value) {
    std::string before;
    if (!(std::ifstream(file) >> before)) return false;
    settings_.push_back({file, before});
    std::ofstream(file) << value;
    return true;
}

FailNth::~FailNth() {
    [[maybe_unused]] const ssize_t ignored = ::pwrite(nth_.get(), "0", 1, 0);
    for (auto setting = settings_.rbegin(); setting != settings_.rend(); ++setting)
        std::ofstream(setting->file) << setting->before;
}

void FailNth::arm(uint32_t n) {
    const std::string text = std::to_string(n);
    if (::pwrite(nth_.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
        scene_.give_up(error_from_errno("write to /proc/thread-self/fail-nth").sentence);
}

bool FailNth::disarm() {
    // What is left of the count; 0 once the failure has happened. Asking is counted like any other
    // copy to the user: a count that is used up by that was not used up before.
    std::array<char, 16> text{};
    const ssize_t told = ::pread(nth_.get(), text.data(), text.size() - 1, 0);
    if (told < 0 && errno == EFAULT) return false;
    if (told <= 0) scene_.give_up(error_from_errno("read /proc/thread-self/fail-nth").sentence);
    const bool happened = std::stoul(text.data()) == 0;
    if (::pwrite(nth_.get(), "0", 1, 0) != 1 && errno != EFAULT)
        scene_.give_up(error_from_errno("write to /proc/thread-self/fail-nth").sentence);
    return happened;
}

}  // namespace zcrxlab
