// A "newc" cpio archive, as the kernel unpacks it into the root file system of a guest: written on
// the host, and read in a guest that has got it after its boot.
//
// Format: Documentation/driver-api/early-userspace/buffer-format.rst of the kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "harness/base/result.hpp"

namespace zcrxlab {

class CpioWriter {
  public:
    // Paths are absolute ("/usr/bin/ip"). Missing parent folders are added (mode 0755); a path that
    // is there already is not added again. `permissions` are the low 12 bits of st_mode.
    void add_folder(std::string_view path, uint32_t permissions = 0755);
    void add_file(std::string_view path, std::string_view content, uint32_t permissions = 0644);
    void add_link(std::string_view path, std::string_view destination);
    void add_character_device(std::string_view path, uint32_t major, uint32_t minor,
                              uint32_t permissions = 0600);

    bool has(std::string_view path) const { return paths_.count(std::string(path)) != 0; }
    // The archive with its trailer; the writer is empty afterwards.
    std::string finish();

  private:
    void add(std::string_view path, uint32_t mode, std::string_view content, uint32_t major,
             uint32_t minor);

    std::string archive_;
    std::set<std::string> paths_;
    uint32_t next_inode_ = 1;
};

struct CpioEntry {
    std::string_view path;  // relative: "usr/bin/ip"
    uint32_t mode = 0;      // st_mode
    std::string_view content;
    uint32_t major = 0, minor = 0;  // of a device
};

// Reads an archive, or several one behind another; zeros may stand between them and at the end. The
// text is borrowed, and entries point into it.
class CpioReader {
  public:
    explicit CpioReader(std::string_view archives) : rest_(archives) {}

    // Nothing at the end. EINVAL: what follows is no entry, or longer than what is there.
    Result<std::optional<CpioEntry>> next();

  private:
    std::string_view rest_;
};

}  // namespace zcrxlab
