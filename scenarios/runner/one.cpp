// One: GoogleTest registration of one scenario, and the listener that writes the tape.
#include "scenarios/runner/one.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "harness/base/environment.hpp"
#include "harness/base/exit_code.hpp"
#include "harness/nics/nic_table.hpp"
#include "scenarios/framework/process.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

namespace {

class TapeListener : public testing::EmptyTestEventListener {
  public:
    explicit TapeListener(Tape& tape) : tape_(tape) {}

    void OnTestPartResult(const testing::TestPartResult& part) override {
        if (part.skipped()) {
            tape_.skip(part.message());
        } else if (part.failed()) {
            std::string where;
            if (part.file_name() != nullptr)
                where =
                    std::string(part.file_name()) + ":" + std::to_string(part.line_number()) + ": ";
            const std::string_view said = part.message();
            const size_t last = said.find_last_of('\n');
            tape_.failure(where + part.message(),
                          {.kind = ComplaintKind::kCheck,
                           .subject = std::string(said.substr(last == said.npos ? 0 : last + 1))});
        }
    }

  private:
    Tape& tape_;
};

class ScenarioTest : public testing::Test {
  public:
    ScenarioTest(const Scenario& scenario, Tape& tape) : scenario_(scenario), tape_(tape) {}

    void TestBody() override {
        {
            Scene scene(scenario_, tape_);
            scenario_.body(scene);
        }
        tape_.finished();
    }

  private:
    const Scenario& scenario_;
    Tape& tape_;
};

// What runs here, for children of it.
struct Running {
    const Scenario* scenario = nullptr;
    int tape = -1;  // its descriptor
};
Running for_children;

TapeListener* tape_listener = nullptr;

}  // namespace

pid_t fork_scene(const std::function<void(Scene&)>& body) {
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child != 0) return child;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent || for_children.scenario == nullptr) ::_exit(kExitFailed);
    // Locks of the objects that were copied may be held by threads that are not here.
    Result<Tape> tape = Tape::open(::fcntl(for_children.tape, F_DUPFD_CLOEXEC, 0));
    if (!tape) ::_exit(kExitFailed);
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    [[maybe_unused]] const auto* of_parent = listeners.Release(tape_listener);
    listeners.Append(new TapeListener(*tape));
    // The parent goes on using the control channel, so that here the NIC is like any other.
    const char* target = std::getenv(environment::kTarget);
    const NicRow* nic = find_target(target != nullptr ? target : "");
    if (nic != nullptr && nic->control_channel) {
        ::setenv(environment::kTarget, std::string(nic_at(NicPlace::kThisMachine).target).c_str(),
                 1);
        ::unsetenv(environment::kControl);
    }
    {
        Scene scene(*for_children.scenario, *tape);
        body(scene);
    }
    ::_exit(testing::Test::HasFailure() ? kExitFailed : kExitPassed);
}

void prepare_for_one() {
    testing::InitGoogleTest();
    scenarios();  // sorts them
}

int run_one(const std::string& name, Tape& tape) {
    const Scenario* scenario = find_scenario(name);
    if (scenario == nullptr) {
        tape.failure("There is no scenario " + name + ".");
        return kExitUsage;
    }
    testing::RegisterTest(scenario->chapter.c_str(), scenario->test.c_str(), nullptr, nullptr,
                          scenario->file, scenario->line, [scenario, &tape]() -> testing::Test* {
                              return new ScenarioTest(*scenario, tape);
                          });
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    tape_listener = new TapeListener(tape);
    listeners.Append(tape_listener);  // GoogleTest deletes it
    for_children = {scenario, tape.fd()};
    return RUN_ALL_TESTS();
}

}  // namespace zcrxlab
