// Encodes records, and cuts a byte stream into records again.
#include "harness/trace/record.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "harness/base/hex.hpp"

namespace zcrxlab {

namespace {

// CRC-32 as in IEEE 802.3 and zlib: polynomial 0x04c11db7 reflected, start and end inverted.
constexpr std::array<uint32_t, 256> kCrcTable = [] {
    std::array<uint32_t, 256> table{};
    for (uint32_t byte = 0; byte < table.size(); ++byte) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc & 1) != 0 ? (crc >> 1) ^ 0xedb88320U : crc >> 1;
        table[byte] = crc;
    }
    return table;
}();

RecordHeader header_for(RecordType type, std::string_view json) {
    return {.magic = kRecordMagic,
            .type = static_cast<uint16_t>(type),
            .reserved = uint16_t{0},
            .length = static_cast<uint32_t>(json.size()),
            .checksum = crc32(std::as_bytes(std::span(json)))};
}

std::string in_hex(uint32_t value) {
    return "0x" + hex_of_number(value);
}

}  // namespace

uint32_t crc32(std::span<const std::byte> bytes) {
    uint32_t crc = 0xffffffffU;
    for (std::byte byte : bytes)
        crc = (crc >> 8) ^ kCrcTable[(crc ^ std::to_integer<uint32_t>(byte)) & 0xff];
    return ~crc;
}

std::vector<std::byte> encode_record(RecordType type, std::string_view json) {
    std::string too_long;
    if (json.size() > kRecordMaximum) {
        too_long = "{\"text\":\"A record of type " + std::to_string(static_cast<int>(type)) +
                   " was left out: " + std::to_string(json.size()) + " bytes, at most " +
                   std::to_string(kRecordMaximum) + " fit.\"}";
        type = RecordType::kNotice;
        json = too_long;
    }
    const RecordHeader header = header_for(type, json);
    std::vector<std::byte> bytes(sizeof(header) + json.size());
    std::memcpy(bytes.data(), &header, sizeof(header));
    if (!json.empty()) std::memcpy(bytes.data() + sizeof(header), json.data(), json.size());
    return bytes;
}

void RecordReader::feed(std::span<const std::byte> bytes) {
    if (broken_) return;
    // Compacting only when half is spent keeps the cost per byte constant.
    if (start_ > buffer_.size() / 2) {
        buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(start_));
        start_ = 0;
    }
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

Result<std::optional<Record>> RecordReader::next() {
    if (broken_) return *broken_;
    const size_t waiting = buffer_.size() - start_;
    if (waiting < sizeof(RecordHeader)) return std::optional<Record>{};
    RecordHeader header;
    std::memcpy(&header, buffer_.data() + start_, sizeof(header));

    if (header.magic != kRecordMagic)
        return break_with("the guest's record stream lost its framing: a record starts with " +
                          in_hex(header.magic) + " in place of " + in_hex(kRecordMagic));
    if (header.length > kRecordMaximum)
        return break_with("the guest announced a record of " + std::to_string(header.length) +
                          " bytes; at most " + std::to_string(kRecordMaximum) + " are allowed");
    if (waiting - sizeof(header) < header.length) return std::optional<Record>{};

    const std::span<const std::byte> json(buffer_.data() + start_ + sizeof(header), header.length);
    if (const uint32_t checksum = crc32(json); checksum != header.checksum)
        return break_with("a record of type " + std::to_string(header.type) + " with " +
                          std::to_string(header.length) + " bytes arrived damaged: its CRC-32 is " +
                          in_hex(checksum) + ", its header says " + in_hex(header.checksum));
    Record record{static_cast<RecordType>(header.type.get()), {}};
    record.json.assign(reinterpret_cast<const char*>(json.data()), json.size());
    start_ += sizeof(header) + json.size();
    return std::optional<Record>(std::move(record));
}

Error RecordReader::break_with(std::string sentence) {
    broken_ = Error{EPROTO, std::move(sentence)};
    buffer_.clear();
    start_ = 0;
    return *broken_;
}

}  // namespace zcrxlab
