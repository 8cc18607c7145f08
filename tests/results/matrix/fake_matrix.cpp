// Builds the small matrix.
#include "tests/results/matrix/fake_matrix.hpp"

namespace zcrxlab {

namespace {

MatrixRun run_on(const char* kernel, const char* nic) {
    MatrixRun run;
    run.kernel = kernel;
    run.nic = nic;
    run.folder = folder_name(kernel, nic);
    run.command = std::string("zcrxlab run --kernel ") + kernel + " --nic " + nic + " --seed 1";
    return run;
}

MatrixRun older() {
    MatrixRun run = run_on("7.2", "gve");
    run.state = RunState::kRan;
    run.cost = {20, 140, 300};
    run.results.kernel = "7.2.0-test";
    run.results.nic = "gve";
    run.results.seed = 1;
    run.results.properties = {{"seconds_to_first_test", "6.10"}};
    run.results.features = {{"events", true}, {"add_area", false}};
    run.results.tests = {
        {"receive.one", TestStatus::kPassed, 0.5, "", "", {}},
        {"receive.two", TestStatus::kSkipped, 0, "needs a kernel that adds areas", "", {}},
        {"tcp.known", TestStatus::kKnown, 0.2, "it stops", "commit 1234", {}},
        {"tcp.fine", TestStatus::kPassed, 0.2, "", "", {}},
        {"cqe32.hostile", TestStatus::kFailed, 0.1, kHostileText, "", {"12 ms CQE", kHostileText}}};
    return run;
}

MatrixRun newer() {
    MatrixRun run = run_on("7.3", "gve");
    run.state = RunState::kRan;
    run.cost = {0, 70, 150};
    run.results.kernel = "7.3.0-test";
    run.results.ending = Ending::kPanicked;
    run.results.ending_message = "The guest's kernel panicked: Oops";
    run.results.console = "last words\n";
    run.results.features = {{"events", true}, {"add_area", true}};
    run.results.tests = {
        {"receive.one", TestStatus::kPassed, 0.5, "", "", {}},
        {"receive.two", TestStatus::kPassed, 0.5, "", "", {}},
        {"tcp.known", TestStatus::kPassed, 0.2, "", "", {}},
        {"tcp.fine", TestStatus::kLost, 0, "It was running", "", {}, Reached::kStart},
        {"cqe32.hostile", TestStatus::kLost, 0, "It had not started", "", {}, Reached::kNothing}};
    return run;
}

}  // namespace

Matrix fake_matrix() {
    Matrix matrix;
    matrix.terms = {"0.1.0 (abc)", "receive.*", "", 1};
    matrix.catalogue.chapters = {
        {"receive",
         "bytes arrive",
         {{"receive.one", "one byte arrives", {}}, {"receive.two", "two arrive", {"add_area"}}}},
        {"cqe32", "wide entries", {{"cqe32.hostile", "<b>", {"events"}}}},
        {"tcp", "segments", {{"tcp.known", "it goes on", {}}}}};
    matrix.catalogue.features = {{"events", "has events"}, {"add_area", "adds areas"}};
    MatrixRun old = run_on("6.16", "gve");
    old.state = RunState::kNotSupported;
    old.message = "This kernel has no gve driver.";
    MatrixRun broken = run_on("7.3", "nodev");
    broken.state = RunState::kNotStarted;
    broken.message = "It could not be fetched.";
    matrix.runs = {newer(), broken, older(), run_on("7.2", "nodev"), old};
    return matrix;
}

}  // namespace zcrxlab
