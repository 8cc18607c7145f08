// From what the user says to a kernel: cache before network, and nothing fetched twice.
#include <gtest/gtest.h>

#include <functional>

#include "kernels/kernel.hpp"
#include "kernels/kernel_source.hpp"
#include "kernels/local_kernels.hpp"
#include "tests/fakes/bzimage.hpp"
#include "tests/fakes/fake_tree.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

class FindKernel : public fake::FetchingTest {
  protected:
    void publish() {
        const fs::path binary = folder_.path() / "binary";
        const fs::path modules = folder_.path() / "modules";
        const fs::path base = folder_.path() / "base";
        fake::install_kernel(binary, fake::kRelease);
        fake::write(base / "usr/lib/modules" / fake::kRelease / "modules.builtin", "");
        fake::write(modules / "usr/lib/modules" / fake::kRelease / "modules.order", "");
        apt_.add_package(std::string("linux-binary-") + fake::kRelease, "7.3.4-1~bpo13+1", binary);
        apt_.add_package(std::string("linux-base-") + fake::kRelease, "7.3.4-1~bpo13+1", base);
        apt_.add_package(std::string("linux-modules-") + fake::kRelease, "7.3.4-1~bpo13+1",
                         modules);
    }
};

TEST_F(FindKernel, FetchesOnceAndThenAsksNobody) {
    publish();
    const auto first = find_kernel("7.3", {});
    ASSERT_TRUE(first) << first.error().sentence;
    EXPECT_EQ(first->release, fake::kRelease);
    EXPECT_EQ(first->origin, "Debian trixie-backports");
    EXPECT_TRUE(has_driver(*first, "gve"));
    const std::string calls = apt_.calls();
    for (const char* wanted : {"7.3", "7.3.4", "7.3.4-cloud-amd64", fake::kRelease}) {
        const auto again = find_kernel(wanted, {});
        ASSERT_TRUE(again) << wanted;
        EXPECT_EQ(again->origin, "cache");
        EXPECT_EQ(again->image, first->image);
    }
    EXPECT_EQ(apt_.calls(), calls);
    // Another one is not made up from what is there.
    EXPECT_FALSE(find_kernel("7.2", {}));
    EXPECT_FALSE(find_kernel("7.3.4-amd64", {}));
    EXPECT_FALSE(find_kernel("7.3.4", {}, "amd64"));
    EXPECT_FALSE(find_kernel("", {}, "amd64"));
    // What is named stays.
    EXPECT_TRUE(find_kernel("7.3.4-cloud-amd64", {}, "amd64"));
    EXPECT_TRUE(find_kernel(fake::kRelease, {}, "amd64"));
}

TEST_F(FindKernel, ADamagedOneIsFetchedAnewOnceWithASentence) {
    publish();
    const auto first = find_kernel("7.3.4", {});
    ASSERT_TRUE(first) << first.error().sentence;
    const std::string image = fake::read(first->image);
    const fs::path gve = first->modules / "kernel/drivers/net/ethernet/google/gve/gve.ko.xz";
    const auto shorten = [&] { fs::resize_file(first->image, image.size() - 100); };
    const auto zero = [&] { fake::write(first->image, std::string(image.size(), '\0')); };
    const auto remove_driver = [&] { ASSERT_GT(fs::remove_all(gve), 0U); };
    for (const std::function<void()>& damage :
         {std::function<void()>(shorten), std::function<void()>(remove_driver),
          std::function<void()>(zero)}) {
        damage();
        std::string said;
        const auto again =
            find_kernel("7.3.4", [&said](const std::string& line) { said += line + "\n"; });
        ASSERT_TRUE(again) << again.error().sentence;
        EXPECT_EQ(again->origin, "Debian trixie-backports");
        EXPECT_EQ(fake::read(again->image), image);
        EXPECT_TRUE(has_driver(*again, "gve"));
        EXPECT_NE(said.find("It is fetched anew."), std::string::npos) << said;
        EXPECT_NE(said.find("fetching kernel 7.3.4"), std::string::npos) << said;
        EXPECT_EQ(find_kernel("7.3.4", {})->origin, "cache");
    }
}

