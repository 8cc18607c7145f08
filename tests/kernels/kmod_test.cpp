// What modprobe reads of a kernel, with a depmod that is none.
#include "kernels/kmod.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

class KmodTest : public testing::Test {
  protected:
    KmodTest() {
        folder_.write("set/modules/kernel/net/sched/sch_fq.ko.xz", "module");
        folder_.write("set/modules/modules.order", "net/sched/sch_fq.ko");
        // Called as "depmod -b ROOT RELEASE".
        const fs::path depmod = folder_.write(
            "depmod",
            "#!/bin/sh\necho >>\"$0.calls\"\nls \"$2/lib/modules/$3/kernel/net\" || exit 1\n"
            "echo made >\"$2/usr/lib/modules/$3/modules.dep.bin\"\n");
        fs::permissions(depmod, fs::perms::owner_all);
        kmod_.depmod = {depmod.string()};
        kernel_.release = "7.3.4-test";
        kernel_.modules = folder_.path() / "set/modules";
        ::setenv("ZCRXLAB_CACHE", (folder_.path() / "cache").c_str(), 1);
    }
    ~KmodTest() override { ::unsetenv("ZCRXLAB_CACHE"); }
    Result<fs::path> ask() {
        return modules_for_modprobe(kernel_, kmod_, folder_.path() / "scratch", {});
    }
    size_t calls() const {
        return fs::exists(folder_.path() / "depmod.calls") ? folder_.read("depmod.calls").size()
                                                           : 0;
    }
    TemporaryFolder folder_;
    Kmod kmod_;
    Kernel kernel_;
};

TEST_F(KmodTest, AKernelOfTheCacheIsListedOnce) {
    kernel_.set = folder_.path() / "set";
    const auto first = ask();
    ASSERT_TRUE(first) << first.error().sentence;
    EXPECT_EQ(*first, folder_.path() / "cache/modules/set");
    EXPECT_TRUE(fs::exists(*first / "kernel/net/sched/sch_fq.ko.xz"));
    EXPECT_TRUE(fs::exists(*first / "modules.order"));
    ASSERT_TRUE(ask());
    EXPECT_EQ(calls(), 1U);
}

TEST_F(KmodTest, AnyOtherKernelMayHaveBeenBuiltAnew) {
    const auto first = ask();
    ASSERT_TRUE(first) << first.error().sentence;
    EXPECT_EQ(*first, folder_.path() / "scratch/lib/modules/7.3.4-test");
    ASSERT_TRUE(ask());
    EXPECT_EQ(calls(), 2U);
}

TEST_F(KmodTest, AnInstalledKernelHasItAlready) {
    folder_.write("set/modules/modules.dep.bin", "there");
    const auto folder = ask();
    ASSERT_TRUE(folder) << folder.error().sentence;
    EXPECT_EQ(*folder, kernel_.modules);
    EXPECT_EQ(calls(), 0U);
}

TEST_F(KmodTest, WhatCannotBeHadIsSaid) {
    fs::remove_all(folder_.path() / "set/modules/kernel/net");
    const auto refused = ask();
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().sentence.find("7.3.4-test"), std::string::npos);
    kernel_.modules.clear();
    ASSERT_FALSE(ask());
    EXPECT_EQ(ask().error().code, ENOENT);
}

}  // namespace
}  // namespace zcrxlab
