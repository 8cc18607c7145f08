// Makes orders from the command line.
#include "results/matrix/matrix_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "harness/base/program.hpp"
#include "harness/base/version.hpp"
#include "harness/nics/nic_table.hpp"
#include "kernels/local_kernels.hpp"
#include "kernels/netdevsim_module.hpp"
#include "vm/programs.hpp"
#include "vm/qemu/qemu_command.hpp"

namespace zcrxlab {

namespace {

// Options of "run" that change what is tested.
std::vector<std::string> meaning_options(const MatrixOptions& options) {
    const VmOptions& vm = options.vm;
    const VmOptions usual;
    std::vector<std::string> words;
    const auto add = [&](const char* name, const std::string& value, const std::string& standard) {
        if (value != standard) words.insert(words.end(), {name, value});
    };
    add("--cpus", std::to_string(vm.cpus), std::to_string(usual.cpus));
    add("--memory", vm.memory, usual.memory);
    add("--accel", vm.accelerator, usual.accelerator);
    add("--kernel-args", vm.kernel_arguments, usual.kernel_arguments);
    if (options.lenient) words.emplace_back("--lenient");
    return words;
}

// What the driver can do, the guest finds out.
Result<std::string> obstacle_for(const PlannedRun& run) {
    const NicRow* nic = find_nic(run.nic);
    if (nic == nullptr) return Error{EINVAL, "There is no NIC \"" + run.nic + "\"."};
    const auto kernel = find_kernel(run.kernel, {}, nic->kernel_flavour);
    if (!kernel) return kernel.error();
    if (nic->patched) {
        const auto module = find_netdevsim(*kernel, *nic);
        return module ? std::string() : module.error().sentence;
    }
    if (!nic->driver.empty() && !has_driver(*kernel, nic->driver))
        return fmt::format("This kernel has no {} driver.", nic->driver);
    return std::string();
}

}  // namespace

const std::vector<std::string>& matrix_nics() {
    static const std::vector<std::string> nics = [] {
        std::vector<std::string> names;
        for (const NicRow& row : nic_rows())
            if (is_in_matrix(row)) names.emplace_back(row.name);
        return names;
    }();
    return nics;
}

MatrixTerms terms_for(const MatrixOptions& options) {
    MatrixTerms terms;
    terms.zcrxlab = kVersion;
    terms.filter = options.filter;
    if (const auto words = meaning_options(options); !words.empty())
        terms.options = quoted_for_shell(words);
    terms.seed = options.vm.seed;
    return terms;
}

MatrixOrder order_for(const MatrixOptions& options, std::vector<KernelChoice> choices) {
    MatrixOrder order;
    order.program = std::filesystem::read_symlink("/proc/self/exe").string();
    order.filter = options.filter;
    const std::vector<std::string> seed{"--seed", std::to_string(options.vm.seed)};
    std::vector<std::string> words = meaning_options(options);
    words.insert(words.end(), seed.begin(), seed.end());
    order.command = [words, self = options.self](const PlannedRun& run) {
        std::vector<std::string> command{self, "run", "--kernel", run.kernel, "--nic", run.nic};
        command.insert(command.end(), words.begin(), words.end());
        return quoted_for_shell(command);
    };
    order.there = [choices = std::move(choices)](const std::string& kernel) {
        return is_there(choices, kernel);
    };
    order.obstacle = obstacle_for;
    order.options = std::move(words);
    order.options.insert(order.options.end(), {"--timeout", std::to_string(options.vm.timeout)});
    if (options.vms != 0)
        order.options.insert(order.options.end(), {"--vms", std::to_string(options.vms)});
    return order;
}

bool is_there(const std::vector<KernelChoice>& choices, const std::string& kernel) {
    const auto choice = std::ranges::find(choices, kernel, &KernelChoice::version);
    return choice == choices.end() || choice->cached;
}

Result<Catalogue> find_catalogue(const MatrixOptions& options) {
    const auto program = own_program("zcrx-scenarios");
    if (!program) return program.error();
    std::vector<std::string> command{program->string(), "--list", "--json"};
    if (!options.filter.empty()) command.insert(command.end(), {"--filter", options.filter});
    const Result<ProgramRun> listed = run_program(command);
    if (!listed) return listed.error();
    Result<Catalogue> catalogue = catalogue_from_json(listed->output);
    if (!catalogue && !options.filter.empty())
        return Error{EINVAL, "No scenario matches " + options.filter +
                                 "; to see all, type: " + options.self + " list"};
    return catalogue;
}

}  // namespace zcrxlab
