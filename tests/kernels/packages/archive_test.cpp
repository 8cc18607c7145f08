// The Debian mirror in what the machine's apt says about itself.
#include <gtest/gtest.h>

#include "kernels/packages/archive.hpp"
#include "tests/fakes/fake_tree.hpp"

namespace zcrxlab {
namespace {

TEST(Mirror, IsThatOfTheRelease) {
    EXPECT_EQ(mirror_of_index_targets("http://s.example/debian-security|bookworm-security|Debian\n"
                                      "http://n.example/node|nodistro|. nodistro\n"
                                      "http://u.example/debian/|bookworm-updates|Debian\n"
                                      "http://m.example/debian/|bookworm|Debian\n"),
              "http://m.example/debian");
    EXPECT_EQ(mirror_of_index_targets("http://u.example/debian/|bookworm-updates|Debian\n"),
              "http://u.example/debian");
}

TEST(Mirror, OfUbuntuIsNone) {
    EXPECT_EQ(mirror_of_index_targets("http://a.example/ubuntu/|noble|Ubuntu\n"), "");
    EXPECT_EQ(mirror_of_index_targets(""), "");
    EXPECT_EQ(mirror_of_index_targets("garbage\n||\nx|y|Debian\n"), "");
}

TEST(Mirror, FromUpdateUrisWhereThereAreNoLists) {
    const std::string output =
        "'http://n.example/node/dists/nodistro/InRelease' n 0 \n"
        "'http://s.example/debian-security/dists/trixie-security/InRelease' s 0 \n"
        "'mirror+file:/etc/apt/mirrors/debian.list/dists/trixie/InRelease' m 0 \n"
        "'http://m.example/debian/dists/trixie/main/binary-amd64/Packages.xz' p 0 \n";
    EXPECT_EQ(mirror_of_update_uris(output, "trixie"), "mirror+file:/etc/apt/mirrors/debian.list");
    EXPECT_EQ(mirror_of_update_uris(output, "bookworm"), "");
    EXPECT_EQ(mirror_of_update_uris("'http://m.example/debian/dists/sid/InRelease' x 0\n", ""),
              "http://m.example/debian");
    EXPECT_EQ(mirror_of_update_uris("'http://m.example/dists/\n'", "sid"), "");
}

TEST(Mirror, NothingThatWouldSpoilASourcesList) {
    EXPECT_TRUE(acceptable_mirror("http://m.example:8080/debian"));
    EXPECT_TRUE(acceptable_mirror("file:/srv/mirror"));
    for (const char* bad : {"", "m.example", "http://m/ x", "http://m/\ndeb x", "[trusted=yes]",
                            "http://m/#", "://x", "http://m/\"x"})
        EXPECT_FALSE(acceptable_mirror(bad)) << bad;
}

TEST(OsRelease, ValuesWithAndWithoutQuotes) {
    const std::string text = "NAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\nID=debian\n";
    EXPECT_EQ(os_release_value(text, "ID"), "debian");
    EXPECT_EQ(os_release_value(text, "NAME"), "Debian GNU/Linux");
    EXPECT_EQ(os_release_value(text, "VERSION_CODENAME"), "");
}

TEST(Archive, BadMirrorVariableIsTold) {
    const fake::Folder folder;
    const fake::Variable mirror("ZCRXLAB_MIRROR", "no mirror");
    const auto archive = find_archive(Cache(folder.path()));
    ASSERT_FALSE(archive);
    EXPECT_EQ(archive.error().code, EINVAL);
    EXPECT_NE(archive.error().sentence.find("export ZCRXLAB_MIRROR"), std::string::npos);
}

}  // namespace
}  // namespace zcrxlab
