// Goes down a path folder by folder, and looks at each through its descriptor.
#include "vm/watch/root_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

// Who called sudo can be root anyway.
bool is_sudo_caller(const char* variable, unsigned id) {
    const char* text = std::getenv(variable);
    return text != nullptr && *text != '\0' && std::to_string(id) == text;
}

const char* whose_fault(const struct stat& status) {
    if (status.st_uid != 0 && !is_sudo_caller("SUDO_UID", status.st_uid))
        return "belongs to another user";
    const bool group = (status.st_mode & S_IWGRP) != 0 && status.st_gid != 0 &&
                       !is_sudo_caller("SUDO_GID", status.st_gid);
    const bool open = group || (status.st_mode & S_IWOTH) != 0;
    return open && (status.st_mode & S_ISVTX) == 0 ? "can be written by other users" : nullptr;
}

Error refused(int code, const fs::path& path, const std::string& why) {
    return {code,
            "As root, no results are written to what another user could replace: " + path.string() +
                " " + why + ". Name a folder of root's: --out /root/zcrxlab-out"};
}

Result<Fd> enter(const Fd& parent, const fs::path& name, const fs::path& path) {
    constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    Fd folder(::openat(parent.get(), name.c_str(), kFlags));
    if (!folder && errno == ENOENT && ::mkdirat(parent.get(), name.c_str(), 0755) == 0)
        folder.reset(::openat(parent.get(), name.c_str(), kFlags));
    if (folder) return folder;
    struct stat status {};
    if (::fstatat(parent.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISLNK(status.st_mode))
        return refused(ELOOP, path, "is a link");
    return error_from_errno("open the results folder " + path.string());
}

}  // namespace

bool is_root_of_the_machine() {
    if (::geteuid() != 0) return false;
    std::ifstream map("/proc/self/uid_map");
    uint64_t inside = 0, outside = 0, count = 0;
    return map >> inside >> outside >> count && inside == 0 && outside == 0 && count == UINT32_MAX;
}

Result<Fd> open_folder_as_root(const fs::path& path) {
    Fd folder(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder) return error_from_errno("open /");
    fs::path so_far = "/";
    for (const fs::path& name : path.lexically_normal().relative_path()) {
        if (name.empty()) continue;
        so_far /= name;
        auto next = enter(folder, name, so_far);
        if (!next) return next;
        folder = std::move(*next);
        struct stat status {};
        if (::fstat(folder.get(), &status) != 0)
            return error_from_errno("look at " + so_far.string());
        if (const char* fault = whose_fault(status)) return refused(EPERM, so_far, fault);
    }
    return folder;
}

}  // namespace zcrxlab
