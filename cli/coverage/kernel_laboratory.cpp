// Builds kernels, and starts "zcrxlab run" on them.
#include "cli/coverage/kernel_laboratory.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>
#include <vector>

#include "cli/coverage/run_folders.hpp"
#include "cli/vm_options.hpp"
#include "harness/base/child_process.hpp"
#include "harness/base/exit_code.hpp"
#include "harness/base/fd.hpp"
#include "harness/base/file.hpp"
#include "harness/base/program.hpp"
#include "harness/base/stop_signals.hpp"
#include "kernels/build/patched_tree.hpp"
#include "kernels/packages/cache.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

constexpr size_t kSourceLimit = size_t{4} << 20;
constexpr size_t kResultsLimit = size_t{256} << 20;
constexpr std::chrono::seconds kToCleanUp{30};
constexpr const char* kGuestImage = "guest.cpio";

// Ourselves, to be started for each run.
std::string own_path() {
    std::error_code code;
    const fs::path path = fs::read_symlink("/proc/self/exe", code);
    return code ? "zcrxlab" : path.string();
}

Error interrupted() {
    return {ECANCELED, "Interrupted; the same command goes on from here."};
}

Result<void> unless_interrupted() {
    if (stop_signal_waits()) return interrupted();
    return {};
}

// Runs `command` with its output in `log`. A run that a person ends cleans up after itself. The
// signal is left to wait, for other runs that go on at the same time and for whoever began them.
Result<void> run_to_its_end(const std::vector<std::string>& command, const fs::path& log) {
    const Fd file(::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!file) return error_from_errno("write " + log.string());
    const StopSignals signals;
    ChildOptions options;
    options.arguments = command;
    options.output = options.error = file.get();
    auto process = ChildProcess::start(options);
    if (!process) return process.error();
    while (!process->status()) {
        std::array<pollfd, 2> waiting{{{signals.fd(), POLLIN, 0}, {process->pidfd(), POLLIN, 0}}};
        ::poll(waiting.data(), waiting.size(), -1);
        if (waiting[0].revents == 0) continue;
        process->signal(SIGTERM);
        process->wait(kToCleanUp);
        return interrupted();
    }
    const int status = *process->status();
    if (WIFEXITED(status) && WEXITSTATUS(status) == kExitInterrupted) return interrupted();
    return {};
}

}  // namespace

KernelLaboratory::KernelLaboratory(const CoverageOptions& options, KernelBuildPlan plan,
                                   fs::path original, fs::path out)
    : options_(&options),
      plan_(std::move(plan)),
      original_(std::move(original)),
      out_(std::move(out)) {}

Result<KernelLaboratory> KernelLaboratory::create(const CoverageOptions& options,
                                                  const fs::path& out) {
    const auto cache = Cache::from_environment();
    if (!cache) return cache.error();
    const Progress progress = progress_for_people();
    const auto source = find_source_tree(options.source, *cache, progress);
    if (!source) return source.error();
    std::vector<std::string> words{"base"};
    if (options.fragments.empty()) words.emplace_back("faults");
    words.insert(words.end(), options.fragments.begin(), options.fragments.end());
    KernelBuildPlan plan;
    std::string name = source->filename().string();
    for (const std::string& word : words) {
        const auto fragment = find_fragment(word, ZCRXLAB_SOURCE_DIR);
        if (!fragment) return fragment.error();
        plan.fragments.push_back(*fragment);
        name += "-" + fragment->stem().string();
    }
    // Shares of one machine's are built side by side.
    if (!options.share.empty()) {
        name += "-" + options.share;
        std::ranges::replace(name, '/', '-');
    }
    const fs::path folder = cache->root() / "mutations" / name;
    std::error_code code;
    fs::create_directories(folder, code);
    if (code) return error_from_errno("make " + folder.string(), code.value());
    auto tree = patched_tree(*source, plan.fragments, folder / "patched");
    if (!tree) return tree.error();
    plan.source = folder / "source";
    plan.output = folder / "build";
    plan.jobs =
        options.jobs != 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
    return KernelLaboratory(options, std::move(plan), std::move(*tree), out);
}

