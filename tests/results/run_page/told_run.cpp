// What a run could have told.
#include "tests/results/run_page/told_run.hpp"

#include <string>

#include "results/run_page/run_page.hpp"

namespace zcrxlab {

RunSummary told_run() {
    RunSummary run{.kernel = "7.3.4 <fixture>", .nic = "gve", .seed = 7, .seconds = 71.9};
    run.tests = {
        {.name = "receive.one_byte", .status = TestStatus::kPassed, .seconds = 0.62},
        {.name = "cqe32.hostile",
         .status = TestStatus::kFailed,
         .seconds = 1.5,
         .message = "</p></main><script>document.title='broken'</script> is <b>wrong</b>.",
         .trace = {"12.5 ms  CQE of <i>4096</i> bytes", std::string(300, 'x')}},
        {.name = "conform.cq_full",
         .status = TestStatus::kFailed,
         .seconds = 2.62,
         .message = "Of 65536 bytes it took 512."},
        {.name = "refill.known",
         .status = TestStatus::kKnown,
         .message = "as the finding says",
         .reference = "commit 1234abcd"},
        {.name = "tcp.blocked", .status = TestStatus::kBlocked, .reference = "ended before"},
        {.name = "events.skipped", .status = TestStatus::kSkipped, .message = "needs 7.2"},
        {.name = "tcp.gone", .status = TestStatus::kLost, .message = "The guest fell silent."}};
    run.ending = Ending::kLost;
    run.ending_message = "QEMU died.";
    run.console = "last words";
    run.properties = {{std::string(kAgain), "vm/zcrxlab run --seed 7 --filter @TEST@"}};
    return run;
}

}  // namespace zcrxlab
