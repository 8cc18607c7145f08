// zcrxlab exec without a guest: what is refused, and what is said of an end.
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/exec/exec_job.hpp"
#include "results/exec/exec_outcome.hpp"
#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

ExecOptions running(const std::vector<std::string>& arguments) {
    ExecOptions options;
    options.arguments = arguments;
    return options;
}

TEST(ExecJob, WhatCannotBeStartedHereIsRefusedAsAShellDoes) {
    const TemporaryFolder folder;
    folder.write("data", "text");
    fs::permissions(folder.path() / "data", fs::perms::owner_read);
    const auto absent = exec_job(running({"no-such-program-here"}));
    ASSERT_FALSE(absent);
    EXPECT_EQ(exit_code_of_refusal(absent.error()), 127);
    const auto data = exec_job(running({(folder.path() / "data").string()}));
    ASSERT_FALSE(data);
    EXPECT_EQ(exit_code_of_refusal(data.error()), 126);
    EXPECT_NE(data.error().sentence.find("chmod"), std::string::npos);
    const auto place = exec_job(running({folder.path().string()}));
    ASSERT_FALSE(place);
    EXPECT_EQ(exit_code_of_refusal(place.error()), 126);
}

TEST(ExecJob, OptionsThatMakeNoSenseAreUsage) {
    const auto refused = [](ExecOptions options) {
        const auto job = exec_job(options);
        return !job && exit_code_of_refusal(job.error()) == 64;
    };
    ExecOptions options = running({"/bin/true"});
    options.environment = {"novalue"};
    EXPECT_TRUE(refused(options));
    options = running({"/bin/true"});
    options.send = "size=1M";
    EXPECT_TRUE(refused(options)) << "without a port";
    options.ports = {80};
    options.send = "size=huge";
    EXPECT_TRUE(refused(options));
    options.send = "size=1M";
    options.peer = "curl";
    EXPECT_TRUE(refused(options)) << "two peers";
    options = running({"/bin/true"});
    options.peer_first = true;
    EXPECT_TRUE(refused(options));
    options = running({"/bin/true"});
    options.packed = true;
    options.writable = {"/tmp"};
    EXPECT_TRUE(refused(options));
}

TEST(ExecJob, TheProgramIsCalledAsItWas) {
    auto job = exec_job(running({"sh", "-c", "true"}));
    ASSERT_TRUE(job) << job.error().sentence;
    EXPECT_EQ(job->arguments, (std::vector<std::string>{"sh", "-c", "true"}));
    EXPECT_TRUE(job->host_files);
    EXPECT_EQ(job->session.folder, fs::current_path().string());
    ASSERT_TRUE(job->session.user);
    EXPECT_EQ(job->session.user->user, ::getuid());
    ExecOptions packed = running({"sh"});
    packed.packed = true;
    job = exec_job(packed);
    ASSERT_TRUE(job) << job.error().sentence;
    EXPECT_EQ(job->arguments.front().front(), '/');
    EXPECT_FALSE(job->session.user);
}

TEST(ExecJob, TheNicAndThePeerAreAskedFor) {
    ExecOptions options = running({"/bin/true"});
    options.ports = {8080, 9999};
    options.queues = 2;
    options.send = "connections=2";
    auto job = exec_job(options);
    ASSERT_TRUE(job) << job.error().sentence;
    EXPECT_EQ(job->session.preparation,
              (std::vector<std::string>{"/usr/bin/zcrx-setup", "--environment", "--queues", "2",
                                        "--port", "8080", "--port", "9999"}));
    EXPECT_EQ(job->session.peer.arguments,
              (std::vector<std::string>{"/usr/bin/zcrx-send", "connections=2,port=8080"}));
    EXPECT_EQ(job->session.peer.ports, options.ports);
    options.bare = true;
    job = exec_job(options);
    ASSERT_TRUE(job) << job.error().sentence;
    EXPECT_TRUE(job->session.preparation.empty());
    options.selftests = true;
    EXPECT_FALSE(exec_job(options)) << "what is left as it is cannot be prepared";
    options.bare = false;
    EXPECT_FALSE(exec_job(options)) << "the tests take ports themselves";
    options.ports.clear();
    options.send.clear();
    job = exec_job(options);
    ASSERT_TRUE(job) << job.error().sentence;
    EXPECT_EQ(job->session.preparation,
              (std::vector<std::string>{"/usr/bin/zcrx-setup", "--selftests"}));
}

