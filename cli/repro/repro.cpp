// Gives a list of actions out as a file, a script or a bundle.
#include "cli/repro/repro.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "harness/base/exit_code.hpp"
#include "harness/base/fail.hpp"
#include "lists/bundle/bundle.hpp"
#include "lists/bundle/failure.hpp"
#include "lists/bundle/report_kernel.hpp"
#include "lists/from_trace/from_trace.hpp"
#include "lists/language/action_files.hpp"
#include "lists/to_c/c_file.hpp"
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

int write_report(Failure failure, const ReproExportOptions& options) {
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

}  // namespace

int repro_export_command(const ReproExportOptions& options) {
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
