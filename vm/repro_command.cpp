// zcrxlab repro: a list of actions as something that others can run, and running it on kernels.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "vm/action_files.hpp"
#include "vm/boot/qemu_command.hpp"
#include "vm/commands.hpp"
#include "vm/report_kernel.hpp"
#include "vm/repro/bundle.hpp"
#include "vm/repro/c_file.hpp"
#include "vm/repro/failure.hpp"
#include "vm/repro/from_trace.hpp"
#include "vm/repro_trial.hpp"

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

Result<Failure> failure_of_trace(const ReproOptions& options) {
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

void print_table(const std::vector<ReproTrial>& trials) {
    size_t widest = 6;
    for (const ReproTrial& trial : trials) widest = std::max(widest, trial.kernel.size());
    fmt::print("\n{:<{}}  {:<15}  {}\n", "kernel", widest, "verdict", "what it said");
    for (const ReproTrial& trial : trials)
        fmt::print("{:<{}}  {:<15}  {}\n", trial.kernel, widest, name_of(trial.verdict),
                   trial.said);
}

// "yes" or "no", from the command line or from whoever sits there; empty: nobody does.
std::string security_answer(const ReproOptions& options) {
    if (!options.security.empty() || ::isatty(STDIN_FILENO) == 0) return options.security;
    std::string line;
    while (line != "yes" && line != "no") {
        fmt::print("{}yes or no: ", security_question());
        std::fflush(stdout);
        if (!std::getline(std::cin, line)) return {};
    }
    return line;
}

int write_report(Failure failure, const ReproOptions& options) {
    if (options.out.empty()) return fail({EINVAL, "A bundle is a folder; name it: -o DIR"});
    const std::string answer = security_answer(options);
    if (answer.empty()) return fail({EINVAL, security_question()});
    const auto add = [](std::vector<std::string>& to, const std::vector<std::string>& more) {
        for (const std::string& kernel : more)
            if (std::ranges::find(to, kernel) == to.end()) to.push_back(kernel);
    };
    add(failure.bad, options.bad);
    add(failure.good, options.good);
    // The release where it is known; else what was asked for.
    const ReportKernel kernel =
        report_kernel(failure.bad.empty() ? failure.kernel : failure.bad.front());
    const ReportSplat splat = report_splat(
        failure.splat, options.vmlinux.empty() ? kernel.vmlinux : fs::path(options.vmlinux));
    BundleOptions bundle;
    bundle.zcrxlab = options.self;
    bundle.tree = options.tree;
    bundle.config = kernel.config;
    bundle.splat = splat.text;
    bundle.splat_note = splat.note;
    bundle.security = answer == "yes";
    if (auto written = write_bundle(failure, bundle, options.out); !written)
        return fail(written.error());
    if (!splat.note.empty()) fmt::print("{}\n", splat.note);
    if (kernel.config.empty())
        fmt::print("There is no configuration of {} here; add it to the report.\n",
                   failure.kernel.empty() ? "the kernel" : failure.kernel);
    fmt::print("{}: read mail.txt before it is sent\n", options.out);
    return 0;
}

// 0 as was foretold (or, without a prophecy, all good); 1 otherwise; 4 nothing could be judged.
int exit_of(const std::vector<ReproTrial>& trials) {
    bool judged = false;
    bool wrong = false;
    for (const ReproTrial& trial : trials) {
        judged = judged || trial.verdict != ReproVerdict::kNotJudged;
        const ReproVerdict foretold = trial.foretold.value_or(ReproVerdict::kGood);
        wrong = wrong ||
                (trial.foretold ? trial.verdict != foretold : trial.verdict == ReproVerdict::kBad);
    }
    if (wrong) return 1;
    return judged ? 0 : 4;
}

}  // namespace

int repro_command(const ReproOptions& options) {
    const Result<Failure> failure = fs::path(options.what).extension() == ".jsonl"
                                        ? failure_of_trace(options)
                                        : read_failure(options.what);
    if (!failure) return fail(failure.error());
    if (options.as == "list") return give_out(options.out, to_text(failure->list), false);
    if (options.as == "c") {
        const Result<std::string> text = to_c(failure->list, {.happens = failure->message});
        if (!text) return fail(text.error());
        return give_out(options.out, *text, false);
    }
    if (options.as == "script")
        return give_out(options.out, to_script(*failure, options.self), true);
    return write_report(*failure, options);
}

int repro_run_command(const ReproRunOptions& options) {
    std::vector<ReproTrial> trials;
    const auto add = [&](const std::vector<std::string>& kernels,
                         std::optional<ReproVerdict> foretold) {
        for (const std::string& kernel : kernels) trials.push_back({kernel, foretold, {}, {}});
    };
    add(options.kernels, {});
    add(options.bad, ReproVerdict::kBad);
    add(options.good, ReproVerdict::kGood);
    if (trials.empty()) trials.push_back({"", {}, {}, {}});
    for (ReproTrial& trial : trials) {
        if (auto tried = try_repro(options, trial); !tried) return fail(tried.error());
        fmt::print("{}: {}\n", trial.kernel, name_of(trial.verdict));
        std::fflush(stdout);
    }
    print_table(trials);
    return exit_of(trials);
}

}  // namespace zcrxlab
