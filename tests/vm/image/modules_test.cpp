// Modules are found, decompressed, and sorted so that each follows what it needs.
#include "vm/image/modules.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/temporary_folder.hpp"
#include "tests/vm/image/fake_module.hpp"

namespace zcrxlab {
namespace {

std::vector<std::string> names_of(const std::vector<KernelModule>& modules) {
    std::vector<std::string> names;
    names.reserve(modules.size());
    for (const KernelModule& module : modules) names.push_back(module.name);
    return names;
}

class Modules : public testing::Test {
  protected:
    void add(const std::string& file, const std::string& depends) {
        folder_.write("kernel/drivers/" + file, fake_module_depending_on(depends));
    }
    Result<std::vector<KernelModule>> in_order(const std::vector<std::string>& wanted) {
        const auto index = ModuleIndex::open(folder_.path());
        if (!index) return index.error();
        return index->in_order(wanted);
    }
    TemporaryFolder folder_;
};

TEST_F(Modules, DependenciesComeFirstAndOnce) {
    add("top.ko", "left,right");
    add("left.ko", "base");
    add("right.ko", "base");
    add("base.ko", "");
    const auto order = in_order({"top", "right"});
    ASSERT_TRUE(order) << order.error().sentence;
    EXPECT_EQ(names_of(*order), (std::vector<std::string>{"base", "left", "right", "top"}));
}

TEST_F(Modules, DashesAndUnderscoresAreTheSame) {
    add("virtio-net.ko", "net-failover");
    add("net_failover.ko", "");
    const auto order = in_order({"virtio_net"});
    ASSERT_TRUE(order) << order.error().sentence;
    EXPECT_EQ(names_of(*order), (std::vector<std::string>{"net_failover", "virtio_net"}));
}

TEST_F(Modules, WhatIsBuiltInIsNotLoaded) {
    add("gve.ko", "core");
    folder_.write("modules.builtin", "kernel/net/core.ko\nkernel/drivers/virtio-pci.ko\n");
    const auto order = in_order({"virtio_pci", "gve"});
    ASSERT_TRUE(order) << order.error().sentence;
    EXPECT_EQ(names_of(*order), std::vector<std::string>{"gve"});
}

TEST_F(Modules, CompressedFilesAreDecompressed) {
    const std::string plain = fake_module_depending_on("");
    folder_.write("kernel/a.ko.xz", compressed(plain, "xz"));
    folder_.write("kernel/b.ko.gz", compressed(plain, "gzip"));
    const auto order = in_order({"a", "b"});
    ASSERT_TRUE(order) << order.error().sentence;
    ASSERT_EQ(order->size(), 2U);
    EXPECT_EQ((*order)[0].bytes, plain);
    EXPECT_EQ((*order)[1].bytes, plain);
}

TEST_F(Modules, AMissingOneIsNamedWithThoseThatNeedIt) {
    add("gve.ko", "absent");
    const auto order = in_order({"gve"});
    ASSERT_FALSE(order);
    EXPECT_EQ(order.error().code, ENOENT);
    EXPECT_NE(order.error().sentence.find("gve -> absent"), std::string::npos)
        << order.error().sentence;
}

TEST_F(Modules, ACycleIsAnError) {
    add("a.ko", "b");
    add("b.ko", "c");
    add("c.ko", "a");
    const auto order = in_order({"a"});
    ASSERT_FALSE(order);
    EXPECT_EQ(order.error().code, ELOOP);
    EXPECT_NE(order.error().sentence.find("a -> b -> c -> a"), std::string::npos)
        << order.error().sentence;
}

TEST_F(Modules, AFileThatIsNoModuleIsAnError) {
    folder_.write("kernel/bad.ko", "this is no ELF file");
    const auto order = in_order({"bad"});
    ASSERT_FALSE(order);
    EXPECT_EQ(order.error().code, EINVAL);
}

TEST_F(Modules, ATruncatedCompressedFileIsAnError) {
    const std::string packed = compressed(fake_module_depending_on("x"), "xz");
    folder_.write("kernel/cut.ko.xz", packed.substr(0, packed.size() / 2));
    EXPECT_FALSE(in_order({"cut"}));
}

TEST_F(Modules, WithoutAFolderAllIsTakenToBeBuiltIn) {
    const auto index = ModuleIndex::open("");
    ASSERT_TRUE(index);
    EXPECT_TRUE(index->has("gve"));
    const auto order = index->in_order({"gve"});
    ASSERT_TRUE(order);
    EXPECT_TRUE(order->empty());
}

TEST_F(Modules, AFolderThatIsNotThereIsAnError) {
    EXPECT_FALSE(ModuleIndex::open(folder_.path() / "absent"));
}

TEST_F(Modules, OneOfTheUsersGoesBeforeTheKernelsOwn) {
    add("gve.ko", "");
    const std::string mine = fake_module(std::string("vermagic=7.3.4 SMP mod_unload\0x=y\0", 34));
    folder_.write("mine/gve.ko", mine);
    auto index = ModuleIndex::open(folder_.path());
    ASSERT_TRUE(index);
    const auto name = index->replace(folder_.path() / "mine/gve.ko", "7.3.4");
    ASSERT_TRUE(name) << name.error().sentence;
    EXPECT_EQ(*name, "gve");
    const auto order = index->in_order({"gve"});
    ASSERT_TRUE(order);
    EXPECT_EQ(order->at(0).bytes, mine);
}

TEST_F(Modules, OneOfTheUsersIsBuiltForThisKernel) {
    folder_.write("kernel/none", "");
    folder_.write("mine/gve.ko", fake_module(std::string("vermagic=7.3.4 SMP mod_unload\0", 30)));
    folder_.write("mine/text.ko", "text");
    auto index = ModuleIndex::open(folder_.path());
    ASSERT_TRUE(index);
    const auto other = index->replace(folder_.path() / "mine/gve.ko", "7.3.40");
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code, EINVAL);
    EXPECT_NE(other.error().sentence.find("is built for kernel 7.3.4, and this is 7.3.40"),
              std::string::npos)
        << other.error().sentence;
    EXPECT_EQ(index->replace(folder_.path() / "mine/text.ko", "7.3.4").error().code, EINVAL);
}

TEST(Modinfo, FindsWholeKeysOnly) {
    const std::string elf = fake_module(std::string("xdepends=no\0depends=a,b\0depend=c\0", 33));
    const auto value = modinfo_value(elf, "depends");
    ASSERT_TRUE(value);
    EXPECT_EQ(*value, "a,b");
    EXPECT_EQ(modinfo_value(elf, "depen").error().code, ENOENT);
}

TEST(Modinfo, CutFilesAreRefused) {
    const std::string elf = fake_module_depending_on("a");
    for (size_t size = 0; size < elf.size(); ++size)
        EXPECT_FALSE(modinfo_value(elf.substr(0, size), "depends")) << size;
}

}  // namespace
}  // namespace zcrxlab
