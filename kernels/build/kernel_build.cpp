// Running the kernel's own makefiles, and watching what they say.
#include "kernels/build/kernel_build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "harness/base/file.hpp"
#include "harness/base/program.hpp"
#include "harness/base/time_left.hpp"
#include "kernels/build/saved_command.hpp"
#include "kernels/kernel_source.hpp"
#include "kernels/packages/version.hpp"
#include "kernels/standard.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr size_t kConfigLimit = size_t{4} << 20;
constexpr size_t kObjectLimit = size_t{64} << 20;
constexpr size_t kCommandLimit = size_t{4} << 20;  // with all headers
constexpr const char* kImage = "arch/x86/boot/bzImage";
constexpr const char* kAsked = "zcrxlab.config";
constexpr seconds kBetweenLines{5};
// As many as building 7.3 with the fragments base and faults told of, from nothing.
constexpr size_t kStepsFromNothing = 2200;

bool is_there(const fs::path& path) {
    std::error_code code;
    return fs::exists(path, code);
}

Result<std::vector<ConfigSetting>> read_fragments(const std::vector<fs::path>& files) {
    std::vector<std::vector<ConfigSetting>> fragments;
    for (const fs::path& file : files) {
        const auto text = read_file(file, kConfigLimit);
        if (!text) return text.error();
        auto fragment = parse_fragment(*text, file.filename().string());
        if (!fragment) return fragment.error();
        fragments.push_back(std::move(*fragment));
    }
    return merged(fragments);
}

// make with what every call of it shares.
std::vector<std::string> make(const KernelBuildPlan& plan) {
    std::vector<std::string> command{"make", "-C", plan.source.string(),
                                     "O=" + plan.output.string(), "ARCH=x86"};
    if (program_exists("ccache")) command.emplace_back("CC=ccache gcc");
    for (const std::string& object : plan.profiled)
        command.push_back("GCOV_PROFILE_" + fs::path(object).filename().string() + "=y");
    return command;
}

// The first thing that a compiler, the linker or make complained of, with what follows it.
std::string first_complaint(const std::string& output) {
    size_t at = std::string::npos;
    for (const char* mark : {" error: ", "undefined reference", "*** ", "fatal error"})
        at = std::min(at, output.find(mark));
    if (at == std::string::npos) return last_lines(output, 5);
    const size_t newline = output.rfind('\n', at);
    const size_t begin = newline == std::string::npos ? 0 : newline + 1;
    size_t end = begin;
    for (int line = 0; line < 4 && end < output.size(); ++line)
        end = std::min(output.find('\n', end), output.size() - 1) + 1;
    return output.substr(begin, end - begin);
}

Result<void> run_make(std::vector<std::string> command, const std::string& what,
                      ProgramOptions options) {
    options.stoppable = true;
    const auto run = run_program(command, options);
    if (!run) return run.error();
    if (run->exit_code == 0) return {};
    return Error{EIO, what + " failed:\n" + first_complaint(run->output)};
}

Result<bool> configure(const KernelBuildPlan& plan, const std::vector<ConfigSetting>& asked) {
    const std::string text = config_text(asked);
    const auto before = read_file(plan.output / kAsked, kConfigLimit);
    if (before && *before == text && is_there(plan.output / ".config")) return false;
    // A broken-off configuration must not look like a finished one.
    std::error_code code;
    fs::remove(plan.output / kAsked, code);
    const fs::path wanted = plan.output / "zcrxlab.config.wanted";
    if (auto written = write_whole(wanted, text); !written) return written.error();
    auto command = make(plan);
    command.push_back("KCONFIG_ALLCONFIG=" + wanted.string());
    command.emplace_back("allnoconfig");
    if (auto made = run_make(std::move(command), "configuring the kernel", {}); !made)
        return made.error();
    fs::rename(wanted, plan.output / kAsked, code);
    if (code) return error_from_errno("rename " + wanted.string(), code.value());
    return true;
}

// Tells every few seconds how many objects are there, and which room of the kernel is at work.
class ObjectCounter {
  public:
    // `from_nothing`: each step is still to be made.
    ObjectCounter(const Progress& progress, bool from_nothing)
        : progress_(progress), from_nothing_(from_nothing) {}

    bool hear(const std::string& line) {
        // "  CC      io_uring/zcrx.o"
        const size_t word = line.find_first_not_of(' ');
        if (word != 2 || line.size() < 10 || line[9] != ' ') return true;
        ++count_;
        const auto now = steady_clock::now();
        if (!progress_ || now - told_ < kBetweenLines) return true;
        told_ = now;
        const double passed = std::chrono::duration<double>(now - begin_).count();
        const std::string left =
            from_nothing_ ? time_left(count_, kStepsFromNothing, passed) : std::string();
        progress_(fmt::format("building the kernel: {} steps{}, at {}", count_,
                              left.empty() ? "" : ", " + left, line.substr(10)));
        return true;
    }

  private:
    const Progress& progress_;
    bool from_nothing_;
    size_t count_ = 0;
    steady_clock::time_point begin_ = steady_clock::now(), told_ = begin_;
};

Result<void> compile(const KernelBuildPlan& plan, bool from_nothing, const Progress& progress) {
    auto command = make(plan);
    command.push_back("-j" + std::to_string(plan.jobs));
    command.insert(command.end(), {"bzImage", "modules"});
    ObjectCounter counter(progress, from_nothing);
    ProgramOptions options;
    options.on_line = [&counter](const std::string& line) { return counter.hear(line); };
    return run_make(std::move(command), "building the kernel", std::move(options));
}

