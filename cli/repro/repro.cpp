// Gives a list of actions out as a file, a script or a bundle.
#include "cli/repro/repro.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <utility>

#include "cli/repro/repro_check.hpp"
#include "harness/base/exit_code.hpp"
#include "harness/base/fail.hpp"
#include "lists/bundle/bundle.hpp"
#include "lists/bundle/failure.hpp"
#include "lists/bundle/report_kernel.hpp"
#include "lists/from_trace/from_trace.hpp"
#include "lists/language/action_files.hpp"
#include "lists/to_c/c_file.hpp"
#include "scenarios/known_issues/embargo.hpp"
#include "scenarios/known_issues/findings.hpp"
#include "vm/qemu/qemu_command.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

Result<void> write_file(const fs::path& path, const std::string& text, bool executable) {
    std::ofstream stream(path, std::ios::binary | std::ios::trunc);
    stream << text << std::flush;
    if (!stream) return error_from_errno("write " + path.string(), errno != 0 ? errno : EIO);
    stream.close();
    std::error_code ignored;
    if (executable)
        fs::permissions(path,
                        fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                        fs::perm_options::add, ignored);
    return {};
}

// To a file, or to standard output.
int give_out(const std::string& out, const std::string& text, bool executable) {
    if (out.empty()) {
        fmt::print("{}", text);
        return 0;
    }
    if (auto written = write_file(out, text, executable); !written) return fail(written.error());
    return 0;
}

