// Runs the suite on a kernel that counts, and reports what of the kernel was never run.
#include "cli/coverage/coverage.hpp"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "cli/coverage/run_folders.hpp"
#include "harness/base/exit_code.hpp"
#include "harness/base/fail.hpp"
#include "harness/base/file.hpp"
#include "harness/base/progress.hpp"
#include "kernels/coverage/profile.hpp"
#include "kernels/kernel.hpp"
#include "kernels/packages/cache.hpp"
#include "results/coverage/report.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStandardKernel = "7.3-coverage";
constexpr const char* kHowToBuild = " To build it, type: zcrxlab kernel build --config coverage";
constexpr size_t kFileLimit = size_t{4} << 20;

// The kernel that counted: where it was built, and from what.
struct CountingKernel {
    std::string release;
    fs::path build;
    std::string tree;
};

Result<CountingKernel> find_counting_kernel(const std::string& wanted) {
    const auto kernel = find_kernel(wanted, progress_for_people());
    if (!kernel)
        return Error{kernel.error().code,
                     kernel.error().sentence + (wanted == kStandardKernel ? kHowToBuild : "")};
    CountingKernel found;
    found.release = kernel->release;
    // BUILD/arch/x86/boot/bzImage
    found.build = kernel->image.parent_path().parent_path().parent_path().parent_path();
    // The kernel's makefiles leave a link to the tree there.
    std::error_code code;
    found.tree = fs::read_symlink(found.build / "source", code).string();
    if (code)
        return Error{ENOENT, kernel->image.string() +
                                 " does not lie in a build folder of \"zcrxlab kernel build\", so "
                                 "that its sources are not known."};
    return found;
}

// Adds the profiles of a results folder: of one VM, or in a folder for each.
Result<Coverage> coverage_in(const fs::path& folder, const CountingKernel& kernel) {
    Coverage coverage;
    for (const fs::path& place : places_of_vms(folder)) {
        // Counts only grow: of one guest, the last profile of an object has all of them.
        std::map<std::string, Profile> last;
        std::ifstream stream(place / kProfilesOfRun);
        for (std::string line; std::getline(stream, line);) {
            auto profile = parse_profile(line);
            if (!profile) return profile.error();
            last[profile->object] = std::move(*profile);
        }
        for (const auto& [object, profile] : last)
            if (auto added = add_profile(coverage, profile, kernel.build, kernel.tree); !added)
                return added.error();
    }
    if (coverage.empty())
        return Error{ENODATA, "Nothing was counted in " + folder.string() +
                                  "; the kernel that ran there was not built for it, or was lost." +
                                  kHowToBuild};
    return coverage;
}

fs::path config_path(const char* name) {
    return fs::path(ZCRXLAB_SOURCE_DIR) / "kernel-config" / name;
}

Result<Reasons> read_reasons() {
    const auto text = read_file(config_path("coverage.unreached"), kFileLimit);
    if (!text) return text.error();
    return parse_reasons(*text);
}

Result<CoverageColumn> column_of(const std::string& name, const fs::path& folder,
                                 const CountingKernel& kernel, const Scope& scope,
                                 const Sources& sources) {
    const auto whole = coverage_in(folder, kernel);
    if (!whole) return whole.error();
    auto part = within(scope, *whole, sources);
    if (!part) return part.error();
    return CoverageColumn{name, std::move(*part)};
}

// Where the suite's run on `nic`, one of --also, leaves its results: behind those of --nic.
fs::path folder_of(const fs::path& suite, const std::string& nic) {
    return suite / nic;
}

// What the suite made run on --nic and on each NIC of --also.
Result<std::vector<CoverageColumn>> columns_of_nics(const CoverageOptions& options,
                                                    const fs::path& suite,
                                                    const CountingKernel& kernel,
                                                    const Scope& scope, const Sources& sources) {
    auto first = column_of(options.run.vm.nic, suite, kernel, scope, sources);
    if (!first) return first.error();
    std::vector<CoverageColumn> columns{std::move(*first)};
    for (const std::string& nic : options.also) {
        auto column = column_of(nic, folder_of(suite, nic), kernel, scope, sources);
        if (!column) return column.error();
        columns.push_back(std::move(*column));
    }
    return columns;
}

