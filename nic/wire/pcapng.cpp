// PcapngWriter: a capture file with one interface for each port and comments at what was harmed.
#include "nic/wire/pcapng.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "harness/base/endian.hpp"

namespace zcrxlab::nic {
namespace {

constexpr size_t kBufferSize = size_t{256} * 1024;
constexpr size_t kMaximumComment = 1000;

// Block types and option codes of the pcapng draft, sections 4.1 to 4.3. We write little-endian.
constexpr uint32_t kSectionHeader = 0x0a0d0d0a;
constexpr uint32_t kInterfaceDescription = 1;
constexpr uint32_t kEnhancedPacket = 6;
constexpr uint16_t kOptionEnd = 0;
constexpr uint16_t kOptionComment = 1;
constexpr uint16_t kOptionInterfaceName = 2;
constexpr uint16_t kOptionApplication = 4;
constexpr uint16_t kOptionResolution = 9;

struct __attribute__((packed)) SectionHeader {
    Le32 type = kSectionHeader;
    Le32 length = 0;
    Le32 byte_order_magic = 0x1a2b3c4d;
    Le16 major = 1;
    Le16 minor = 0;
    Le64 section_length = ~uint64_t{0};  // unknown
};
static_assert(sizeof(SectionHeader) == 24);

struct __attribute__((packed)) InterfaceDescription {
    Le32 type = kInterfaceDescription;
    Le32 length = 0;
    Le16 link_type = 1;  // LINKTYPE_ETHERNET
    Le16 reserved = 0;
    Le32 snap = 0;
};
static_assert(sizeof(InterfaceDescription) == 16);

struct __attribute__((packed)) EnhancedPacket {
    Le32 type = kEnhancedPacket;
    Le32 length = 0;
    Le32 interface = 0;
    Le32 time_high = 0;
    Le32 time_low = 0;
    Le32 captured = 0;
    Le32 original = 0;
};
static_assert(sizeof(EnhancedPacket) == 28);

struct __attribute__((packed)) OptionHeader {
    Le16 code = 0;
    Le16 length = 0;
};
static_assert(sizeof(OptionHeader) == 4);

size_t padded(size_t size) {
    return (size + 3) & ~size_t{3};
}

template <typename T>
void append(std::vector<std::byte>& out, const T& object) {
    auto bytes = std::as_bytes(std::span(&object, 1));
    out.insert(out.end(), bytes.begin(), bytes.end());
}

void append_padded(std::vector<std::byte>& out, std::span<const std::byte> bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
    out.insert(out.end(), padded(bytes.size()) - bytes.size(), std::byte{0});
}

void append_option(std::vector<std::byte>& out, uint16_t code, std::string_view value) {
    append(out, OptionHeader{code, static_cast<uint16_t>(value.size())});
    append_padded(out, std::as_bytes(std::span(value)));
}

// Writes the trailing length and the one behind the type of the block that began at `begin`.
void close_block(std::vector<std::byte>& out, size_t begin) {
    Le32 length = static_cast<uint32_t>(out.size() - begin + sizeof(Le32));
    append(out, length);
    std::memcpy(out.data() + begin + sizeof(Le32), &length, sizeof(length));
}

}  // namespace

Result<PcapngWriter> PcapngWriter::create(Fd file, const Options& options) {
    PcapngWriter writer(std::move(file), options);
    std::vector<std::byte>& out = writer.buffer_;
    out.reserve(kBufferSize + size_t{4} * 1024);
    append(out, SectionHeader{});
    append_option(out, kOptionApplication, "zcrxlab");
    append(out, OptionHeader{kOptionEnd, 0});
    close_block(out, 0);
    for (std::string_view name : {"port0", "port1"}) {
        size_t begin = out.size();
        InterfaceDescription description;
        description.snap = options.snap;
        append(out, description);
        append_option(out, kOptionInterfaceName, name);
        append_option(out, kOptionResolution, "\x09");  // units of 10^-9 s
        append(out, OptionHeader{kOptionEnd, 0});
        close_block(out, begin);
    }
    writer.written_ = out.size();
    writer.flush();
    if (writer.error_) return *writer.error_;
    return writer;
}

void PcapngWriter::packet(unsigned port, uint64_t nanoseconds, std::span<const std::byte> frame,
                          std::string_view comment) {
    auto captured = frame.first(keeps_whole(frame.size()) ? frame.size() : options_.snap);
    comment = comment.substr(0, kMaximumComment);
    size_t options = comment.empty() ? 0 : 2 * sizeof(OptionHeader) + padded(comment.size());
    size_t size = sizeof(EnhancedPacket) + padded(captured.size()) + options + sizeof(Le32);
    if (error_ || written_ + size > options_.maximum_size) {
        lost_ += 1;
        return;
    }
    size_t begin = buffer_.size();
    uint64_t time = nanoseconds + static_cast<uint64_t>(options_.wall_clock_offset);
    EnhancedPacket block;
    block.interface = port;
    block.time_high = static_cast<uint32_t>(time >> 32);
    block.time_low = static_cast<uint32_t>(time);
    block.captured = static_cast<uint32_t>(captured.size());
    block.original = static_cast<uint32_t>(frame.size());
    append(buffer_, block);
    append_padded(buffer_, captured);
    if (!comment.empty()) {
        append_option(buffer_, kOptionComment, comment);
        append(buffer_, OptionHeader{kOptionEnd, 0});
    }
    close_block(buffer_, begin);
    written_ += size;
    if (buffer_.size() >= kBufferSize) flush();
}

void PcapngWriter::flush() {
    std::span<const std::byte> left(buffer_);
    while (!left.empty() && !error_) {
        ssize_t count = ::write(file_.get(), left.data(), left.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) {
            error_ = error_from_errno("write the capture");
            break;
        }
        left = left.subspan(static_cast<size_t>(count));
    }
    buffer_.clear();
}

}  // namespace zcrxlab::nic