std::vector<std::string> fragment_names(const fs::path& root) {
    std::vector<std::string> names;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(root / "kernel-config", code))
        if (entry.path().extension() == ".config") names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

Result<void> check_source_tree(const fs::path& source) {
    if (!is_there(source / "Kbuild") || !is_there(source / "arch/x86/Kconfig"))
        return Error{ENOENT, source.string() +
                                 " is no kernel tree; name a checkout of Linux, or a "
                                 "series whose source Debian has: --source 7.3"};
    // What the kernel's top Makefile looks for before it builds into another folder.
    for (const char* trace : {".config", "include/config", "arch/x86/include/generated"})
        if (is_there(source / trace))
            return Error{EBUSY, source.string() + " was built in place (" + trace +
                                    " is there), and then the kernel's makefiles refuse to build "
                                    "elsewhere. Type: make -C " +
                                    source.string() + " mrproper"};
    return {};
}

Result<KernelBuildOutcome> build_kernel(const KernelBuildPlan& plan, const Progress& progress) {
    if (auto tree = check_source_tree(plan.source); !tree) return tree.error();
    const char* path = std::getenv("PATH");
    if (auto there = check_build_tools(plan.tools, path != nullptr ? path : ""); !there)
        return there.error();
    const auto asked = read_fragments(plan.fragments);
    if (!asked) return asked.error();
    std::error_code code;
    fs::create_directories(plan.output, code);
    if (code) return error_from_errno("create " + plan.output.string(), code.value());

    KernelBuildOutcome outcome;
    const bool from_nothing = !is_there(plan.output / "vmlinux");
    const auto configured = configure(plan, *asked);
    if (!configured) return configured.error();
    outcome.configured = *configured;
    const auto config = read_file(plan.output / ".config", kConfigLimit);
    if (!config) return config.error();
    outcome.unmet = unmet(*asked, *config);
    if (plan.configure_only) return outcome;

    if (auto compiled = compile(plan, from_nothing, progress); !compiled) return compiled.error();
    outcome.image = image_of(plan);
    if (!is_there(outcome.image))
        return Error{ENOENT, "make was content, but there is no " + outcome.image.string() + "."};
    return outcome;
}

fs::path image_of(const KernelBuildPlan& plan) {
    return plan.output / kImage;
}

Result<std::string> build_object(const KernelBuildPlan& plan, const std::string& object) {
    const fs::path place(object);
    const fs::path saved = place.parent_path() / ("." + place.filename().string() + ".cmd");
    const fs::path into = place.parent_path() / ("zcrxlab-" + place.filename().string());
    const auto text = read_file(plan.output / saved, kCommandLimit);
    const auto saved_one =
        text ? saved_command(*text, object, into.string()) : Result<std::string>(text.error());
    auto command = make(plan);
    command.push_back(object);
    ProgramOptions options;
    // In the compiler's own language, so that what it says can be read.
    options.environment = {{"LC_ALL", "C"}};
    // As make runs it, which looks at a tree for seconds before.
    if (saved_one) {
        command = {"sh", "-ec", *saved_one};
        options.folder = plan.output;
    }
    options.stoppable = true;
    const auto run = run_program(command, options);
    if (!run) return run.error();
    if (run->exit_code != 0) return Error{EIO, run->output};
    return read_file(plan.output / (saved_one ? into : place), kObjectLimit);
}

Result<fs::path> find_fragment(const std::string& word, const fs::path& root) {
    std::error_code code;
    if (word.find('/') != std::string::npos || word.ends_with(".config")) {
        if (fs::is_regular_file(word, code)) return fs::absolute(word, code);
        return Error{ENOENT, "There is no file " + word + "."};
    }
    fs::path file = root / "kernel-config" / (word + ".config");
    if (fs::is_regular_file(file, code)) return file;
    return Error{ENOENT, fmt::format("There is no fragment \"{}\"; there are: {}. A file of your "
                                     "own has a slash in its name: ./{}.config",
                                     word, fmt::join(fragment_names(root), ", "), word)};
}

Result<fs::path> find_source_tree(const std::string& wanted, const Cache& cache,
                                  const Progress& progress) {
    std::error_code code;
    if (fs::is_directory(wanted, code)) return fs::canonical(wanted, code);
    if (wanted.find('/') != std::string::npos)
        return Error{ENOENT, "There is no folder " + wanted + "."};
    const std::string series = wanted.empty() ? std::string(standard::kKernelSeries) : wanted;
    const fs::path place = fs::path("sources") / (series + "-tree");
    if (is_there(cache.root() / place)) return cache.root() / place;

    const auto archive = find_kernel_source(series, progress);
    if (!archive) return archive.error();
    const auto lock = cache.lock(progress);
    if (!lock) return lock.error();
    if (is_there(cache.root() / place)) return cache.root() / place;
    const auto folder = cache.temporary_folder();
    if (!folder) return folder.error();
    if (progress) progress("unpacking " + archive->filename().string() + " (1.7 GB)");
    const auto unpacked = run_program(
        {"tar", "-C", folder->string(), "--strip-components=1", "-xf", archive->string()});
    if (!unpacked) return unpacked.error();
    if (unpacked->exit_code != 0)
        return Error{EIO, "tar cannot unpack " + archive->string() + ":\n" +
                              last_lines(unpacked->output, 3)};
    if (auto placed = cache.place(*folder, place); !placed) return placed.error();
    return cache.root() / place;
}

fs::path built_folder(const Cache& cache, const std::string& name) {
    return cache.root() / "built" / name;
}

}  // namespace zcrxlab