Result<CoverageReport> report_on(const CoverageOptions& options, const fs::path& suite,
                                 const CountingKernel& kernel) {
    const auto scope = read_scope();
    if (!scope) return scope.error();
    auto reasons = read_reasons();
    if (!reasons) return reasons.error();
    CoverageReport report;
    report.kernel = kernel.release;
    report.reasons = std::move(*reasons);
    for (const auto& [path, functions] : *scope)
        if (auto source = read_file(fs::path(kernel.tree) / path, kFileLimit))
            report.sources[path] = std::move(*source);

    auto nics = columns_of_nics(options, suite, kernel, *scope, report.sources);
    if (!nics) return nics.error();
    report.columns = suite_columns(std::move(*nics));
    for (const std::string& word : options.beside) {
        const size_t equals = word.find('=');
        if (equals == 0 || equals == std::string::npos)
            return Error{EINVAL, "--beside takes NAME=DIR, not \"" + word + "\"."};
        auto column = column_of(word.substr(0, equals), word.substr(equals + 1), kernel, *scope,
                                report.sources);
        if (!column) return column.error();
        report.columns.push_back(std::move(*column));
    }
    // A part of the suite, or one NIC of two, says nothing about what the whole does not reach.
    if ((options.run.filter.empty() && !options.also.empty()) || options.check)
        report.misfits = misfits(report.reasons, report.columns.front().coverage);
    return report;
}

// Runs the suite on --nic, then on each NIC of --also: the last code that is not 0. A NIC is not
// begun behind a run that could not begin or was interrupted.
int run_on_all(const CoverageOptions& options) {
    int code = run_command(options.run);
    for (const std::string& nic : options.also) {
        if (code == kExitUsage || code == kExitInterrupted || options.run.vm.print_command) break;
        RunOptions run = options.run;
        run.vm.nic = nic;
        run.vm.out = folder_of(options.run.vm.out, nic);
        if (const int also = run_command(run); also != 0) code = also;
    }
    return code;
}

}  // namespace

Result<Scope> read_scope() {
    const auto text = read_file(config_path("coverage.scope"), kFileLimit);
    if (!text) return text.error();
    return parse_scope(*text);
}

int coverage_command(const CoverageOptions& wanted) {
    if (!wanted.generate.empty()) return generate_command(wanted);
    if (!wanted.patches.empty()) return mutate_command(wanted);
    CoverageOptions options = wanted;
    VmOptions& vm = options.run.vm;
    if (vm.kernel.empty()) vm.kernel = kStandardKernel;
    if (vm.out.empty()) vm.out = options.from.empty() ? "zcrxlab-coverage" : options.from;
    const auto kernel = find_counting_kernel(vm.kernel);
    if (!kernel) return fail(kernel.error());

    const int ran = options.from.empty() ? run_on_all(options) : 0;
    if (ran == kExitUsage || ran == kExitInterrupted || vm.print_command) return ran;
    const fs::path suite = options.from.empty() ? vm.out : fs::path(options.from);
    const auto report = report_on(options, suite, *kernel);
    if (!report) return fail(report.error());
    std::error_code ignored;
    fs::create_directories(vm.out, ignored);
    if (auto written = write_whole(vm.out / "coverage.json", to_json(*report)); !written)
        return fail(written.error());
    if (auto written = write_whole(vm.out / "coverage.html", to_page(*report)); !written)
        return fail(written.error());
    fmt::print("\n{}coverage: {}\n", to_text(*report),
               (fs::absolute(vm.out) / "coverage.html").string());
    return ran == 0 && options.check && !report->misfits.empty() ? 1 : ran;
}

}  // namespace zcrxlab
