// Of packages that nobody has signed modules are taken, and nothing else.
#include "kernels/unlisted_modules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "kernels/local_kernels.hpp"
#include "tests/fakes/bzimage.hpp"
#include "tests/fakes/fake_tree.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVersion = "7.3.4-1~bpo13+1";
const fs::path kModules = fs::path("usr/lib/modules") / fake::kRelease;
const fs::path kGve = kModules / "kernel/drivers/net/ethernet/google/gve/gve.ko.xz";

std::set<std::string> files_below(const fs::path& folder) {
    std::set<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (!entry.is_directory()) found.insert(entry.path().lexically_relative(folder).string());
    return found;
}

TEST(TakeModules, NothingElseIsTaken) {
    const fake::Folder folder;
    const fs::path from = folder.path() / "from", set = folder.path() / "set";
    fake::write(from / kGve, "gve");
    fake::write(from / kModules / "modules.order", "order");
    for (const fs::path& place :
         {kModules / "vmlinuz", kModules / "kernel/vmlinuz", kModules / "modules.dep",
          kModules / "gve.ko", fs::path("usr/lib/modules/9.9/kernel/other.ko"),
          fs::path("boot/vmlinuz-9.9"), fs::path("kernel/x.ko"), fs::path("etc/modules.order")})
        fake::write(from / place, "not wanted");
    fs::create_symlink("/etc/passwd", from / kModules / "kernel/link.ko");
    fs::create_directory_symlink("/usr/lib", from / kModules / "kernel/folder");
    const auto taken = take_modules(from, fake::kRelease, set);
    ASSERT_TRUE(taken) << taken.error().sentence;
    EXPECT_EQ(files_below(set), (std::set<std::string>{kGve, kModules / "modules.order",
                                                       kModules / "modules.unlisted"}));
    EXPECT_EQ(fake::read(set / kGve), "gve");
}

TEST(TakeModules, ThroughNoLink) {
    const fake::Folder folder;
    const fs::path elsewhere = folder.path() / "elsewhere", from = folder.path() / "from";
    fake::write(elsewhere / fake::kRelease / "kernel/x.ko", "of the machine");
    fs::create_directories(from / "usr/lib");
    fs::create_directory_symlink(elsewhere, from / "usr/lib/modules");
    const auto taken = take_modules(from, fake::kRelease, folder.path() / "set");
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().code, EINVAL);
    EXPECT_TRUE(fs::exists(elsewhere / fake::kRelease / "kernel/x.ko"));
}

class UnlistedModules : public fake::FetchingTest {
  protected:
    void SetUp() override {
        FetchingTest::SetUp();
        if (IsSkipped()) return;
        const fs::path binary = folder_.path() / "binary";
        fake::write(binary / "boot" / (std::string("vmlinuz-") + fake::kRelease),
                    fake::bzimage(fake::kRelease));
        apt_.add_package(std::string("linux-binary-") + fake::kRelease, kVersion, binary);
    }
    void add_unlisted() {
        const fs::path base = folder_.path() / "base", modules = folder_.path() / "modules";
        fake::write(base / kModules / "modules.builtin", "");
        fake::write(modules / kGve, "gve");
        // Nobody has checked it, so that it must not come before the one that apt has checked.
        fake::write(modules / kModules / "vmlinuz", fake::bzimage("9.9"));
        apt_.add_unlisted(std::string("linux-base-") + fake::kRelease, kVersion, base);
        apt_.add_unlisted(std::string("linux-modules-") + fake::kRelease, kVersion, modules);
    }
};

TEST_F(UnlistedModules, AKernelIsPutTogetherAndKnownByThem) {
    add_unlisted();
    const auto fetched = find_kernel("7.3.4", {});
    ASSERT_TRUE(fetched) << fetched.error().sentence;
    EXPECT_EQ(fetched->release, fake::kRelease);
    EXPECT_TRUE(has_driver(*fetched, "gve"));
    EXPECT_TRUE(has_unlisted_modules(*fetched));
    // However it is named.
    for (const std::string& wanted :
         {std::string("7.3.4"), fetched->set.string(), fetched->image.string()}) {
        const auto again = find_kernel(wanted, {});
        ASSERT_TRUE(again) << wanted << ": " << again.error().sentence;
        EXPECT_TRUE(has_unlisted_modules(*again)) << wanted;
    }
    const auto known = known_kernels();
    ASSERT_TRUE(known);
    EXPECT_TRUE(std::ranges::any_of(*known, [](const KernelChoice& kernel) {
        return kernel.version == "7.3.4" && kernel.cached && kernel.unlisted;
    }));
}

TEST_F(UnlistedModules, WithoutThemThereIsNoKernel) {
    const auto fetched = find_kernel("7.3.4", {});
    ASSERT_FALSE(fetched);
    EXPECT_NE(fetched.error().sentence.find("404"), std::string::npos) << fetched.error().sentence;
    EXPECT_FALSE(fs::exists(folder_.path() / "cache/kernels/7.3.4-cloud-amd64"));
}

}  // namespace
}  // namespace zcrxlab
