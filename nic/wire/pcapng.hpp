// PcapngWriter: a capture file with one interface for each port and comments at what was harmed.
//
// The format is draft-ietf-opsawg-pcapng: a section header, two interface descriptions, enhanced
// packet blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab::nic {

class PcapngWriter {
  public:
    struct Options {
        uint32_t snap = 128;               // bytes kept of each frame; 0 = all of them
        uint64_t maximum_size = 1U << 30;  // bytes of the file; later packets are only counted
        int64_t wall_clock_offset = 0;     // nanoseconds to add for time since 1970
    };

    // Takes an empty file that is open for writing. The errno of write if it cannot be written.
    static Result<PcapngWriter> create(Fd file, const Options& options);

    // A frame that arrives at `port`; comments are cut after 1000 bytes.
    void packet(unsigned port, uint64_t nanoseconds, std::span<const std::byte> frame,
                std::string_view comment = {});
    // A comment on its own: a packet of no bytes.
    void mark(uint64_t nanoseconds, std::string_view text) { packet(0, nanoseconds, {}, text); }

    // True if a frame of `size` bytes is kept whole.
    bool keeps_whole(size_t size) const { return options_.snap == 0 || size <= options_.snap; }

    // Hands what was buffered to the kernel. After an error nothing more is written.
    void flush();
    bool dirty() const { return !buffer_.empty(); }
    uint64_t lost() const { return lost_; }  // packets for which there was no room
    const std::optional<Error>& error() const { return error_; }

  private:
    PcapngWriter(Fd file, const Options& options) : file_(std::move(file)), options_(options) {}

    Fd file_;
    Options options_;
    std::vector<std::byte> buffer_;
    uint64_t written_ = 0;  // bytes, what is buffered included
    uint64_t lost_ = 0;
    std::optional<Error> error_;
};

}  // namespace zcrxlab::nic
