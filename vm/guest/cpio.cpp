// Writes newc cpio archives.
#include "vm/guest/cpio.hpp"

#include <sys/stat.h>

#include <cstdio>
#include <utility>

namespace zcrxlab {

namespace {

// Header and name together, and the content, are each padded to 4 bytes.
void pad(std::string& archive) {
    archive.resize((archive.size() + 3) & ~size_t{3}, '\0');
}

void append_entry(std::string& archive, std::string_view name, uint32_t inode, uint32_t mode,
                  std::string_view content, uint32_t major, uint32_t minor) {
    // ino mode uid gid nlink mtime filesize devmajor devminor rdevmajor rdevminor namesize check
    char header[111];
    std::snprintf(header, sizeof(header),
                  "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x", inode, mode, 0U, 0U,
                  S_ISDIR(mode) ? 2U : 1U, 0U, static_cast<uint32_t>(content.size()), 0U, 0U, major,
                  minor, static_cast<uint32_t>(name.size() + 1), 0U);
    archive.append(header, 110).append(name).push_back('\0');
    pad(archive);
    archive.append(content);
    pad(archive);
}

}  // namespace

void CpioWriter::add_folder(std::string_view path, uint32_t permissions) {
    add(path, S_IFDIR | permissions, {}, 0, 0);
}

void CpioWriter::add_file(std::string_view path, std::string_view content, uint32_t permissions) {
    add(path, S_IFREG | permissions, content, 0, 0);
}

void CpioWriter::add_link(std::string_view path, std::string_view destination) {
    add(path, S_IFLNK | 0777, destination, 0, 0);
}

void CpioWriter::add_character_device(std::string_view path, uint32_t major, uint32_t minor,
                                      uint32_t permissions) {
    add(path, S_IFCHR | permissions, {}, major, minor);
}

std::string CpioWriter::finish() {
    append_entry(archive_, "TRAILER!!!", 0, 0, {}, 0, 0);
    paths_.clear();
    next_inode_ = 1;
    return std::exchange(archive_, {});
}

void CpioWriter::add(std::string_view path, uint32_t mode, std::string_view content, uint32_t major,
                     uint32_t minor) {
    if (path.size() < 2 || !paths_.insert(std::string(path)).second) return;
    const size_t slash = path.rfind('/');
    if (slash != 0 && slash != std::string_view::npos) add_folder(path.substr(0, slash));
    append_entry(archive_, path.substr(1), next_inode_++, mode, content, major, minor);
}

}  // namespace zcrxlab
