// What apt prints is understood, and nothing that cannot be checked passes.
#include <gtest/gtest.h>

#include "tests/vm/kernel/fake_tree.hpp"
#include "vm/kernel/apt.hpp"

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

}  // namespace
}  // namespace zcrxlab
