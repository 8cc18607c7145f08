// Binds and unbinds PCI functions by writing to /sys/bus/pci in the order that is safe.
#include "harness/lab/driver_binding.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "harness/base/fd.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

const fs::path kBus = "/sys/bus/pci";
constexpr int kWriteMilliseconds = 30'000;

fs::path folder_of(const PciFunction& function) {
    return kBus / "devices" / function.address;
}

SysfsWrite probe(const PciFunction& function) {
    return {kBus / "drivers_probe", function.address};
}

// In a process of its own: a write that waits in the kernel cannot be called back. A driver that
// refuses a function makes drivers_probe and unbind fail, each with an errno of its own.
Result<void> write_here(const SysfsWrite& write) {
    const std::string line = write.text + "\n";
    const pid_t child = ::fork();
    if (child < 0) return error_from_errno("fork");
    if (child == 0) {
        const int fd = ::open(write.file.c_str(), O_WRONLY | O_CLOEXEC);
        if (fd < 0 || ::write(fd, line.data(), line.size()) < 0) ::_exit(errno);
        ::_exit(0);
    }
    const Fd ended(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
    pollfd waiting{ended.get(), POLLIN, 0};
    if (ended && ::poll(&waiting, 1, kWriteMilliseconds) == 0) {
        ::kill(child, SIGKILL);
        return Error{ETIMEDOUT, command_of(write) +
                                    ": the kernel does not come back, since somebody still uses "
                                    "the device; to see who, type: fuser -v /dev/vfio/*"};
    }
    int status = 0;
    while (::waitpid(child, &status, 0) != child)
        if (errno != EINTR) return error_from_errno("wait for a write");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    return error_from_errno(command_of(write), WIFEXITED(status) ? WEXITSTATUS(status) : EINTR);
}

class GivingBack {
  public:
    GivingBack(const PciBus& bus, const PciFunction& before,
               const std::function<void(const std::string&)>& each)
        : bus_(bus), before_(before), each_(each) {}

    std::vector<std::string> run() {
        take_steps();
        if (!has_driver()) reset();
        if (!has_driver()) remove_and_find();
        compare();
        return std::move(left_);
    }

  private:
    Result<PciFunction> now() const { return bus_.read(before_.address); }

    // What did not work is of interest only if the function is not as it was in the end.
    void write(const SysfsWrite& write) {
        if (held_) return;
        if (each_) each_(command_of(write));
        const auto done = bus_.write(write);
        if (done) return;
        refused_.push_back(done.error().sentence);
        // Whatever else is tried waits for the same program.
        held_ = done.error().code == ETIMEDOUT;
    }

    void take_steps() {
        const auto function = now();
        if (!function) return;
        for (const SysfsWrite& step : steps_back(*function, before_)) write(step);
    }

    // A function that had none wants none.
    bool has_driver() const {
        const auto function = now();
        return function && function->driver == before_.driver;
    }

    void reset() {
        if (!now()) return;
        write({folder_of(before_) / "reset", "1"});
        take_steps();
    }

    void remove_and_find() {
        if (now()) write({folder_of(before_) / "remove", "1"});
        write({kBus / "rescan", "1"});
        take_steps();
    }

    void compare() {
        const auto function = now();
        if (!function) {
            left_.push_back(function.error().sentence);
        } else {
            same("driver", before_.driver, function->driver);
            same("driver_override", before_.driver_override, function->driver_override);
            same("power/control", before_.power_control, function->power_control);
        }
        if (!left_.empty()) left_.insert(left_.end(), refused_.begin(), refused_.end());
    }

    void same(const std::string& what, const std::string& was, const std::string& is) {
        const auto shown = [](const std::string& value) { return value.empty() ? "none" : value; };
        if (was != is)
            left_.push_back(before_.address + ": " + what + ": " + shown(is) + ", and was " +
                            shown(was));
    }

    const PciBus& bus_;
    const PciFunction& before_;
    const std::function<void(const std::string&)>& each_;
    std::vector<std::string> refused_, left_;
    bool held_ = false;
};

}  // namespace

std::string command_of(const SysfsWrite& write) {
    return (write.text.empty() ? "echo" : "echo " + write.text) + " > " + write.file.string();
}

std::vector<SysfsWrite> steps_to_driver(const PciFunction& now, const std::string& driver) {
    if (now.driver == driver) return {};
    std::vector<SysfsWrite> steps;
    if (now.driver_override != driver)
        steps.push_back({folder_of(now) / "driver_override", driver});
    // The override by itself unbinds nothing.
    if (!now.driver.empty()) steps.push_back({folder_of(now) / "driver/unbind", now.address});
    steps.push_back(probe(now));
    return steps;
}

std::vector<SysfsWrite> steps_back(const PciFunction& now, const PciFunction& before) {
    std::vector<SysfsWrite> steps;
    const bool other = now.driver != before.driver;
    if (other && !now.driver.empty())
        steps.push_back({folder_of(now) / "driver/unbind", now.address});
    // An empty line clears it.
    if (now.driver_override != before.driver_override)
        steps.push_back({folder_of(now) / "driver_override", before.driver_override});
    if (now.power_control != before.power_control && !before.power_control.empty())
        steps.push_back({folder_of(now) / "power/control", before.power_control});
    if (other && !before.driver.empty()) steps.push_back(probe(now));
    return steps;
}

PciBus PciBus::of_this_machine() {
    return {[](const std::string& address) { return read_function("/", address); }, write_here};
}

std::vector<std::string> give_back(const PciBus& bus, const PciFunction& before,
                                   const std::function<void(const std::string&)>& each) {
    return GivingBack(bus, before, each).run();
}

}  // namespace zcrxlab
