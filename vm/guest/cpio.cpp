// Writes and reads newc cpio archives.
#include "vm/guest/cpio.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <utility>

namespace zcrxlab {

namespace {

constexpr std::string_view kMagic = "070701";
constexpr std::string_view kTrailer = "TRAILER!!!";
// The magic number, and 13 fields of 8 hexadecimal digits.
constexpr size_t kHeaderSize = 110;
constexpr size_t kFieldSize = 8;
// Places among the fields.
constexpr size_t kMode = 1, kFileSize = 6, kMajor = 9, kMinor = 10, kNameSize = 11, kFields = 13;

size_t padded(size_t size) {
    return (size + 3) & ~size_t{3};
}

// Header and name together, and the content, are each padded to 4 bytes.
void pad(std::string& archive) {
    archive.resize(padded(archive.size()), '\0');
}

void append_entry(std::string& archive, std::string_view name, uint32_t inode, uint32_t mode,
                  std::string_view content, uint32_t major, uint32_t minor) {
    // ino mode uid gid nlink mtime filesize devmajor devminor rdevmajor rdevminor namesize check
    char header[kHeaderSize + 1];
    std::snprintf(header, sizeof(header),
                  "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x", inode, mode, 0U, 0U,
                  S_ISDIR(mode) ? 2U : 1U, 0U, static_cast<uint32_t>(content.size()), 0U, 0U, major,
                  minor, static_cast<uint32_t>(name.size() + 1), 0U);
    archive.append(header, kHeaderSize).append(name).push_back('\0');
    pad(archive);
    archive.append(content);
    pad(archive);
}

// Its 13 numbers; nothing if it is no header.
std::optional<std::array<uint32_t, kFields>> fields_of(std::string_view header) {
    if (header.size() < kHeaderSize || !header.starts_with(kMagic)) return std::nullopt;
    std::array<uint32_t, kFields> fields{};
    for (size_t i = 0; i < kFields; ++i) {
        const char* const digits = header.data() + kMagic.size() + i * kFieldSize;
        const auto [end, error] = std::from_chars(digits, digits + kFieldSize, fields[i], 16);
        if (error != std::errc() || end != digits + kFieldSize) return std::nullopt;
    }
    return fields;
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
    append_entry(archive_, kTrailer, 0, 0, {}, 0, 0);
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

Result<std::optional<CpioEntry>> CpioReader::next() {
    const Error broken{EINVAL, "This is no cpio archive, or a broken one."};
    for (;;) {
        rest_.remove_prefix(std::min(rest_.find_first_not_of('\0'), rest_.size()));
        if (rest_.empty()) return std::optional<CpioEntry>();
        const auto fields = fields_of(rest_);
        if (!fields) return broken;
        // With the zero at its end; what is padded is header and name together.
        const size_t name_size = (*fields)[kNameSize];
        const size_t content_at = padded(kHeaderSize + name_size);
        if (name_size == 0 || content_at > rest_.size() ||
            (*fields)[kFileSize] > rest_.size() - content_at)
            return broken;
        CpioEntry entry;
        entry.path = rest_.substr(kHeaderSize, name_size - 1);
        entry.mode = (*fields)[kMode];
        entry.content = rest_.substr(content_at, (*fields)[kFileSize]);
        entry.major = (*fields)[kMajor];
        entry.minor = (*fields)[kMinor];
        rest_.remove_prefix(std::min(content_at + padded(entry.content.size()), rest_.size()));
        // Another archive may follow.
        if (entry.path != kTrailer) return std::optional<CpioEntry>(entry);
    }
}

}  // namespace zcrxlab
