// Saving, with shell scripts in place of QEMU.
#include "vm/saved/saving.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "tests/fakes/temporary_folder.hpp"
#include "vm/guest/guest_plan.hpp"

namespace zcrxlab {
namespace {

using std::chrono::milliseconds;
namespace fs = std::filesystem;

constexpr milliseconds kBound{60'000};
const std::string kWaits = std::string("echo '") + kWaitingLine + "'; ";
// Its monitor gets three requests.
const std::string kIsAsked = "read one <&3; read two <&3; read three <&3; ";
const std::string kSaved =
    R"(echo '{"event": "MIGRATION", "data": {"status": "completed"}}' >&3; )";

class SavingTest : public testing::Test {
  protected:
    SavingOrder order(const std::string& name, const std::string& script) const {
        return {{"/bin/sh", "-c", "cd " + folder_.path().string() + "; " + script},
                folder_.path() / name,
                folder_.path() / (name + ".console")};
    }
    Result<void> save(const std::string& script, milliseconds bound = kBound) const {
        const std::vector<SavingOrder> orders{order("state", script)};
        return save_guests(orders, bound, StopSignals()).front();
    }
    bool is_there(const std::string& name) const { return fs::exists(folder_.path() / name); }

    TemporaryFolder folder_;
};

TEST_F(SavingTest, AGuestThatWaitsIsSaved) {
    ASSERT_TRUE(save("echo boots; " + kWaits + kIsAsked +
                     "echo \"$three\" > asked; : > state.new; " + R"(echo '{"return": {}}' >&3; )" +
                     kSaved + "sleep 60"));
    EXPECT_TRUE(is_there("state"));
    EXPECT_FALSE(is_there("state.new"));
    EXPECT_NE(folder_.read("asked").find("file:" + (folder_.path() / "state.new").string()),
              std::string::npos);
    EXPECT_NE(folder_.read("state.console").find("boots"), std::string::npos);
}

TEST_F(SavingTest, QemuMayRefuse) {
    for (const std::string answer :
         {R"({"error": {"desc": "no"}})", R"({"event": "MIGRATION", "data": {"status": "failed"}})",
          "nonsense"}) {
        const auto saved =
            save(kWaits + kIsAsked + ": > state.new; echo '" + answer + "' >&3; sleep 60");
        ASSERT_FALSE(saved);
        EXPECT_NE(saved.error().sentence.find(answer), std::string::npos);
        EXPECT_FALSE(is_there("state"));
        EXPECT_FALSE(is_there("state.new"));
    }
}

TEST_F(SavingTest, AGuestThatDoesNotComeToWaitIsNotSaved) {
    auto saved = save("echo hangs; sleep 60", milliseconds(300));
    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().code, ETIMEDOUT);
    EXPECT_NE(saved.error().sentence.find("hangs"), std::string::npos);
    saved = save("echo says no; exit 3");
    ASSERT_FALSE(saved);
    EXPECT_NE(saved.error().sentence.find("exited with code 3"), std::string::npos);
    saved = save("echo 'Kernel panic - not syncing: why'; sleep 60");
    ASSERT_FALSE(saved);
    EXPECT_NE(saved.error().sentence.find("not syncing: why"), std::string::npos);
    saved = save_guests(std::vector<SavingOrder>{{{"/no/such/qemu"}, "/no/state", "/no/console"}},
                        kBound, StopSignals())
                .front();
    EXPECT_FALSE(saved);
}

TEST_F(SavingTest, TheFailureOfOneIsNoneOfAnother) {
    const std::vector<SavingOrder> orders{
        order("a", "exit 1"), order("b", kWaits + kIsAsked + ": > b.new; " + kSaved + "sleep 60")};
    const auto results = save_guests(orders, kBound, StopSignals());
    ASSERT_EQ(results.size(), 2U);
    EXPECT_FALSE(results[0]);
    EXPECT_TRUE(results[1]);
    EXPECT_TRUE(is_there("b"));
}

TEST_F(SavingTest, ASignalEndsAll) {
    sigset_t set{};
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
    std::thread person([this] {
        while (!is_there("state.new")) std::this_thread::sleep_for(milliseconds(5));
        ::kill(::getpid(), SIGTERM);
    });
    const auto saved = save(kWaits + kIsAsked + ": > state.new; sleep 60");
    person.join();
    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().code, EINTR);
    EXPECT_FALSE(is_there("state.new"));
}

TEST(SavingNews, OfTheMonitor) {
    EXPECT_EQ(news_in(R"({"QMP": {"version": {}}})"), SavingNews::kNothing);
    EXPECT_EQ(news_in(R"({"return": {}})"), SavingNews::kNothing);
    EXPECT_EQ(news_in(R"({"event": "MIGRATION", "data": {"status": "active"}})"),
              SavingNews::kNothing);
    EXPECT_EQ(news_in(R"({"event": "STOP"})"), SavingNews::kNothing);
    EXPECT_EQ(news_in(R"({"event": "MIGRATION", "data": {"status": "completed"}})"),
              SavingNews::kSaved);
    EXPECT_EQ(news_in(R"({"error": 7})"), SavingNews::kFailed);
    EXPECT_EQ(news_in("[]"), SavingNews::kFailed);
}

}  // namespace
}  // namespace zcrxlab
