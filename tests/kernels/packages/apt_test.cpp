// What apt prints is understood, and nothing that cannot be checked passes.
#include <gtest/gtest.h>

#include <cstdlib>

#include "harness/base/program.hpp"
#include "kernels/packages/apt.hpp"
#include "tests/fakes/fake_tree.hpp"

namespace zcrxlab {
namespace {

TEST(PrintUris, FilesWithSizeAndDigest) {
    const auto files = parse_print_uris(
        "Reading package lists...\n"
        "'http://m.example/pool/l/linux-modules-7.3.4%2bdeb13-cloud-amd64.deb' "
        "linux-modules-7.3.4+deb13-cloud-amd64_7.3.4-1~bpo13+1_amd64.deb 22918420 "
        "SHA256:359f04c3\n");
    ASSERT_TRUE(files);
    ASSERT_EQ(files->size(), 1U);
    EXPECT_EQ(files->front().name,
              "linux-modules-7.3.4+deb13-cloud-amd64_7.3.4-1~bpo13+1_amd64.deb");
    EXPECT_EQ(files->front().size, 22918420U);
    EXPECT_EQ(files->front().algorithm, "SHA256");
    EXPECT_EQ(files->front().digest, "359f04c3");
}

TEST(PrintUris, FileWithoutDigestIsAnErrorNotALeftOut) {
    for (const char* line : {"'http://m.example/a.deb' a.deb 12 \n", "'http://m.example/a.deb\n",
                             "'http://m.example/a.deb' a.deb x SHA256:1\n",
                             "'http://m.example/a.deb' ../../a.deb 12 SHA256:1\n",
                             "'http://m.example/a.deb' a.sh 12 SHA256:1\n"})
        EXPECT_EQ(parse_print_uris(line).error().code, EPROTO) << line;
}

TEST(DownloadStatus, Percentages) {
    EXPECT_DOUBLE_EQ(parse_download_status("dlstatus:3:25.1505:Retrieving file 3 of 3"), 25.1505);
    EXPECT_DOUBLE_EQ(parse_download_status("dlstatus:3:100.0000:x"), 100);
    for (const char* line : {"", "dlstatus:", "dlstatus:1", "dlstatus:1:", "dlstatus:1:x:",
                             "dlstatus:1:101:", "pmstatus:a:5:b", "Get:1 x"})
        EXPECT_LT(parse_download_status(line), 0) << line;
}

TEST(Complaints, ErrorsAndWarningsOnce) {
    EXPECT_EQ(apt_complaints("Hit:1\nW: no key\nE: not signed\nE: not signed\nReading\n"),
              "no key; not signed");
    EXPECT_EQ(apt_complaints("Reading\n"), "");
}

TEST(Intact, SizeAndDigest) {
    const fake::Folder folder;
    const auto file = folder.path() / "a.deb";
    fake::write(file, "abc");
    PackageFile expected{"a.deb", 3, "SHA256",
                         "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"};
    EXPECT_TRUE(*is_intact(file, expected));
    fake::write(file, "abd");
    EXPECT_FALSE(*is_intact(file, expected));
    fake::write(file, "ab");
    EXPECT_FALSE(*is_intact(file, expected));
    EXPECT_FALSE(*is_intact(folder.path() / "none", expected));
    fake::write(file, "abc");
    expected.digest = "";
    EXPECT_FALSE(*is_intact(file, expected));
    expected.algorithm = "MD5Sum";
    EXPECT_EQ(is_intact(file, expected).error().code, ENOTSUP);
}

// An archive in a folder whose Release has no signature, on a machine that takes such archives.
class UnsignedArchive : public testing::Test {
  protected:
    void SetUp() override {
        if (!program_exists("apt-get")) GTEST_SKIP() << "there is no apt-get here";
        fake::write(folder_.path() / "archive/dists/stable/Release",
                    "Suite: stable\nArchitectures: amd64\nComponents: main\nSHA256:\n " +
                        std::string(kDigestOfNothing) + " 0 main/binary-amd64/Packages\n");
        fake::write(folder_.path() / "archive/dists/stable/main/binary-amd64/Packages", "");
        fake::write(folder_.path() / "keyring.gpg", "");
        fake::write(folder_.path() / "machine.conf",
                    "Acquire::AllowInsecureRepositories \"true\";\n"
                    "Acquire::AllowWeakRepositories \"true\";\n"
                    "Acquire::AllowDowngradeToInsecureRepositories \"true\";\n"
                    "APT::Get::AllowUnauthenticated \"true\";\n");
        ::setenv("APT_CONFIG", (folder_.path() / "machine.conf").c_str(), 1);
    }
    void TearDown() override { ::unsetenv("APT_CONFIG"); }

    static constexpr const char* kDigestOfNothing =
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    fake::Folder folder_;
};

TEST_F(UnsignedArchive, IsRefusedWhateverTheMachineAllows) {
    const Archive archive{"file:" + (folder_.path() / "archive").string(),
                          folder_.path() / "keyring.gpg"};
    auto apt = PrivateApt::open(folder_.path() / "apt", archive, {"stable"});
    ASSERT_TRUE(apt) << apt.error().sentence;
    const auto refreshed = apt->refresh({});
    ASSERT_FALSE(refreshed);
    EXPECT_NE(refreshed.error().sentence.find("not signed"), std::string::npos)
        << refreshed.error().sentence;
}

}  // namespace
}  // namespace zcrxlab
