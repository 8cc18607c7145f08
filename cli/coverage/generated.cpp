// Makes the mistakes of --generate, as patches in a folder, so that each can be looked at and tried
// again alone.
#include <fmt/format.h>

#include <algorithm>

#include "cli/coverage/coverage.hpp"
#include "harness/base/file.hpp"
#include "kernels/mutations/mutants.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

constexpr size_t kSourceLimit = size_t{4} << 20;

}  // namespace

Result<std::vector<SourcePatch>> generated_patches(const CoverageOptions& options,
                                                   const fs::path& source, const fs::path& folder) {
    std::error_code code;
    fs::create_directories(folder, code);
    if (code) return error_from_errno("make " + folder.string(), code.value());
    std::vector<SourcePatch> patches;
    for (const std::string& path : options.generate) {
        const auto text = read_file(source / path, kSourceLimit);
        if (!text) return text.error();
        std::vector<Mutant> mutants = mutants_of(*text);
        if (mutants.empty())
            return Error{EINVAL, fmt::format("{} has no function in which a mistake could be made.",
                                             (source / path).string())};
        if (options.sample != 0)
            mutants = sample_of(std::move(mutants), options.sample, options.run.vm.seed);
        for (const Mutant& mutant : mutants) {
            const fs::path file = folder / (mutant.name + ".patch");
            const std::string patch = patch_of(mutant, *text, path);
            if (auto written = write_whole(file, patch); !written) return written.error();
            auto parsed = parse_source_patch(patch, file);
            if (!parsed) return parsed.error();
            patches.push_back(std::move(*parsed));
        }
    }
    return patches;
}

}  // namespace zcrxlab
