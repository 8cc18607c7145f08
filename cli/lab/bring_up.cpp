// The stages, and a run told by them.
#include "cli/lab/bring_up.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <vector>

namespace zcrxlab {

namespace {

constexpr auto kStages = std::to_array<BringUpStage>({
    {
        .name = "a queue is taken, and receives",
        .scenarios = "registration.success_is_zero:registration.queue_zero:"
                     "registration.provider_there:registration.header_split_off:receive.one_byte:"
                     "receive.sizes/*:receive.family/*",
        .asked = "ndo_queue_mem_alloc and PP_FLAG_ALLOW_UNREADABLE_NETMEM of its page pool, "
                 "ndo_queue_start, header split, flow rules",
    },
    {
        .name = "a queue is given back",
        .scenarios = "teardown.close/*:teardown.socket_outlives_ring:teardown.at_once:"
                     "teardown.killed/*",
        .asked = "ndo_queue_stop and ndo_queue_mem_free: what is with the device, in a ring, or "
                 "half received goes back to the page pool",
    },
    {
        .name = "a queue restarts under traffic",
        .scenarios = "bring_up.restart_under_traffic:races.close_against_receive:"
                     "teardown.ring_size:teardown.device_reset:device.sent_during_restart",
        .asked = "ndo_queue_stop and ndo_queue_start beside NAPI: no write into a ring that was "
                 "freed, no interrupt lost, the other queues go on",
    },
    {
        .name = "an operation fails",
        .scenarios = "registration.each_step_fails:registration.receiving_fails:"
                     "registration.page_pool_fails_at_first/*:"
                     "registration.page_pool_fails_while_receiving/*:bring_up.refused/*:"
                     "bring_up.unanswered",
        .asked = "the error paths of ndo_queue_mem_alloc, ndo_queue_stop and ndo_queue_start: an "
                 "errno (never 1), nothing kept, and a queue that works afterwards",
    },
    {
        .name = "a hundred times",
        .scenarios = "teardown.one_after_the_other:teardown.charges:bring_up.cycles",
        .asked = "whether ndo_queue_stop hands everything over that ndo_queue_mem_free is to free: "
                 "page pools, buffers, rings",
    },
});

// A pattern of GoogleTest has no brackets, and is one of fnmatch() else.
bool is_in(const BringUpStage& stage, const std::string& test) {
    std::string_view rest = stage.scenarios;
    while (!rest.empty()) {
        const std::string pattern(rest.substr(0, rest.find(':')));
        if (fnmatch(pattern.c_str(), test.c_str(), 0) == 0) return true;
        rest.remove_prefix(std::min(pattern.size() + 1, rest.size()));
    }
    return false;
}

std::string counts_of(const std::vector<const TestResult*>& tests) {
    constexpr std::array kOrder = {TestStatus::kPassed,  TestStatus::kFailed, TestStatus::kLost,
                                   TestStatus::kBlocked, TestStatus::kKnown,  TestStatus::kSkipped};
    std::string text;
    for (const TestStatus status : kOrder) {
        const auto count = std::ranges::count(tests, status, &TestResult::status);
        if (count > 0)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count,
                                status == TestStatus::kSkipped ? "not asked" : name_of(status));
    }
    return text.empty() ? "nothing was asked" : text;
}

}  // namespace

std::span<const BringUpStage> bring_up_stages() {
    return kStages;
}

std::string bring_up_filter() {
    std::string filter;
    for (const BringUpStage& stage : kStages)
        filter.append(filter.empty() ? "" : ":").append(stage.scenarios);
    return filter;
}

std::string bring_up_report(const RunSummary& run) {
    std::string text = "bring-up of " + on_one_line(run.nic) + ":\n";
    for (const BringUpStage& stage : kStages) {
        std::vector<const TestResult*> tests;
        for (const TestResult& test : run.tests)
            if (is_in(stage, test.name)) tests.push_back(&test);
        text += fmt::format("  {}: {}\n", stage.name, counts_of(tests));
        std::vector<std::string> reasons;
        bool went_wrong = false;
        for (const TestResult* test : tests) {
            if (test->status == TestStatus::kFailed || test->status == TestStatus::kLost) {
                text += fmt::format("    {} {}\n", name_of(test->status), on_one_line(test->name));
                went_wrong = true;
            }
            const std::string reason = on_one_line(test->message);
            if (test->status == TestStatus::kSkipped &&
                std::ranges::find(reasons, reason) == reasons.end())
                reasons.push_back(reason);
        }
        if (went_wrong) text += fmt::format("    look at {}\n", stage.asked);
        for (const std::string& reason : reasons)
            text += fmt::format("    not asked, since it {}\n", reason);
    }
    return text;
}

}  // namespace zcrxlab
