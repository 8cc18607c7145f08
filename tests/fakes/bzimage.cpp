// Writes the header.
#include "tests/fakes/bzimage.hpp"

#include <cstring>

#include "kernels/bzimage.hpp"

namespace zcrxlab::fake {

std::string bzimage(const std::string& release) {
    BzImageHeader header{};
    header.setup_sects = 4;
    header.boot_flag = 0xaa55;
    header.header = 0x53726448;
    header.version = 0x020f;
    header.kernel_version = 0x300;
    std::string image(size_t{5} * 512, '\0');
    std::memcpy(image.data(), &header, sizeof(header));
    const std::string text = release + " (builder@example) #1 SMP";
    std::memcpy(image.data() + 0x500, text.c_str(), text.size() + 1);
    return image;
}

}  // namespace zcrxlab::fake
