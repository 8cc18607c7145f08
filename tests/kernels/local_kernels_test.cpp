// Kernels on this machine: files, folders, build trees, the system's.
#include <gtest/gtest.h>

#include "kernels/local_kernels.hpp"
#include "tests/fakes/fake_tree.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

class LocalKernels : public testing::Test {
  protected:
    fake::Folder folder_;
    fs::path root_ = folder_.path() / "root";
    Cache cache_{folder_.path() / "cache"};
};

TEST_F(LocalKernels, PackageSince619) {
    fake::install_kernel(root_, "7.3.4+deb13-cloud-amd64");
    const auto kernel = kernel_from_folder(root_, cache_);
    ASSERT_TRUE(kernel);
    EXPECT_EQ(kernel->release, "7.3.4+deb13-cloud-amd64");
    EXPECT_EQ(kernel->modules, root_ / "usr/lib/modules/7.3.4+deb13-cloud-amd64");
    EXPECT_EQ(kernel->image, kernel->modules / "vmlinuz");
    EXPECT_TRUE(has_driver(*kernel, "gve"));
    EXPECT_TRUE(has_driver(*kernel, "virtio_pci"));
    EXPECT_FALSE(has_driver(*kernel, "bnxt_en"));
    EXPECT_EQ(kernel_from_folder(kernel->modules, cache_)->release, kernel->release);
}

TEST_F(LocalKernels, PackageBefore619) {
    fake::write(root_ / "boot/vmlinuz-6.18.15", fake::bzimage("6.18.15"));
    fake::write(root_ / "boot/System.map-6.18.15", "");
    fake::write(root_ / "lib/modules/6.18.15/modules.builtin", "");
    const auto kernel = kernel_from_folder(root_, cache_);
    ASSERT_TRUE(kernel);
    EXPECT_EQ(kernel->image, root_ / "boot/vmlinuz-6.18.15");
    EXPECT_EQ(kernel->modules, root_ / "lib/modules/6.18.15");
    const auto by_image = kernel_from_image(root_ / "boot/vmlinuz-6.18.15", cache_);
    EXPECT_EQ(by_image->modules, kernel->modules);
}

TEST_F(LocalKernels, NewestOfSeveral) {
    for (const char* release : {"6.9.1", "6.18.2", "6.18.11"}) fake::install_kernel(root_, release);
    EXPECT_EQ(kernel_from_folder(root_, cache_)->release, "6.18.11");
    const auto all = installed_kernels(root_);
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all.front().release, "6.9.1");
    EXPECT_EQ(all.front().origin, "system");
}

TEST_F(LocalKernels, BuildTree) {
    const fs::path tree = folder_.path() / "linux";
    fake::write(tree / "arch/x86/boot/bzImage", fake::bzimage("7.3.0-dirty"));
    EXPECT_EQ(kernel_from_folder(tree, cache_)->modules, "");
    fake::write(tree / "modules.builtin", "kernel/drivers/virtio/virtio_pci.ko\n");
    fake::write(tree / "drivers/net/ethernet/google/gve/gve.ko", "gve");
    for (const auto& kernel : {kernel_from_folder(tree, cache_),
                               kernel_from_image(tree / "arch/x86/boot/bzImage", cache_)}) {
        ASSERT_TRUE(kernel);
        EXPECT_EQ(kernel->release, "7.3.0-dirty");
        EXPECT_TRUE(fs::exists(kernel->modules / "kernel/drivers/net/ethernet/google/gve/gve.ko"));
        EXPECT_TRUE(fs::exists(kernel->modules / "modules.builtin"));
        EXPECT_TRUE(has_driver(*kernel, "gve"));
    }
    fake::install_kernel(tree, "7.3.0-dirty");
    EXPECT_EQ(kernel_from_folder(tree, cache_)->modules, tree / "usr/lib/modules/7.3.0-dirty");
}

TEST_F(LocalKernels, UnbuiltTreeSaysWhatToType) {
    fake::write(root_ / "Kbuild", "");
    fs::create_directories(root_ / "arch/x86");
    const auto kernel = kernel_from_folder(root_, cache_);
    ASSERT_FALSE(kernel);
    EXPECT_NE(kernel.error().sentence.find("make -C"), std::string::npos);
}

TEST_F(LocalKernels, FolderWithoutKernel) {
    fs::create_directories(root_);
    EXPECT_EQ(kernel_from_folder(root_, cache_).error().code, ENOENT);
    fake::write(root_ / "usr/lib/modules/7.3/vmlinuz", "broken");
    EXPECT_EQ(kernel_from_folder(root_, cache_).error().code, ENOENT);
}

TEST_F(LocalKernels, StandardNeedsAgeAndDriver) {
    const auto served = [&](const std::string& release, bool gve) {
        const fs::path root = folder_.path() / ("s" + release + (gve ? "g" : ""));
        fake::install_kernel(root, release, gve);
        return serves_as_standard(installed_kernels(root).front());
    };
    EXPECT_TRUE(served("6.18.0-1-generic", true));
    EXPECT_TRUE(served("7.4.1", true));
    EXPECT_FALSE(served("7.4.1", false));
    EXPECT_FALSE(served("6.17.13", true));
}

}  // namespace
}  // namespace zcrxlab
