// A scene derives seeds, keeps to the scenario's time and takes back what was changed.
#include <gtest/gtest.h>

#include <cstdlib>

#include "scenarios/framework/scene.hpp"

namespace zcrxlab {
namespace {

class SceneTest : public testing::Test {
  protected:
    SceneTest() {
        scenario_.chapter = "receive";
        scenario_.test = "one";
        scenario_.terms.time = std::chrono::seconds(10);
        unsetenv("ZCRXLAB_SEED");
        unsetenv("ZCRXLAB_SLOWNESS");
    }
    Scenario scenario_;
    Result<Tape> tape_ = Tape::create(1 << 20);
};

TEST_F(SceneTest, SeedsDependOnRunNameAndSalt) {
    Scene scene(scenario_, *tape_);
    Scenario other = scenario_;
    other.test = "two";
    Scene elsewhere(other, *tape_);
    EXPECT_EQ(scene.seed(1), scene.seed(1));
    EXPECT_NE(scene.seed(1), scene.seed(2));
    EXPECT_NE(scene.seed(1), elsewhere.seed(1));
    const uint64_t with_default = scene.seed(1);
    setenv("ZCRXLAB_SEED", "2", 1);
    EXPECT_NE(scene.seed(1), with_default);
    EXPECT_NE(scene.seed(0), 0U);
}

TEST_F(SceneTest, UndoesNewestFirstAndTellsWhatFailed) {
    std::string order;
    {
        Scene scene(scenario_, *tape_);
        for (const char c : {'a', 'b'})
            scene.undo_later("a change", [&order, c]() -> Result<void> {
                order += c;
                return {};
            });
        scene.undo_later("the rule", []() -> Result<void> { return Error{EIO, "No answer."}; });
    }
    EXPECT_EQ(order, "ba");
    const TapeContents contents = tape_->read();
    ASSERT_EQ(contents.failures.size(), 1U);
    EXPECT_NE(contents.failures[0].find("the rule"), std::string::npos);
}

TEST_F(SceneTest, TimeEndsBeforeItIsKilled) {
    Scene scene(scenario_, *tape_);
    EXPECT_LE(scene.time_left(), std::chrono::seconds(6));
    EXPECT_GT(scene.time_left(), std::chrono::seconds(5));
    setenv("ZCRXLAB_SLOWNESS", "2", 1);
    EXPECT_LE(scene.time_left(), std::chrono::seconds(12));
    EXPECT_GT(scene.time_left(), std::chrono::seconds(11));
    setenv("ZCRXLAB_SLOWNESS", "0.00001", 1);
    EXPECT_EQ(scene.time_left(), std::chrono::milliseconds(0));
}

TEST_F(SceneTest, ALongOneKeepsATenthOfItsTimeForTheEnd) {
    scenario_.terms.time = std::chrono::seconds(100);
    Scene scene(scenario_, *tape_);
    EXPECT_LE(scene.time_left(), std::chrono::seconds(90));
    EXPECT_GT(scene.time_left(), std::chrono::seconds(89));
}

TEST_F(SceneTest, BoundsAreScaled) {
    Scene scene(scenario_, *tape_);
    EXPECT_EQ(scene.scaled(std::chrono::seconds(2)), std::chrono::seconds(2));
    setenv("ZCRXLAB_SLOWNESS", "10", 1);
    EXPECT_EQ(scene.scaled(std::chrono::seconds(2)), std::chrono::seconds(20));
}

TEST_F(SceneTest, WaitsForAConditionAsLongAsThereIsTime) {
    Scene scene(scenario_, *tape_);
    int looks = 0;
    EXPECT_TRUE(scene.becomes([&] { return ++looks == 3; }));
    EXPECT_EQ(looks, 3);
    EXPECT_FALSE(scene.becomes([] { return false; }, std::chrono::milliseconds(20)));
    // What holds already needs no time at all.
    setenv("ZCRXLAB_SLOWNESS", "0.00001", 1);
    EXPECT_TRUE(scene.becomes([] { return true; }));
    EXPECT_FALSE(scene.becomes([] { return false; }));
    EXPECT_EXIT(scene.wait_for("It never comes.", [] { return false; }), testing::ExitedWithCode(1),
                "");
}

TEST_F(SceneTest, EventsAreOnTheTapeAtOnce) {
    Scene scene(scenario_, *tape_);
    scene.note("seen");
    scene.returned("a call", EINVAL, 0);
    EXPECT_EQ(tape_->read().events.size(), 2U);
}

}  // namespace
}  // namespace zcrxlab