Result<void> KernelLaboratory::link() {
    if (tree_) return {};
    progress_("linking the sources into " + plan_.source.string());
    auto tree = LinkedTree::create(original_, plan_.source);
    if (!tree) return tree.error();
    tree_ = std::move(*tree);
    return unless_interrupted();
}

Result<std::string> KernelLaboratory::read(const std::string& source) {
    return read_file(original_ / source, kSourceLimit);
}

Result<void> KernelLaboratory::write(const std::string& source, const std::string& text) {
    if (auto linked = link(); !linked) return linked;
    return tree_->replace(source, text);
}

Result<std::string> KernelLaboratory::compile(const std::string& source) {
    if (auto linked = link(); !linked) return linked.error();
    auto object = build_object(plan_, fs::path(source).replace_extension(".o").string());
    // A compiler that Ctrl-C has ended says nothing about the source.
    if (auto on = unless_interrupted(); !on) return on.error();
    return object;
}

Result<fs::path> KernelLaboratory::build(const std::string& what) {
    if (auto linked = link(); !linked) return linked.error();
    progress_("building " + what);
    const auto built = build_kernel(plan_, progress_);
    if (auto on = unless_interrupted(); !on) return on.error();
    if (!built) return built.error();
    return built->image;
}

Result<fs::path> KernelLaboratory::keep_kernel(const std::string& name) {
    fs::path kept = out_ / (name + "-bzImage");
    std::error_code code;
    fs::copy_file(image_of(plan_), kept, fs::copy_options::overwrite_existing, code);
    if (code) return error_from_errno("copy " + image_of(plan_).string(), code.value());
    return kept;
}

Result<RunSummary> KernelLaboratory::run(const ScenarioRun& order) {
    const fs::path folder = out_ / order.name;
    const VmOptions& vm = options_->run.vm;
    std::vector<std::string> command{own_path(), "run"};
    const auto add = [&command](const char* option, const std::string& value) {
        if (!value.empty()) command.insert(command.end(), {option, value});
    };
    add("--kernel", order.subject.kernel.string());
    add("--nic", order.nic.empty() ? vm.nic : order.nic);
    std::ranges::move(words_of_machine(vm), std::back_inserter(command));
    add("--seed", std::to_string(vm.seed));
    add("--timeout", std::to_string(order.seconds != 0 ? order.seconds : vm.timeout));
    add("--out", folder.string());
    add("--filter", order.filter);
    add("--vms", order.vms);
    if (order.fail_fast) command.emplace_back("--fail-fast");
    if (order.tells_reach) command.emplace_back("--profiles");
    command.insert(command.end(), order.subject.options.begin(), order.subject.options.end());
    // Those of an earlier run say nothing about one that cannot begin.
    std::error_code ignored;
    fs::remove(folder / "results.json", ignored);
    for (const fs::path& place : places_of_vms(folder)) fs::remove(place / kProfilesOfRun, ignored);
    const fs::path log = out_ / (order.name + ".log");
    const auto ran = run_to_its_end(command, log);
    // Those of a thousand mistakes would fill a disk, and all are the same.
    for (const fs::path& place : places_of_vms(folder)) fs::remove(place / kGuestImage, ignored);
    if (!ran) return ran.error();
    const auto json = read_file(folder / "results.json", kResultsLimit);
    if (json) return summary_from_json(*json);
    const auto said = read_file(log, kResultsLimit);
    return Error{EIO, "The run left no results:\n" + last_lines(said ? *said : "", 5)};
}

Result<ReachedMistakes> KernelLaboratory::reach_of(const std::string& name) {
    ReachedMistakes reached;
    for (const fs::path& place : places_of_vms(out_ / name)) {
        std::ifstream stream(place / kProfilesOfRun);
        for (std::string line; std::getline(stream, line);)
            if (auto added = reached.add(line); !added) return added.error();
    }
    return reached;
}

}  // namespace zcrxlab
