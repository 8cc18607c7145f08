// Makes the namespaces and the mounts.
#include "vm/hide/covers.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "harness/base/file.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

Result<void> enter_user_namespace() {
    const std::string user = std::to_string(::geteuid()), group = std::to_string(::getegid());
    if (::unshare(CLONE_NEWUSER) != 0)
        return Error{EPERM, "this machine gives users no user namespaces"};
    const std::pair<const char*, std::string> files[] = {
        {"/proc/self/setgroups", "deny"},
        {"/proc/self/uid_map", user + " " + user + " 1"},
        {"/proc/self/gid_map", group + " " + group + " 1"}};
    for (const auto& [file, text] : files)
        if (auto written = write_file(file, text); !written) return written;
    return {};
}

Result<void> cover_one(const fs::path& place) {
    std::error_code error;
    const bool folder = fs::is_directory(place, error);
    const int failed = folder ? ::mount("hidden", place.c_str(), "tmpfs",
                                        MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0755")
                              : ::mount("/dev/null", place.c_str(), nullptr, MS_BIND, nullptr);
    if (failed != 0) return error_from_errno("cover " + place.string());
    return {};
}

}  // namespace

Result<void> cover(std::span<const fs::path> places) {
    if (::geteuid() != 0)
        if (auto entered = enter_user_namespace(); !entered) return entered;
    if (::unshare(CLONE_NEWNS) != 0) return error_from_errno("make a mount namespace");
    // What is mounted on this machine later appears here, but not the other way around.
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0)
        return error_from_errno("keep mounts to ourselves");
    for (const fs::path& place : places)
        if (auto covered = cover_one(place); !covered) return covered;
    return {};
}

}  // namespace zcrxlab
