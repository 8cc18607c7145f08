// A folder of lists: what is kept is there again, and what is no list is named.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "lists/fuzz/corpus.hpp"
#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

TEST(Corpus, IsTakenUpAgain) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "corpus";
    auto corpus = Corpus::open(path);
    ASSERT_TRUE(corpus) << corpus.error().sentence;
    EXPECT_TRUE(corpus->lists().empty());
    const ActionList made = random_list({.seed = 3}, 41);
    ASSERT_TRUE(corpus->keep(made));
    ASSERT_TRUE(corpus->keep(random_list({.seed = 3}, 42)));
    EXPECT_EQ(corpus->lists().size(), 2U);
    // By hand, and from nobody's choices.
    std::ofstream(path / "mine.actions") << "ring r\n";
    const auto again = Corpus::open(path);
    ASSERT_TRUE(again) << again.error().sentence;
    EXPECT_EQ(again->lists().size(), 3U);
    EXPECT_NE(std::ranges::find(again->lists(), made), again->lists().end());
    ASSERT_EQ(again->origins().size(), 2U);
    for (const Origin& origin : again->origins())
        EXPECT_NE(std::ranges::find(again->lists(), list_of({.seed = 3}, origin)),
                  again->lists().end());
}

TEST(Corpus, KeepsAListOnce) {
    const TemporaryFolder folder;
    auto corpus = Corpus::open(folder.path());
    ASSERT_TRUE(corpus);
    ASSERT_TRUE(corpus->keep(random_list({}, 1)));
    ASSERT_TRUE(corpus->keep(random_list({}, 1)));
    EXPECT_EQ(Corpus::open(folder.path())->lists().size(), 1U);
}

TEST(Corpus, NamesWhatIsNoList) {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "bad.actions") << "no such verb\n";
    const auto corpus = Corpus::open(folder.path());
    ASSERT_FALSE(corpus);
    EXPECT_NE(corpus.error().sentence.find("bad.actions"), std::string::npos);
    EXPECT_FALSE(Corpus::open("/proc/none/of/these"));
}

}  // namespace
}  // namespace zcrxlab
