// Building a kernel: what is refused, what is kept, and what is said, with a make of our own.
#include <gtest/gtest.h>
#include <string>

#include "kernels/build/kernel_build.hpp"
#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

// A kernel tree whose Makefile only does what build_kernel() relies on: allnoconfig copies what is
// asked for, but never CONFIG_GONE; bzImage says what it compiles.
class KernelBuild : public testing::Test {
  protected:
    void SetUp() override {
        write("tree/Kbuild", "");
        write("tree/arch/x86/Kconfig", "");
        write("tree/Makefile",
              "allnoconfig:\n"
              "\tgrep -v GONE $(KCONFIG_ALLCONFIG) > $(O)/.config\n"
              "\techo run >> $(O)/configured\n"
              "bzImage:\n"
              "\t@echo '  CC      io_uring/zcrx.o'\n"
              "\t@test ! -f broken.c || (echo 'io_uring/zcrx.c:7:1: error: no such thing'; "
              "echo '    7 | thing'; false)\n"
              "\tmkdir -p $(O)/arch/x86/boot && echo image > $(O)/arch/x86/boot/bzImage\n"
              "modules:\n\n");
        write("base.config", "CONFIG_NET=y\nCONFIG_GONE=y\n");
        plan_.source = root_ / "tree";
        plan_.output = root_ / "out";
        plan_.fragments = {root_ / "base.config"};
        plan_.tools = {"make"};
    }
    void write(const std::string& name, const std::string& text) const {
        folder_.write(name, text);
    }

    const TemporaryFolder folder_;
    const fs::path& root_ = folder_.path();
    KernelBuildPlan plan_;
};

TEST_F(KernelBuild, NamesTheToolsThatAreMissing) {
    plan_.tools = {"make", "no-such-flex", "no-such-bison"};
    const auto built = build_kernel(plan_, {});
    ASSERT_FALSE(built);
    EXPECT_EQ(built.error().sentence,
              "A kernel cannot be built here; missing: no-such-flex, no-such-bison. Type: "
              "ci/install-packages kernel");
    EXPECT_FALSE(fs::exists(plan_.output));
}

TEST(BuildTools, AreLookedForInEachFolderOfPath) {
    const TemporaryFolder folder;
    folder.write("bin/flex", "");
    fs::permissions(folder.path() / "bin/flex", fs::perms::owner_all);
    folder.write("bin/bison", "");
    const std::string path = "/nonexistent:" + (folder.path() / "bin").string();
    EXPECT_TRUE(check_build_tools({"flex"}, path));
    EXPECT_FALSE(check_build_tools({"bison"}, path)) << "it cannot be executed";
    EXPECT_FALSE(check_build_tools({"flex"}, ""));
}

TEST_F(KernelBuild, BuildsOutsideTheTreeAndTellsWhatDidNotTake) {
    const auto outcome = build_kernel(plan_, {});
    ASSERT_TRUE(outcome) << outcome.error().sentence;
    EXPECT_TRUE(outcome->configured);
    EXPECT_EQ(outcome->image, root_ / "out/arch/x86/boot/bzImage");
    ASSERT_EQ(outcome->unmet.size(), 1U);
    EXPECT_EQ(outcome->unmet[0].asked.place, "base.config:2");
    EXPECT_FALSE(fs::exists(root_ / "tree/.config"));
}

TEST_F(KernelBuild, ConfiguresAgainOnlyWhenFragmentsChange) {
    ASSERT_TRUE(build_kernel(plan_, {}));
    const auto again = build_kernel(plan_, {});
    ASSERT_TRUE(again);
    EXPECT_FALSE(again->configured);
    write("base.config", "CONFIG_NET=y\nCONFIG_INET=y\n");
    const auto changed = build_kernel(plan_, {});
    ASSERT_TRUE(changed);
    EXPECT_TRUE(changed->configured);
    EXPECT_EQ(folder_.read("out/configured"), "run\nrun\n");
}

TEST_F(KernelBuild, AFailureIsTheCompilersFirstComplaint) {
    write("tree/broken.c", "");
    const auto outcome = build_kernel(plan_, {});
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, EIO);
    EXPECT_NE(outcome.error().sentence.find("io_uring/zcrx.c:7:1: error: no such thing\n    7 | "),
              std::string::npos)
        << outcome.error().sentence;
}

TEST_F(KernelBuild, RefusesATreeThatWasBuiltInPlace) {
    write("tree/.config", "");
    const auto outcome = build_kernel(plan_, {});
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, EBUSY);
    EXPECT_NE(outcome.error().sentence.find("mrproper"), std::string::npos);
}

TEST_F(KernelBuild, RefusesWhatIsNoTree) {
    plan_.source = root_ / "out";
    const auto outcome = build_kernel(plan_, {});
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ENOENT);
}

TEST_F(KernelBuild, FindsFragmentsByNameAndByFile) {
    write("kernel-config/debug.config", "");
    EXPECT_EQ(*find_fragment("debug", root_), root_ / "kernel-config/debug.config");
    EXPECT_EQ(*find_fragment((root_ / "base.config").string(), root_), root_ / "base.config");
    const auto unknown = find_fragment("fast", root_);
    ASSERT_FALSE(unknown);
    EXPECT_NE(unknown.error().sentence.find("there are: debug"), std::string::npos);
}

}  // namespace
}  // namespace zcrxlab
