// CpioWriter: a "newc" cpio archive, as the kernel unpacks it into the root file system of a guest.
//
// Format: Documentation/driver-api/early-userspace/buffer-format.rst of the kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

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

}  // namespace zcrxlab
