// The release in a bzImage's header, and what is no bzImage.
#include <gtest/gtest.h>

#include "kernels/bzimage.hpp"
#include "tests/fakes/fake_tree.hpp"

namespace zcrxlab {
namespace {

Result<std::string> release_of(const std::string& image) {
    return bzimage_release(std::as_bytes(std::span(image.data(), image.size())));
}

TEST(BzImage, NamesItsRelease) {
    const auto release = release_of(fake::bzimage("7.3.4+deb13-cloud-amd64"));
    ASSERT_TRUE(release);
    EXPECT_EQ(*release, "7.3.4+deb13-cloud-amd64");
}

TEST(BzImage, IsKnownByItsMagicNumbers) {
    for (const size_t at : {0x1fe, 0x1ff, 0x202, 0x205}) {
        std::string image = fake::bzimage("7.3.4");
        image[at] ^= 1;
        EXPECT_FALSE(release_of(image)) << at;
    }
    std::string old = fake::bzimage("7.3.4");
    old[0x207] = 1;
    EXPECT_FALSE(release_of(old));
}

TEST(BzImage, TruncatedIsRefused) {
    const std::string image = fake::bzimage("7.3.4");
    for (const size_t size : {size_t{0}, size_t{0x20f}, size_t{0x210}, size_t{0x500}})
        EXPECT_FALSE(release_of(image.substr(0, size))) << size;
}

TEST(BzImage, WildPointerIsRefused) {
    std::string image = fake::bzimage("7.3.4");
    image[0x20e] = '\xff';
    image[0x20f] = '\xff';
    EXPECT_FALSE(release_of(image));
    image[0x20e] = 0;
    image[0x20f] = 0;
    EXPECT_FALSE(release_of(image));
}

TEST(BzImage, ReleaseThatIsNoFolderNameIsRefused) {
    for (const char* release : {"../../etc", "a/b", "", "..", "\x01"})
        EXPECT_FALSE(release_of(fake::bzimage(release))) << release;
    EXPECT_FALSE(release_of(fake::bzimage(std::string(300, 'x'))));
}

TEST(BzImage, FileThatIsNoneSaysWhatOneIs) {
    const fake::Folder folder;
    fake::write(folder.path() / "vmlinux",
                "\x7f"
                "ELF");
    const auto release = bzimage_release(folder.path() / "vmlinux");
    ASSERT_FALSE(release);
    EXPECT_EQ(release.error().code, EINVAL);
    EXPECT_NE(release.error().sentence.find("arch/x86/boot/bzImage"), std::string::npos);
    EXPECT_EQ(bzimage_release(folder.path() / "nothing").error().code, ENOENT);
}

}  // namespace
}  // namespace zcrxlab