TEST_F(FindKernel, AnImageThatIsCutShortIsRefused) {
    const fs::path file = folder_.path() / "bzImage";
    std::string image = fake::bzimage("7.3.4");
    image[0x1f4] = 10;  // syssize, in units of 16 bytes
    fake::write(file, image + std::string(159, 'x'));
    const auto cut = find_kernel(file.string(), {});
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().code, EINVAL);
    EXPECT_NE(cut.error().sentence.find("is cut short: it has 2719 bytes, and its header tells of "
                                        "2720"),
              std::string::npos)
        << cut.error().sentence;
    fake::write(file, image + std::string(160, 'x'));
    EXPECT_TRUE(find_kernel(file.string(), {}));
}

TEST_F(FindKernel, UnknownOneNamesTheNearest) {
    publish();
    const auto kernel = find_kernel("7.2.1", {});
    ASSERT_FALSE(kernel);
    EXPECT_EQ(kernel.error().code, ENOENT);
    EXPECT_NE(kernel.error().sentence.find("nearest are 7.3.4"), std::string::npos)
        << kernel.error().sentence;
    // The lists are fresh now; asking again does not fetch them again.
    const std::string calls = apt_.calls();
    EXPECT_FALSE(find_kernel("7.2.1", {}));
    EXPECT_EQ(apt_.calls(), calls);
}

TEST_F(FindKernel, BrokenOffUnpackingIsNotAKernel) {
    publish();
    // What an interrupted run leaves: a temporary folder, never a place.
    fake::install_kernel(folder_.path() / "cache/tmp/abcdef", fake::kRelease);
    const auto kernel = find_kernel("7.3.4", {});
    ASSERT_TRUE(kernel);
    EXPECT_EQ(kernel->origin, "Debian trixie-backports");
    EXPECT_FALSE(fs::exists(folder_.path() / "cache/tmp/abcdef"));
}

TEST_F(FindKernel, PathsAreTakenAsTheyAre) {
    fake::install_kernel(folder_.path() / "own", "6.19.1");
    EXPECT_EQ(find_kernel((folder_.path() / "own").string(), {})->release, "6.19.1");
    EXPECT_EQ(
        find_kernel((folder_.path() / "own/usr/lib/modules/6.19.1/vmlinuz").string(), {})->release,
        "6.19.1");
    EXPECT_EQ(find_kernel((folder_.path() / "none").string(), {}).error().code, ENOENT);
    EXPECT_EQ(find_kernel("nonsense", {}).error().code, EINVAL);
}

TEST_F(FindKernel, ListMarksCachedAndStandard) {
    publish();
    auto kernels = list_kernels({});
    ASSERT_TRUE(kernels);
    const auto find = [&kernels] {
        for (const KernelChoice& kernel : *kernels)
            if (kernel.version == "7.3.4") return kernel;
        return KernelChoice{};
    };
    EXPECT_EQ(find().flavour, "cloud-amd64");
    EXPECT_EQ(find().suite, "trixie-backports");
    EXPECT_FALSE(find().cached);
    ASSERT_TRUE(find_kernel("7.3.4", {}));
    kernels = known_kernels();
    ASSERT_TRUE(kernels);
    EXPECT_TRUE(find().cached);
    // A machine may have a kernel of its own that is taken first.
    if (installed_kernels("/").empty()) {
        EXPECT_TRUE(find().standard);
    }
}

TEST_F(FindKernel, SourceIsFetchedOnce) {
    const fs::path root = folder_.path() / "source";
    fake::write(root / "usr/src/linux-source-7.3.tar.xz", "source");
    fake::write(root / "usr/share/doc/x", "x");
    apt_.add_package("linux-source-7.3", "7.3.4-1", root);
    const auto archive = find_kernel_source("7.3", {});
    ASSERT_TRUE(archive) << archive.error().sentence;
    EXPECT_EQ(fake::read(*archive), "source");
    const std::string calls = apt_.calls();
    EXPECT_EQ(*find_kernel_source("7.3", {}), *archive);
    EXPECT_EQ(apt_.calls(), calls);
    // What was unpacked from it is not taken for it, whichever of them the folder names first.
    for (const char* other : {"a.tar", "netdevsim.tar", "z.tar"})
        fake::write(archive->parent_path() / other, "a part");
    EXPECT_EQ(*find_kernel_source("7.3", {}), *archive);
    EXPECT_EQ(find_kernel_source("../7", {}).error().code, EINVAL);
}

}  // namespace
}  // namespace zcrxlab
