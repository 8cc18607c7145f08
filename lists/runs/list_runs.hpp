// List runs: lists of actions in VMs, each batch in one, and how each list ended.
//
// Each batch is a "zcrxlab run --actions" of its own, so that nothing of a guest that panics or
// hangs, or of this program's part of it, is shared with what comes after.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/report/report.hpp"
#include "lists/language/list.hpp"
#include "vm/options.hpp"

namespace zcrxlab {

struct ListOutcome {
    TestStatus status = TestStatus::kLost;
    bool ran = false;         // it was started; a list behind one that took the guest along was not
    std::string message;      // of a failure, or of a guest that was lost while it ran
    std::string fingerprint;  // of a failure; empty if it passed or was skipped
    std::string splat;        // lines of the console or kernel log, where it is about these
};

struct ListRuns {
    std::string self;  // how this program is called
    VmOptions vm;      // of each VM; `out` is the folder in which batches have folders
    unsigned batch = 50;
    bool lenient = false;  // features that the kernel should have may be missing
    // Asked while a batch runs; once it is true, the VM is ended, and what has not ended by then
    // was not run. From several threads, if several run lists.
    std::function<bool()> stop = {};
    // While a batch runs: each list that has ended, by its place in the batch, once. A list that
    // the guest was lost with, or that ended too late for a look, comes when the batch has ended.
    std::function<void(size_t index, const ListOutcome& outcome)> ended = {};
    // What the kernel had counted of one object when the list of this place had ended, before
    // `ended` tells of that one; -1: before the first. Where it is asked for, and the kernel
    // counts.
    std::function<void(int64_t index, const std::string& object, const std::string& gcda)> counted =
        {};
};

// What a line of a run's ended.jsonl says, which is the guest's: a list by its place in the batch,
// and how it ended. Nothing if it says no such thing.
std::optional<std::pair<size_t, ListOutcome>> ended_list_from(std::string_view line);

// Runs a batch, at most `runs.batch` lists, in one VM, with its files in the folder `name` of
// `runs.vm.out`: lists/NNNN.actions are there before the VM starts. The outcomes have the order of
// the lists. An error: no VM could be started at all.
Result<std::vector<ListOutcome>> run_batch(const ListRuns& runs, const std::string& name,
                                           const std::vector<ActionList>& lists);

// Runs them all, in as many VMs as that takes: where a guest was lost, the lists behind the one
// that was running go on in another one; one that does not come up is started again, twice. Batches
// are called `name`-1, -2 ... Fewer outcomes than lists: it was stopped.
Result<std::vector<ListOutcome>> run_lists(const ListRuns& runs, const std::string& name,
                                           const std::vector<ActionList>& lists);

// The kernel of the last run in a batch's folder, as uname -r has it; empty if it is not known.
std::string kernel_of_batch(const ListRuns& runs, const std::string& name);

}  // namespace zcrxlab
