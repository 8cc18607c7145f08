// Mounts virtiofs file systems and moves into them.
#include "vm/guest/init/host_root.hpp"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "harness/base/fd.hpp"

namespace zcrxlab {

namespace {

namespace fs = std::filesystem;

constexpr const char* kLower = "/host-root";
constexpr const char* kLayer = "/host-layer";
constexpr const char* kRoot = "/new-root";

Result<void> mount_on(const std::string& what, const std::string& place, const char* type,
                      unsigned long flags, const std::string& options) {
    if (::mount(what.c_str(), place.c_str(), type, flags, options.c_str()) == 0) return {};
    if (errno == ENODEV)
        return Error{ENODEV, std::string("this kernel has no ") + type +
                                 "; --packed does without it, and with this machine's files"};
    return error_from_errno("mount " + what + " (" + type + ") on " + place);
}

// The root of the host below what is written here, at kRoot.
Result<void> mount_layers(const GuestShare& root) {
    for (const char* place : {kLower, kLayer, kRoot}) ::mkdir(place, 0755);
    if (auto done = mount_on(root.tag, kLower, "virtiofs", MS_RDONLY, ""); !done) return done;
    if (auto done = mount_on("tmpfs", kLayer, "tmpfs", 0, "mode=0755,size=75%"); !done) return done;
    const std::string layer = kLayer;
    for (const char* part : {"/upper", "/work"}) ::mkdir((layer + part).c_str(), 0755);
    // Features that need file handles of the layer below, which virtiofs does not give.
    return mount_on("overlay", kRoot, "overlay", 0,
                    std::string("lowerdir=") + kLower + ",upperdir=" + layer +
                        "/upper,workdir=" + layer + "/work,index=off,xino=off,metacopy=off");
}

Result<void> move_into_root() {
    for (const char* place : {"/dev", "/proc", "/sys", "/run"}) {
        const std::string there = std::string(kRoot) + place;
        ::mkdir(there.c_str(), 0755);
        if (::mount(place, there.c_str(), nullptr, MS_MOVE, nullptr) != 0)
            return error_from_errno("move " + std::string(place) + " into the host's root");
    }
    if (::chdir(kRoot) != 0 || ::mount(".", "/", nullptr, MS_MOVE, nullptr) != 0 ||
        ::chroot(".") != 0 || ::chdir("/") != 0)
        return error_from_errno("make the host's root the guest's");
    return {};
}

Result<void> copy(const std::string& from, const std::string& to) {
    const Fd source(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (!source || ::fstat(source.get(), &status) != 0) return error_from_errno("read " + from);
    std::error_code error;
    fs::create_directories(fs::path(to).parent_path(), error);
    ::unlink(to.c_str());
    const Fd destination(
        ::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, status.st_mode & 0777));
    if (!destination) return error_from_errno("make " + to + " in the guest");
    ::fchmod(destination.get(), status.st_mode & 0777);
    for (;;) {
        const ssize_t put = ::sendfile(destination.get(), source.get(), nullptr, 1U << 20);
        if (put < 0) return error_from_errno("copy " + from + " to " + to);
        if (put == 0) return {};
    }
}

}  // namespace

Result<void> enter_host_root(const GuestPlan& plan) {
    if (plan.shares.empty() || plan.shares.front().place != "/") return {};
    if (auto done = mount_layers(plan.shares.front()); !done) return done;
    if (auto done = move_into_root(); !done) return done;
    for (size_t i = 1; i < plan.shares.size(); ++i) {
        const GuestShare& share = plan.shares[i];
        if (auto done = mount_on(share.tag, share.place, "virtiofs", 0, ""); !done) return done;
    }
    for (const auto& [from, to] : plan.copies)
        if (auto done = copy(from, to); !done) return done;
    return {};
}

}  // namespace zcrxlab
