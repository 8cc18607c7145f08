// Builds the kernel with one patch at a time, and finds out which scenarios notice it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cli/coverage/coverage.hpp"
#include "cli/coverage/judge.hpp"
#include "cli/coverage/kept_attempts.hpp"
#include "cli/coverage/kernel_laboratory.hpp"
#include "harness/base/exit_code.hpp"
#include "harness/base/fail.hpp"
#include "harness/base/file.hpp"
#include "harness/base/stop_signals.hpp"
#include "kernels/build/source_patch.hpp"

namespace zcrxlab {
namespace {

using std::chrono::steady_clock;

constexpr size_t kPatchLimit = size_t{4} << 20;

Result<std::vector<SourcePatch>> read_patches(const std::vector<std::string>& files) {
    std::vector<SourcePatch> patches;
    for (const std::string& file : files) {
        const auto text = read_file(file, kPatchLimit);
        if (!text) return text.error();
        auto patch = parse_source_patch(*text, file);
        if (!patch) return patch.error();
        const auto same_name = [&](const SourcePatch& other) {
            return other.file.stem() == patch->file.stem();
        };
        if (std::ranges::any_of(patches, same_name))
            return Error{EINVAL, "Two patches are called " + patch->file.stem().string() + "."};
        patches.push_back(std::move(*patch));
    }
    return patches;
}

// ECANCELED if a person ended it.
Result<Attempt> try_patch(KernelLaboratory& laboratory, Judge& judge, const SourcePatch& patch,
                          const Subject& unpatched) {
    Attempt attempt;
    attempt.name = patch.file.stem().string();
    attempt.title = patch.title;
    if (auto applied = laboratory.tree().apply({patch}); !applied) {
        attempt.problem = applied.error().sentence;
        return attempt;
    }
    const auto start = steady_clock::now();
    const auto built = laboratory.build("the kernel with " + attempt.name);
    attempt.build_seconds = std::chrono::duration<double>(steady_clock::now() - start).count();
    if (!built) attempt.problem = built.error().sentence;
    if (auto restored = laboratory.tree().restore(patch); !restored) return restored.error();
    if (!built) return attempt;
    if (auto judged = judge.judge(attempt, {*built, {}}, unpatched); !judged) return judged.error();
    return attempt;
}

int failed(const Error& error) {
    return fail(error, error.code == ECANCELED ? kExitInterrupted : kExitUsage);
}

}  // namespace

int mutate_command(const CoverageOptions& options) {
    const StopSignals signals;
    const auto patches = read_patches(options.patches);
    if (!patches) return fail(patches.error());
    const auto out = folder_of_attempts(options.run.vm.out);
    if (!out) return fail(out.error());
    auto laboratory = KernelLaboratory::create(options, *out);
    if (!laboratory) return fail(laboratory.error());
    if (auto built = laboratory->build("the kernel as it is"); !built) return failed(built.error());
    const auto kept = laboratory->keep_kernel("unpatched");
    if (!kept) return failed(kept.error());
    const Subject unpatched{*kept, {}};
    Judge judge(*laboratory, options.run.filter, options.run.vms, options.run.vms);
    if (auto ran = judge.run_reference(unpatched); !ran) return failed(ran.error());
    fmt::print("without a patch: {}", to_text(judge.reference()));

    Attempts attempts{options.run.filter, {}};
    for (const SourcePatch& patch : *patches) {
        auto attempt = try_patch(*laboratory, judge, patch, unpatched);
        if (!attempt) return failed(attempt.error());
        fmt::print("{}", line_of(*attempt));
        std::fflush(stdout);
        attempts.all.push_back(std::move(*attempt));
        if (auto kept_them = keep_attempts(*out, attempts); !kept_them)
            return failed(kept_them.error());
    }
    return say_score(attempts.all, *out);
}

}  // namespace zcrxlab
