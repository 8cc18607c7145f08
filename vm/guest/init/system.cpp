// Mounts, modules and ports of the guest.
#include "vm/guest/init/system.hpp"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>

#include "harness/base/file.hpp"

namespace zcrxlab {

namespace {

struct Mount {
    const char* type;
    const char* place;
    const char* options;
    bool needed;
};

constexpr std::array<Mount, 9> kMounts{{
    {"devtmpfs", "/dev", nullptr, true},
    {"proc", "/proc", nullptr, true},
    {"sysfs", "/sys", nullptr, true},
    {"tmpfs", "/run", nullptr, true},
    {"tmpfs", "/tmp", nullptr, true},
    {"tmpfs", "/dev/shm", nullptr, true},
    {"devpts", "/dev/pts", nullptr, false},
    {"debugfs", "/sys/kernel/debug", nullptr, false},
    {"cgroup2", "/sys/fs/cgroup", nullptr, false},
}};

// What udev makes where there is one: a shell's <(...) is a name below /dev/fd.
constexpr std::array<std::pair<const char*, const char*>, 4> kDeviceLinks{{
    {"/dev/fd", "/proc/self/fd"},
    {"/dev/stdin", "/proc/self/fd/0"},
    {"/dev/stdout", "/proc/self/fd/1"},
    {"/dev/stderr", "/proc/self/fd/2"},
}};

}  // namespace

Result<void> mount_everything() {
    for (const Mount& entry : kMounts) {
        ::mkdir(entry.place, 0755);
        // Some kernels mount devtmpfs themselves.
        if (::mount(entry.type, entry.place, entry.type, 0, entry.options) == 0 || errno == EBUSY)
            continue;
        if (entry.needed)
            return error_from_errno(std::string("mount ") + entry.type + " on " + entry.place);
    }
    for (const auto& [link, target] : kDeviceLinks) {
        if (::symlink(target, link) != 0 && errno != EEXIST)
            return error_from_errno(std::string("link ") + link + " to " + target);
    }
    if (const int console = ::open("/dev/console", O_RDWR); console >= 0) {
        for (int stream : {0, 1, 2}) ::dup2(console, stream);
        if (console > 2) ::close(console);
    }
    return {};
}

Result<void> start_all_cpus() {
    for (unsigned cpu = 1;; ++cpu) {
        const std::string online = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/online";
        const auto state = read_file(online);
        if (!state) return {};
        if (!state->starts_with('0')) continue;
        if (auto started = write_value(online, "1"); !started) return started;
    }
}

Result<void> write_value(const std::string& path, const std::string& value) {
    Fd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file) return error_from_errno("open " + path);
    if (::write(file.get(), value.data(), value.size()) < 0)
        return error_from_errno("write " + value + " to " + path);
    return {};
}

Result<void> load_module(const std::string& path) {
    // The kernel would check the signature first, which takes longer than all the rest.
    const std::string name = std::filesystem::path(path).stem();
    if (::access(("/sys/module/" + name).c_str(), F_OK) == 0) return {};
    Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return error_from_errno("open " + path);
    if (::syscall(SYS_finit_module, file.get(), "", 0) != 0 && errno != EEXIST)
        return error_from_errno("load the kernel module " + path);
    return {};
}

Result<std::string> find_port(const std::string& name, int bound) {
    std::string device;
    const bool found = wait_until(bound, [&] {
        std::error_code error;
        for (const auto& port :
             std::filesystem::directory_iterator("/sys/class/virtio-ports", error)) {
            const auto shown = read_file(port.path() / "name");
            if (!shown || *shown != name + "\n") continue;
            device = "/dev/" + port.path().filename().string();
            return ::access(device.c_str(), F_OK) == 0;
        }
        return false;
    });
    if (!found) return Error{ETIMEDOUT, "There is no virtio-serial port called " + name + "."};
    return device;
}

std::vector<std::string> KernelLog::take() {
    std::vector<std::string> lines;
    if (!kmsg_) kmsg_.reset(::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    // "priority,sequence,microseconds,flags;text\n KEY=value..."; one record a read.
    std::array<char, 8192> record{};
    for (;;) {
        const ssize_t got = ::read(kmsg_.get(), record.data(), record.size() - 1);
        if (got < 0 && (errno == EPIPE || errno == EINTR)) continue;  // overwritten: next one
        if (got <= 0) return lines;
        record[static_cast<size_t>(got)] = '\0';
        unsigned priority = 0;
        unsigned long long sequence = 0;
        unsigned long long microseconds = 0;
        const char* text = std::strchr(record.data(), ';');
        if (text == nullptr ||
            std::sscanf(record.data(), "%u,%llu,%llu", &priority, &sequence, &microseconds) != 3)
            continue;
        std::array<char, 32> stamp{};
        std::snprintf(stamp.data(), stamp.size(), "[%5llu.%06llu] ", microseconds / 1000000,
                      microseconds % 1000000);
        const char* end = std::strchr(text, '\n');
        lines.push_back(stamp.data() +
                        (end != nullptr ? std::string(text + 1, end) : std::string(text + 1)));
    }
}

Result<void> check_iommu(const std::string& parameters, bool has_groups) {
    std::istringstream words(parameters);
    bool asked = false;
    for (std::string word; words >> word;) asked = asked || word == "intel_iommu=on";
    if (!asked || has_groups) return {};
    return Error{ENODEV,
                 "the machine has an IOMMU (--iommu) that this kernel does not drive "
                 "(CONFIG_INTEL_IOMMU); type: zcrxlab run --iommu --kernel 7.3"};
}

Result<void> check_iommu() {
    auto parameters = read_file("/proc/cmdline");
    if (!parameters) return parameters.error();
    std::error_code error;
    const std::filesystem::directory_iterator groups("/sys/kernel/iommu_groups", error);
    return check_iommu(*parameters, groups != std::filesystem::directory_iterator());
}

void power_off() {
    ::sync();
    ::reboot(RB_POWER_OFF);
    for (;;) ::pause();
}

}  // namespace zcrxlab
