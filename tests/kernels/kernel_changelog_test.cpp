// Debian's changelog out of a kernel's packages: fetched once, and told where there is none.
#include <gtest/gtest.h>

#include "harness/base/program.hpp"
#include "kernels/kernel.hpp"
#include "kernels/kernel_changelog.hpp"
#include "tests/fakes/fake_tree.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kText = "linux (7.3.4-1) unstable; urgency=medium\n";

class KernelChangelog : public fake::FetchingTest {
  protected:
    void SetUp() override {
        FetchingTest::SetUp();
        if (IsSkipped()) return;
        const fs::path base = folder_.path() / "base", image = folder_.path() / "image";
        const fs::path file = base / "usr/share/doc" /
                              (std::string("linux-base-") + fake::kRelease) / "changelog.Debian";
        fake::write(file, kText);
        ASSERT_EQ(run_program({"gzip", file.string()})->exit_code, 0);
        fake::install_kernel(image, "6.18.5+deb13-cloud-amd64");
        for (const std::string kind : {"binary", "modules"}) {
            fake::write(folder_.path() / kind / "usr/lib/modules" / fake::kRelease / kind, "");
            apt_.add_package("linux-" + kind + "-" + fake::kRelease, "7.3.4-1~bpo13+1",
                             folder_.path() / kind);
        }
        apt_.add_package(std::string("linux-base-") + fake::kRelease, "7.3.4-1~bpo13+1", base);
        apt_.add_package("linux-image-6.18.5+deb13-cloud-amd64", "6.18.5-1~bpo13+1", image);
        // Its other packages are in no list any more.
        apt_.add_package("linux-binary-7.1.13+deb13-cloud-amd64", "7.1.13-1~bpo13+1",
                         folder_.path() / "binary");
        ASSERT_TRUE(list_kernels({}));
    }
};

TEST_F(KernelChangelog, IsFetchedOnce) {
    const auto first = find_kernel_changelog("7.3.4", {});
    ASSERT_TRUE(first) << first.error().sentence;
    EXPECT_EQ(*first, kText);
    const std::string calls = apt_.calls();
    const auto again = find_kernel_changelog("7.3.4", {});
    ASSERT_TRUE(again) << again.error().sentence;
    EXPECT_EQ(*again, kText);
    EXPECT_EQ(apt_.calls(), calls);
    // It is no kernel.
    EXPECT_FALSE(fs::exists(folder_.path() / "cache/kernels"));
}

TEST_F(KernelChangelog, WhereThereIsNoneItSaysSo) {
    const auto none = find_kernel_changelog("6.18.5", {});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, ENOENT);
    EXPECT_NE(none.error().sentence.find("6.18.5"), std::string::npos);
    const auto unverified = find_kernel_changelog("7.1.13", {});
    ASSERT_FALSE(unverified);
    EXPECT_EQ(unverified.error().code, ENOENT);
    EXPECT_NE(unverified.error().sentence.find("no signed list"), std::string::npos);
    const auto gone = find_kernel_changelog("7.2.1", {});
    ASSERT_FALSE(gone);
    EXPECT_EQ(gone.error().code, ENOENT);
    EXPECT_FALSE(find_kernel_changelog("seven", {}));
}

}  // namespace
}  // namespace zcrxlab
