// Reads the header of a bzImage.
#include "kernels/bzimage.hpp"

#include <algorithm>
#include <cstring>

#include "harness/base/file.hpp"
#include "kernels/packages/cache.hpp"

namespace zcrxlab {
namespace {

constexpr uint16_t kBootFlag = 0xaa55;
constexpr uint32_t kHeaderMagic = 0x53726448;  // "HdrS"
constexpr uint16_t kOldestProtocol = 0x0200;   // the first one with kernel_version
constexpr size_t kSectorSize = 512;
constexpr uint64_t kParagraph = 16;  // bytes, the unit of syssize
constexpr size_t kLongestRelease = 200;
constexpr size_t kLongestSetup = 256 * kSectorSize;  // setup_sects is one byte

}  // namespace

Result<std::string> bzimage_release(std::span<const std::byte> image) {
    BzImageHeader header;
    const Error no_image{EINVAL, "not a bzImage"};
    if (image.size() < sizeof(header)) return no_image;
    std::memcpy(&header, image.data(), sizeof(header));
    if (header.boot_flag != kBootFlag || header.header != kHeaderMagic ||
        header.version < kOldestProtocol)
        return no_image;
    const size_t sectors = header.setup_sects != 0 ? header.setup_sects : 4;
    const size_t offset = kSectorSize + header.kernel_version;
    const size_t setup_end = std::min((sectors + 1) * kSectorSize, image.size());
    const Error no_release{EINVAL, "a bzImage that names no release"};
    if (header.kernel_version == 0 || offset >= setup_end) return no_release;
    const auto text = image.subspan(offset, std::min(kLongestRelease, setup_end - offset));
    std::string release;
    for (const std::byte value : text) {
        const char c = static_cast<char>(value);
        if (c == ' ' || c == '\0') break;
        // It becomes a folder's name.
        if (c < '!' || c > '~' || c == '/') return no_release;
        release.push_back(c);
    }
    if (release.empty() || release[0] == '.' || release.size() == kLongestRelease)
        return no_release;
    return release;
}

Result<std::string> bzimage_release(const std::filesystem::path& file) {
    const auto start = read_start(file, kLongestSetup);
    if (!start && start.error().code == EACCES)
        return Error{EACCES, file.string() + " may not be read by you. Type: sudo chmod a+r " +
                                 file.string()};
    if (!start) return start.error();
    auto release = bzimage_release(std::as_bytes(std::span(start->data(), start->size())));
    if (!release)
        return Error{release.error().code, file.string() + " is " + release.error().sentence +
                                               ". A kernel image is arch/x86/boot/bzImage of a "
                                               "build tree, or /boot/vmlinuz-RELEASE."};
    return release;
}

std::optional<uint64_t> bzimage_length(std::span<const std::byte> start) {
    BzImageHeader header;
    if (start.size() < sizeof(header)) return std::nullopt;
    std::memcpy(&header, start.data(), sizeof(header));
    const uint64_t sectors = header.setup_sects != 0 ? header.setup_sects : 4;
    return (sectors + 1) * kSectorSize + uint64_t{header.syssize} * kParagraph;
}

Result<void> check_bzimage_length(const std::filesystem::path& file) {
    const auto start = read_start(file, sizeof(BzImageHeader));
    if (!start) return start.error();
    std::error_code code;
    const uint64_t size = std::filesystem::file_size(file, code);
    if (code) return error_from_errno("look at " + file.string(), code.value());
    const auto whole = bzimage_length(std::as_bytes(std::span(start->data(), start->size())));
    if (whole && size >= *whole) return {};
    return Error{EINVAL, file.string() + " is cut short: it has " + std::to_string(size) +
                             " bytes, and its header tells of " +
                             (whole ? std::to_string(*whole) : "more") + "."};
}

}  // namespace zcrxlab