TEST(ExecOutcome, FindsTheVictimInALine) {
    const auto [pid, name] = oom_victim(
        "[   12.345678] Out of memory: Killed process 123 (my prog) total-vm:1kB, anon-rss:2kB");
    EXPECT_EQ(pid, 123);
    EXPECT_EQ(name, "my prog");
    EXPECT_EQ(oom_victim("[ 1.0] Memory cgroup out of memory: Killed process 7 (x)").first, 7);
    EXPECT_EQ(oom_victim("[ 1.0] Out of memory: Killed process").first, -1);
    EXPECT_EQ(oom_victim("[ 1.0] all is well").first, -1);
}

class OutcomeTest : public testing::Test {
  protected:
    OutcomeTest() : watch_({}, std::chrono::steady_clock::now()) {}
    void done() {
        for (const auto& [type, json] : {std::pair(RecordType::kHello, R"({"kernel":"7.3.4"})"),
                                         std::pair(RecordType::kDone, R"({"exit":0})")})
            watch_.record({type, json}, std::chrono::steady_clock::now());
    }
    std::string said() const {
        std::string all;
        for (const std::string& line : outcome_.sentences(watch_, "prog", "1G", 9))
            all += line + "\n";
        return all;
    }
    Watch watch_;
    ExecOutcome outcome_;
};

TEST_F(OutcomeTest, ModulesThatWereNotThereAreNamed) {
    outcome_.program(R"({"event":"modules","missing":["net-sch-x","rtnl-link-y"]})");
    EXPECT_NE(said().find("packages do not have: net-sch-x, rtnl-link-y."), std::string::npos);
    outcome_.program(R"({"event":"modules","missing":7})");
    EXPECT_EQ(said(), "");
}

TEST_F(OutcomeTest, AnExitNeedsNoWords) {
    outcome_.program(R"({"event":"started"})");
    EXPECT_TRUE(outcome_.started());
    outcome_.program(R"({"event":"ended","exit":3,"pid":70,"left":[],"seconds":1.5})");
    done();
    EXPECT_EQ(outcome_.end(watch_), ExecEnd::kExited);
    EXPECT_EQ(said(), "");
    EXPECT_EQ(outcome_.to_json(watch_)["exit"], 3);
}

TEST_F(OutcomeTest, ASignalIsTheOomKillersOnlyIfItSaysSo) {
    outcome_.program(R"({"event":"ended","exit":137,"signal":9,"pid":70,"left":[]})");
    done();
    EXPECT_EQ(outcome_.end(watch_), ExecEnd::kSignalled);
    outcome_.kernel_log(R"x({"lines":["[ 1.0] Out of memory: Killed process 71 (other)"]})x");
    EXPECT_EQ(outcome_.end(watch_), ExecEnd::kSignalled);
    EXPECT_NE(said().find("other (71)"), std::string::npos);
    outcome_.kernel_log(R"x({"lines":["[ 1.0] Out of memory: Killed process 70 (prog)"]})x");
    EXPECT_EQ(outcome_.end(watch_), ExecEnd::kOutOfMemory);
    EXPECT_NE(said().find("--memory"), std::string::npos);
}

TEST_F(OutcomeTest, TimeRefusalAndLossAreToldApart) {
    EXPECT_EQ(outcome_.end(watch_), ExecEnd::kGuestLost);
    outcome_.program(
        R"x({"event":"ended","exit":137,"signal":9,"timed_out":true,"left":["a (7)"]})x");
    done();
    EXPECT_EQ(outcome_.end(watch_), ExecEnd::kTimedOut);
    EXPECT_NE(said().find("after 9 s"), std::string::npos);
    EXPECT_NE(said().find("a (7)"), std::string::npos);
    outcome_.program(R"({"event":"refused","error":"start prog: No such file"})");
    EXPECT_EQ(outcome_.end(watch_), ExecEnd::kRefused);
    EXPECT_NE(said().find("No such file"), std::string::npos);
}

TEST_F(OutcomeTest, ThePeersFateIsSaid) {
    outcome_.program(R"({"event":"ended","exit":0,"left":[],"peer":{"started":true,"exit":7}})");
    done();
    EXPECT_NE(said().find("code 7"), std::string::npos);
    ExecOutcome silent;
    silent.program(R"({"event":"ended","exit":0,"left":[],"peer":{"started":false}})");
    EXPECT_NE(silent.sentences(watch_, "p", "1G", 1).at(0).find("nothing listened"),
              std::string::npos);
}

TEST_F(OutcomeTest, NonsenseIsLeftOut) {
    for (const char* text :
         {"", "[]", "{", R"({"event":7})", R"({"event":"ended","exit":"x","left":7,"peer":[]})"})
        outcome_.program(text);
    outcome_.kernel_log("x");
    outcome_.kernel_log(R"({"lines":[7]})");
    done();
    EXPECT_EQ(outcome_.end(watch_), ExecEnd::kExited);
}

}  // namespace
}  // namespace zcrxlab
