// zcrxlab coverage --generate: lets a rule make the mistakes, and says which are noticed.
#include <cerrno>

#include "cli/coverage/coverage.hpp"
#include "cli/coverage/generation.hpp"
#include "cli/coverage/kept_attempts.hpp"
#include "cli/coverage/kernel_laboratory.hpp"
#include "harness/base/exit_code.hpp"
#include "harness/base/fail.hpp"

namespace zcrxlab {

int generate_command(const CoverageOptions& options) {
    const auto out = folder_of_attempts(options.run.vm.out);
    if (!out) return fail(out.error());
    auto laboratory = KernelLaboratory::create(options, *out);
    if (!laboratory) return fail(laboratory.error());
    Generation generation(options, *laboratory, *out);
    if (auto ran = generation.run(); !ran)
        return fail(ran.error(), ran.error().code == ECANCELED ? kExitInterrupted : kExitUsage);
    return say_score(generation.attempts(), *out);
}

}  // namespace zcrxlab