// A folder for what the runs leave, as long as they are looked at.
class TemporaryResults {
  public:
    TemporaryResults() {
        std::string name = (fs::temp_directory_path() / "zcrxlab-check.XXXXXX").string();
        // Where that fails, writing into it says so.
        [[maybe_unused]] const char* made = ::mkdtemp(name.data());
        path_ = name;
    }
    ~TemporaryResults() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    TemporaryResults(const TemporaryResults&) = delete;
    TemporaryResults& operator=(const TemporaryResults&) = delete;

    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

// What was made is there, and says that it was not run.
Error not_checked(const Error& error) {
    return {error.code, error.sentence +
                            "\nWhat was made says that it was not run. --no-check does "
                            "not try to."};
}

Result<Failure> failure_of_trace(const ReproExportOptions& options) {
    std::ifstream file(options.what, std::ios::binary);
    if (!file) return Error{ENOENT, "Cannot read " + options.what + "."};
    const auto events =
        events_of_test(std::string{std::istreambuf_iterator<char>(file), {}}, options.test);
    if (!events) return events.error();
    Result<ActionList> list = list_from_trace(*events);
    if (!list) return list.error();
    Failure failure;
    failure.name = options.test;
    failure.list = *std::move(list);
    return failure;
}

// "yes" or "no", from the command line or from whoever sits there; empty: nobody does.
std::string security_answer(const ReproExportOptions& options) {
    if (!options.security.empty() || ::isatty(STDIN_FILENO) == 0) return options.security;
    std::string line;
    while (line != "yes" && line != "no") {
        fmt::print("{}yes or no: ", security_question());
        std::fflush(stdout);
        if (!std::getline(std::cin, line)) return {};
    }
    return line;
}

Result<BundleOptions> bundle_options(const Failure& failure, const ReproExportOptions& options) {
    const std::string answer = security_answer(options);
    if (answer.empty()) return Error{EINVAL, security_question()};
    // The release where it is known; else what was asked for.
    const ReportKernel kernel =
        report_kernel(failure.bad.empty() ? failure.kernel : failure.bad.front());
    const ReportSplat splat = report_splat(
        failure.splat, options.vmlinux.empty() ? kernel.vmlinux : fs::path(options.vmlinux));
    BundleOptions bundle;
    bundle.tree = options.tree;
    bundle.config = kernel.config;
    bundle.splat = splat.text;
    bundle.splat_note = splat.note;
    bundle.security = answer == "yes";
    return bundle;
}

// What shows an embargoed finding is given to security@kernel.org and to nobody else.
Error embargoed() {
    return {EPERM, embargo_notice() +
                       "\nFor security@kernel.org and maintainers it is made with "
                       "--security yes; nothing was made."};
}

// Whether a failure is one that may not be given out.
bool is_withheld(const Failure& failure, const ReproExportOptions& options) {
    return options.security != "yes" &&
           (failure.embargoed ||
            tells_of_embargoed(
                findings(), failure.message + "\n" + failure.splat + "\n" + failure.fingerprint));
}

// Both forms, where there are both: one that does not do as foretold is the worse of the two.
Result<int> check_bundle(Failure& failure, const ReproExportOptions& options,
                         const fs::path& bundle, const fs::path& results) {
    const auto kernels = kernels_to_check(failure, options.bad, options.good);
    if (!kernels) return kernels.error();
    std::error_code ignored;
    int worst = kExitPassed;
    for (const auto& [form, name] : {std::pair("c", "repro.c"), std::pair("script", "repro.sh")}) {
        const fs::path file = bundle / name;
        if (!fs::exists(file, ignored)) continue;
        const auto code = check_form(failure, form, file, *kernels, options.self, results);
        if (!code) return code;
        if (worst != kExitFailed && *code != kExitPassed) worst = *code;
    }
    return worst;
}

int write_report(Failure failure, const ReproExportOptions& options) {
    if (options.out.empty()) return fail({EINVAL, "A bundle is a folder; name it: -o DIR"});
    const Result<BundleOptions> bundle = bundle_options(failure, options);
    if (!bundle) return fail(bundle.error());
    failure.seen.clear();
    const auto write = [&](const fs::path& folder) {
        return write_bundle(failure, *bundle, folder);
    };
    int code = kExitPassed;
    if (!options.no_check) {
        const TemporaryResults results;
        const fs::path trial = results.path() / "bundle";
        if (auto written = write(trial); !written) return fail(written.error());
        const Result<int> checked = check_bundle(failure, options, trial, results.path());
        if (is_withheld(failure, options)) return fail(embargoed());
        if (!checked) {
            if (auto written = write(options.out); !written) return fail(written.error());
            return fail(not_checked(checked.error()));
        }
        code = *checked;
    }
    // With what was seen.
    if (auto written = write(options.out); !written) return fail(written.error());
    if (!bundle->splat_note.empty()) fmt::print("{}\n", bundle->splat_note);
    if (bundle->config.empty())
        fmt::print("There is no configuration of {} here; add it to the report.\n",
                   failure.kernel.empty() ? "the kernel" : failure.kernel);
    fmt::print("{}: read mail.txt before it is sent\n", options.out);
    return code;
}

Result<std::string> text_of(const Failure& failure, const std::string& as) {
    if (as == "script") return to_script(failure);
    return to_c(failure.list, c_text_of(failure));
}

// A C file or a script, which says what it did when it was run.
int give_out_checked(Failure failure, const ReproExportOptions& options) {
    failure.seen.clear();
    Result<std::string> text = text_of(failure, options.as);
    if (!text) return fail(text.error());
    const bool script = options.as == "script";
    if (options.no_check) return give_out(options.out, *text, script);
    const TemporaryResults results;
    const fs::path file = results.path() / (script ? "repro.sh" : "repro.c");
    if (auto written = write_file(file, *text, script); !written) return fail(written.error());
    const auto kernels = kernels_to_check(failure, options.bad, options.good);
    const Result<int> checked =
        kernels ? check_form(failure, options.as, file, *kernels, options.self, results.path())
                : Result<int>(kernels.error());
    if (is_withheld(failure, options)) return fail(embargoed());
    if (checked) text = text_of(failure, options.as);
    if (const int code = give_out(options.out, *text, script); code != 0) return code;
    return checked ? *checked : fail(not_checked(checked.error()));
}

}  // namespace

int repro_export_command(const ReproExportOptions& options) {
    const Result<Failure> failure = fs::path(options.what).extension() == ".jsonl"
                                        ? failure_of_trace(options)
                                        : read_failure(options.what);
    if (!failure) return fail(failure.error());
    if (is_withheld(*failure, options)) return fail(embargoed());
    if (options.as == "list") return give_out(options.out, to_text(failure->list), false);
    if (options.as == "c" || options.as == "script") return give_out_checked(*failure, options);
    return write_report(*failure, options);
}

int repro_command(const ReproOptions& options) {
    switch (options.work) {
        case ReproOptions::Work::kExport:
            return repro_export_command(options.out);
        case ReproOptions::Work::kRun:
            return repro_run_command(options.run);
        case ReproOptions::Work::kAgain:
            return repro_again_command(options.again);
    }
    return kExitUsage;
}

}  // namespace zcrxlab
