// Saving: boots guests without devices and writes each into a file once it waits.
#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/base/stop_signals.hpp"

namespace zcrxlab {

struct SavingOrder {
    // QEMU's command, with its console on standard output; how it is asked to save is added.
    std::vector<std::string> qemu;
    std::filesystem::path state;    // the file; there only once it is whole
    std::filesystem::path console;  // what the guest said until then
};

// Runs all of them side by side, each for `bound` at most, until the last one is saved or has
// failed; a result for each. EINTR: a signal asked us to stop, and nothing of them is left.
// ETIMEDOUT, EIO: the guest did not come to where it waits, or QEMU refused; with a sentence.
std::vector<Result<void>> save_guests(std::span<const SavingOrder> orders,
                                      std::chrono::milliseconds bound, const StopSignals& signals);

// What QEMU said of a migration in a line of its monitor (docs/interop/qmp-spec.rst).
enum class SavingNews { kNothing, kSaved, kFailed };
SavingNews news_in(const std::string& line);

}  // namespace zcrxlab
