// The search over kernels that only pretend.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "results/bisect/bisection.hpp"

namespace zcrxlab {
namespace {

using Indices = std::vector<size_t>;

// Kernels by a letter each: g good, b bad, s cannot be judged. Returns those that were tried.
Indices search(Bisection& bisection, const std::string& kernels, unsigned most = 1) {
    Indices tried;
    for (Indices next; !(next = bisection.next(most)).empty();) {
        EXPECT_LE(next.size(), most);
        for (const size_t kernel : next) {
            EXPECT_EQ(std::count(tried.begin(), tried.end(), kernel), 0) << "tried twice";
            tried.push_back(kernel);
            bisection.tell(kernel, kernels.at(kernel) == 'g'   ? Verdict::kGood
                                   : kernels.at(kernel) == 'b' ? Verdict::kBad
                                                               : Verdict::kUnclear);
        }
        if (tried.size() > kernels.size()) {
            ADD_FAILURE() << "it does not end";
            break;
        }
    }
    return tried;
}

Bisection bisection_of(const std::string& kernels) {
    return {kernels.size(), kernels.front() == 'g' ? Verdict::kGood : Verdict::kBad};
}

TEST(BisectionTest, FindsEveryChangeInLogarithmicallyManySteps) {
    for (const auto& [oldest, newest] : {std::pair{'g', 'b'}, std::pair{'b', 'g'}})
        for (size_t count = 2; count <= 40; ++count)
            for (size_t first = 1; first < count; ++first) {
                const std::string kernels =
                    std::string(first, oldest) + std::string(count - first, newest);
                Bisection bisection = bisection_of(kernels);
                const unsigned promised = bisection.steps();
                const Indices tried = search(bisection, kernels);
                EXPECT_EQ(bisection.older(), first - 1) << kernels;
                EXPECT_EQ(bisection.newer(), first) << kernels;
                EXPECT_LE(tried.size(), promised) << kernels;
                EXPECT_TRUE(bisection.unclear().empty());
                EXPECT_TRUE(bisection.against().empty());
            }
}

TEST(BisectionTest, NeighboursLeaveNothingToTry) {
    Bisection bisection = bisection_of("gb");
    EXPECT_TRUE(bisection.next(4).empty());
    EXPECT_EQ(bisection.left(), 0U);
    EXPECT_EQ(bisection.steps(), 0U);
}

TEST(BisectionTest, StepsOverWhatCannotBeJudged) {
    for (const std::string kernels : {"gggsgbbsb", "bbsbbsgggsg", "gsbsb", "gsssgb", "gbsssb"}) {
        Bisection bisection = bisection_of(kernels);
        search(bisection, kernels);
        size_t first = kernels.find_first_not_of(std::string(1, kernels[0]) + "s");
        // Whatever lies between could not be judged, so the neighbours are the next that could.
        EXPECT_EQ(bisection.newer(), first) << kernels;
        EXPECT_EQ(bisection.older(), kernels.find_last_of(kernels[0], first)) << kernels;
    }
}

TEST(BisectionTest, AllBetweenCannotBeJudged) {
    const std::string kernels = "gsssb";
    Bisection bisection = bisection_of(kernels);
    EXPECT_EQ(search(bisection, kernels).size(), 3U);
    EXPECT_EQ(bisection.older(), 0U);
    EXPECT_EQ(bisection.newer(), 4U);
    EXPECT_EQ(bisection.unclear(), (Indices{1, 2, 3}));
}

TEST(BisectionTest, SomeLeftAtTheChangeCannotBeJudged) {
    const std::string kernels = "ggssbb";
    Bisection bisection = bisection_of(kernels);
    search(bisection, kernels);
    EXPECT_EQ(bisection.older(), 1U);
    EXPECT_EQ(bisection.newer(), 4U);
    EXPECT_EQ(bisection.unclear(), (Indices{2, 3}));
}

TEST(BisectionTest, SeveralAtOnceDivideWhatIsLeftEvenly) {
    EXPECT_EQ(bisection_of("ggggggbbb").next(1), (Indices{4}));
    EXPECT_EQ(bisection_of("ggggggbbb").next(2), (Indices{3, 5}));
    EXPECT_EQ(bisection_of("gxyb").next(9), (Indices{1, 2}));
    for (unsigned most : {2U, 3U, 7U}) {
        const std::string kernels = "ggggggggggggggsbbbbb";
        Bisection bisection = bisection_of(kernels);
        search(bisection, kernels, most);
        EXPECT_EQ(bisection.older(), 13U);
        EXPECT_EQ(bisection.newer(), 15U);
    }
}

TEST(BisectionTest, TellsWhatSpeaksAgainstASingleChange) {
    // Tried at once: 2 is bad, and 4 is good all the same.
    Bisection bisection = bisection_of("ggbbgbb");
    bisection.tell(2, Verdict::kBad);
    bisection.tell(4, Verdict::kGood);
    EXPECT_EQ(bisection.newer(), 2U);
    EXPECT_EQ(bisection.against(), (Indices{4}));
    bisection.tell(1, Verdict::kGood);
    EXPECT_EQ(bisection.older(), 1U);
    EXPECT_TRUE(bisection.next(1).empty());
}

}  // namespace
}  // namespace zcrxlab
