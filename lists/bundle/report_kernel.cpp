// Reads the files beside a kernel image, and asks nm and addr2line.
#include "lists/bundle/report_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "harness/base/file.hpp"
#include "harness/base/program.hpp"
#include "kernels/kernel_store.hpp"
#include "kernels/local_kernels.hpp"
#include "lists/bundle/splat.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostConfig = 4U << 20;
constexpr std::chrono::minutes kBound{2};

std::vector<Kernel> kernels_at_hand() {
    std::vector<Kernel> kernels;
    if (const Result<Cache> cache = Cache::from_environment()) {
        for (const CachedKernel& cached : KernelStore(*cache).cached())
            kernels.push_back(cached.kernel);
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(cache->root() / "built", error))
            if (Result<Kernel> built = kernel_from_folder(entry.path(), *cache))
                kernels.push_back(*std::move(built));
    }
    for (Kernel& installed : installed_kernels("/")) kernels.push_back(std::move(installed));
    return kernels;
}

// The first of these that is there.
fs::path first_of(const std::vector<fs::path>& files) {
    std::error_code error;
    for (const fs::path& file : files)
        if (fs::is_regular_file(file, error)) return file;
    return {};
}

}  // namespace

ReportKernel report_kernel(const std::string& release) {
    ReportKernel found;
    const std::vector<Kernel> kernels = kernels_at_hand();
    const auto kernel = std::ranges::find(kernels, release, &Kernel::release);
    if (release.empty() || kernel == kernels.end()) return found;
    const fs::path beside = kernel->image.parent_path();
    // Of a build tree, the image is four folders below: arch/x86/boot/bzImage.
    const fs::path tree = beside.parent_path().parent_path().parent_path();
    const fs::path config =
        first_of({beside / "config", beside / ("config-" + release), kernel->modules / "config",
                  tree / ".config", tree / "zcrxlab.config"});
    if (!config.empty())
        if (const Result<std::string> text = read_file(config, kMostConfig)) found.config = *text;
    found.vmlinux = first_of({tree / "vmlinux.unstripped", tree / "vmlinux",
                              fs::path("/usr/lib/debug/boot") / ("vmlinux-" + release),
                              fs::path("/usr/lib/debug/lib/modules") / release / "vmlinux"});
    return found;
}

ReportSplat report_splat(const std::string& splat, const fs::path& vmlinux) {
    const auto raw = [&splat](const std::string& why) {
        return ReportSplat{splat, "The splat is as the kernel printed it: " + why};
    };
    if (splat.empty()) return {};
    if (vmlinux.empty())
        return raw(
            "there is no vmlinux of this kernel here; install its debug package, or name "
            "one: --vmlinux FILE.");
    for (const char* program : {"nm", "addr2line"})
        if (!program_exists(program))
            return raw(fmt::format("there is no {}; type: apt install binutils.", program));
    ProgramOptions bounded;
    bounded.timeout = kBound;
    const Result<ProgramRun> nm = run_program({"nm", vmlinux.string()}, bounded);
    if (!nm || nm->exit_code != 0) return raw("nm cannot read " + vmlinux.string() + ".");
    const auto symbols = symbols_from(nm->output);
    const std::vector<uint64_t> addresses = addresses_of(splat, symbols);
    if (addresses.empty())
        return raw("none of its functions is in " + vmlinux.string() +
                   ", which is of another kernel, or all are of modules.");
    std::vector<std::string> command = {"addr2line", "-a", "-i", "-f", "-e", vmlinux.string()};
    for (const uint64_t address : addresses) command.push_back(fmt::format("{:#x}", address));
    const Result<ProgramRun> asked = run_program(command, bounded);
    if (!asked || asked->exit_code != 0)
        return raw("addr2line cannot read " + vmlinux.string() + ".");
    const DecodedSplat decoded = with_lines(splat, symbols, lines_from(asked->output));
    if (decoded.decoded == 0)
        return raw(vmlinux.string() +
                   " has no debugging information; build with CONFIG_DEBUG_INFO_DWARF5=y.");
    return {decoded.text, fmt::format("Places in the source are those of {}.", vmlinux.string())};
}

}  // namespace zcrxlab
