// One: GoogleTest registration of one scenario, and the listener that writes the tape.
#include "scenarios/runner/one.hpp"

#include <gtest/gtest.h>

#include "scenarios/form/scenario.hpp"
#include "scenarios/form/scene.hpp"

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
            tape_.failure(where + part.message());
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

}  // namespace

void prepare_for_one() {
    testing::InitGoogleTest();
    scenarios();  // sorts them
}

int run_one(const std::string& name, Tape& tape) {
    const Scenario* scenario = find_scenario(name);
    if (scenario == nullptr) {
        tape.failure("There is no scenario " + name + ".");
        return 64;
    }
    testing::RegisterTest(scenario->chapter.c_str(), scenario->test.c_str(), nullptr, nullptr,
                          scenario->file, scenario->line, [scenario, &tape]() -> testing::Test* {
                              return new ScenarioTest(*scenario, tape);
                          });
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new TapeListener(tape));  // GoogleTest deletes it
    return RUN_ALL_TESTS();
}

}  // namespace zcrxlab
