// Finds the device, unpacks what it holds.
#include "vm/guest/init/late_image.hpp"

#include <fcntl.h>
#include <linux/random.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "harness/base/defer.hpp"
#include "harness/base/fd.hpp"
#include "harness/base/file.hpp"
#include "vm/guest/cpio.hpp"
#include "vm/guest/guest_plan.hpp"
#include "vm/guest/init/system.hpp"
#include "vm/guest/moment.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

constexpr const char* kBus = "/sys/bus/pci/";
constexpr const char* kDevices = "/sys/bus/pci/devices";
constexpr useconds_t kLookMicroseconds = 2'000;
// docs/specs/ivshmem-spec.rst of QEMU: PCI vendor and device ID; its memory is BAR 2.
constexpr std::string_view kSharedMemoryId = "0x1af4:0x1110";

// "0x1af4:0x1110"; ":" if there is none.
std::string id_of(const fs::path& device) {
    const auto read = [&device](const char* name) {
        std::string text = text_of_file(device / name);
        return text.substr(0, text.find('\n'));
    };
    return read("vendor") + ":" + read("device");
}

// Empty if there is none.
fs::path shared_memory() {
    std::error_code error;
    for (const auto& device : fs::directory_iterator(kDevices, error))
        if (id_of(device.path()) == kSharedMemoryId) return device.path();
    return {};
}

// Asks each place of the bus, from the first to the last.
Result<void> look_for_devices() {
    return write_value(std::string(kBus) + "rescan", "1");
}

Result<void> write_all(const Fd& file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(file.get(), bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return error_from_errno("write");
        bytes.remove_prefix(static_cast<size_t>(put));
    }
    return {};
}

Result<void> make(const std::string& path, const CpioEntry& entry) {
    const mode_t permissions = entry.mode & 07777;
    const auto made = [&path](int result) -> Result<void> {
        if (result == 0) return {};
        return error_from_errno("make " + path);
    };
    switch (entry.mode & S_IFMT) {
        case S_IFDIR:
            return made(::mkdir(path.c_str(), permissions));
        case S_IFLNK:
            return made(::symlink(std::string(entry.content).c_str(), path.c_str()));
        case S_IFCHR:
            return made(::mknod(path.c_str(), entry.mode, makedev(entry.major, entry.minor)));
        default: {
            const Fd file(
                ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions));
            if (!file) return error_from_errno("make " + path);
            return write_all(file, entry.content);
        }
    }
}

Result<void> unpack(std::string_view archive) {
    const mode_t before = ::umask(0);
    const Defer undo([before] { ::umask(before); });
    CpioReader reader(archive);
    for (;;) {
        const auto entry = reader.next();
        if (!entry) return entry.error();
        if (!*entry) return {};
        const std::string path = "/" + std::string((*entry)->path);
        struct stat there {};
        if (::lstat(path.c_str(), &there) == 0) continue;
        if (auto done = make(path, **entry); !done) return done;
    }
}

Result<void> unpack_memory(const fs::path& device) {
    if (auto enabled = write_value(device / "enable", "1"); !enabled) return enabled;
    const std::string memory = device / "resource2";
    const Fd file(::open(memory.c_str(), O_RDWR | O_CLOEXEC));
    struct stat facts {};
    if (!file || ::fstat(file.get(), &facts) != 0) return error_from_errno("open " + memory);
    const auto size = static_cast<size_t>(facts.st_size);
    void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
    if (mapped == MAP_FAILED) return error_from_errno("map " + memory);
    const Defer undo([mapped, size] { ::munmap(mapped, size); });
    return unpack(std::string_view(static_cast<const char*>(mapped), size));
}

Result<void> seed_random_numbers(const Moment& moment) {
    const Fd random(::open("/dev/urandom", O_RDWR | O_CLOEXEC));
    if (!random) return error_from_errno("open /dev/urandom");
    // struct rand_pool_info of linux/random.h: two ints, and the bytes behind them.
    struct {
        int bits;
        int bytes;
        std::array<uint8_t, sizeof(Moment::entropy)> entropy;
    } seed{static_cast<int>(8 * moment.entropy.size()), static_cast<int>(moment.entropy.size()),
           moment.entropy};
    // Without the second, what is drawn in the next minute is what every guest of this file draws.
    if (::ioctl(random.get(), RNDADDENTROPY, &seed) != 0 ||
        ::ioctl(random.get(), RNDRESEEDCRNG) != 0)
        return error_from_errno("seed the random number generator");
    return {};
}

Result<void> take_moment() {
    const Result<std::string> text = read_file(kMomentPath);
    if (!text) return text.error();
    const Result<Moment> moment = moment_from_text(*text);
    if (!moment) return moment.error();
    ::unlink(kMomentPath);
    if (::clock_settime(CLOCK_REALTIME, &moment->time) != 0)
        return error_from_errno("set the clock");
    return seed_random_numbers(*moment);
}

}  // namespace

Result<void> wait_for_image() {
    // Drivers wait until interfaces get the defaults that the new plan wants.
    if (auto off = write_value(std::string(kBus) + "drivers_autoprobe", "0"); !off) return off;
    ::unlink(kGuestPlanPath);
    std::puts(kWaitingLine);
    std::fflush(stdout);
    fs::path device;
    while ((device = shared_memory()).empty()) {
        ::usleep(kLookMicroseconds);
        if (auto looked = look_for_devices(); !looked) return looked;
    }
    // A guest that was saved while it looked goes on where it was: it finds this device, and none
    // of those before.
    if (auto looked = look_for_devices(); !looked) return looked;
    if (auto unpacked = unpack_memory(device); !unpacked) return unpacked;
    if (auto gone = write_value(device / "remove", "1"); !gone) return gone;
    if (auto taken = take_moment(); !taken) return taken;
    return write_value(std::string(kBus) + "drivers_autoprobe", "1");
}

Result<void> probe_new_devices() {
    std::error_code error;
    for (const auto& device : fs::directory_iterator(kDevices, error)) {
        if (fs::exists(device.path() / "driver", error)) continue;
        // One that no driver knows is no failure.
        const std::string name = device.path().filename();
        const Fd probe(::open((std::string(kBus) + "drivers_probe").c_str(), O_WRONLY | O_CLOEXEC));
        if (!probe) return error_from_errno("offer devices to their drivers");
        [[maybe_unused]] const ssize_t put = ::write(probe.get(), name.data(), name.size());
    }
    return {};
}

}  // namespace zcrxlab
