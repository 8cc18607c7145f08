// Declares the options of commands that boot virtual machines.
#include "cli/vm_options.hpp"

#include <CLI/CLI.hpp>
#include <string>

#include "cli/values.hpp"
#include "cli/vm_values.hpp"
#include "harness/nics/nic_table.hpp"

namespace zcrxlab {

namespace {

// The rows of the table of NICs, as a paragraph.
std::string nics_for_people() {
    std::string text;
    for (const NicRow& row : nic_rows())
        if (is_offered(row))
            text.append(text.empty() ? "" : "; ")
                .append(nic_label(row))
                .append(": ")
                .append(row.sentence);
    return text;
}

}  // namespace

void add_vm_options(CLI::App& app, VmOptions& options) {
    const char* machine = "THE MACHINE";
    app.add_option("--kernel", options.kernel,
                   "Kernel version (\"7.2.12\", or a series: \"7.2\"), bzImage, or folder (a build "
                   "tree or an unpacked package); default: the newest series known to work")
        ->check(kernel_to_boot())
        ->type_name("VERSION|bzImage|DIR")
        ->group(machine);
    app.add_option("--nic", options.nic, nics_for_people())
        ->check(nic_of_a_vm())
        ->type_name(nic_labels(is_offered, "|"))
        ->capture_default_str()
        ->group(machine);
    app.add_option("--cpus", options.cpus,
                   "CPUs of the guest; default: 2, and 1 in each emulated VM beside the first one")
        ->check(whole_number(1, 64))
        ->type_name("N")
        ->group(machine);
    app.add_option("--memory", options.memory, "Memory of the guest")
        ->check(memory_of_a_guest())
        ->type_name("SIZE")
        ->capture_default_str()
        ->group(machine);
    app.add_option("--accel", options.accelerator,
                   "kvm, tcg (emulated), or auto: KVM where a guest really runs under it")
        ->check(one_of({"auto", "kvm", "tcg"}))
        ->type_name("auto|kvm|tcg")
        ->capture_default_str()
        ->group(machine);
    app.add_flag("--fresh", options.fresh,
                 "Boot the guest, even where this kernel has booted before and an emulated guest "
                 "could go on from there")
        ->group(machine);
    app.add_flag("--iommu", options.iommu,
                 "Put an IOMMU between the guest's memory and its devices, with interrupt "
                 "remapping")
        ->group(machine);
    app.add_option("--fault", options.faults,
                   "Fault rule for the NIC (" + nic_labels(takes_faults, ", ") +
                       "), as JSON; may be given several times. Scenarios that make their own "
                       "packets send none of them again")
        ->check(fault_rule_for(options.nic))
        ->type_name("RULE")
        ->allow_extra_args(false)
        ->group(machine);
    app.add_option("--module-file", options.module_files,
                   "A driver that was built for this very kernel, in place of its own of that "
                   "name; may be given several times")
        ->type_name("FILE.ko")
        ->allow_extra_args(false)
        ->check(CLI::ExistingFile.description(""))
        ->group(machine);
    app.add_option("--module-parameter", options.module_parameters,
                   "A setting below /sys/module that is written once the guest is up, and needs no "
                   "boot of its own; may be given several times")
        ->type_name("MODULE.NAME=VALUE")
        ->allow_extra_args(false)
        ->check(parameter_of_a_module())
        ->group(machine);
    app.add_option("--vm-args", options.vm_arguments, "More options for QEMU")
        ->check(any_words())
        ->type_name("'ARG...'")
        ->group(machine);
    app.add_option("--kernel-args", options.kernel_arguments, "More kernel parameters")
        ->check(any_words())
        ->type_name("'ARG...'")
        ->group(machine);
    const char* run = "THE RUN";
    app.add_option("--seed", options.seed, "Seed for all that is random")
        ->check(whole_number(0, UINT64_MAX))
        ->type_name("N")
        ->capture_default_str()
        ->group(run);
    app.add_option("--timeout", options.timeout, "Seconds after which the run is given up")
        ->check(seconds_to_wait())
        ->type_name("S")
        ->capture_default_str()
        ->group(run);
    app.add_option("--out", options.out,
                   "Folder for results; default: zcrxlab-out, or zcrxlab-out-2 ... while another "
                   "run writes there")
        ->check(folder_to_write())
        ->type_name("DIR")
        ->group(run);
    app.add_flag("-v,--verbose", options.verbose, "Show the console and notices as they come")
        ->group(run);
    app.add_flag("--print-command", options.print_command,
                 "Build the guest, print how to start it by hand, and stop")
        ->group(run);
}

std::vector<std::string> words_of_machine(const VmOptions& options) {
    const VmOptions usual;
    std::vector<std::string> words;
    const auto add = [&words](const char* name, const std::string& value, bool differs) {
        if (differs) words.insert(words.end(), {name, value});
    };
    add("--peer", options.peer, options.peer != usual.peer);
    add("--cpus", std::to_string(options.cpus), options.cpus != usual.cpus);
    add("--memory", options.memory, options.memory != usual.memory);
    add("--accel", options.accelerator, options.accelerator != usual.accelerator);
    if (options.fresh) words.emplace_back("--fresh");
    if (options.iommu) words.emplace_back("--iommu");
    for (const auto& file : options.module_files) add("--module-file", file.string(), true);
    for (const std::string& text : options.module_parameters) add("--module-parameter", text, true);
    add("--vm-args", options.vm_arguments, options.vm_arguments != usual.vm_arguments);
    add("--kernel-args", options.kernel_arguments,
        options.kernel_arguments != usual.kernel_arguments);
    for (const std::string& rule : options.faults) add("--fault", rule, true);
    add("--mutation", options.mutation, options.mutation != usual.mutation);
    return words;
}

void add_icount_option(CLI::App& app, VmOptions& options) {
    app.add_flag("--icount", options.icount,
                 "Emulate the guest, and let its clock go a nanosecond for each instruction, for a "
                 "program that is in time on a faster CPU only")
        ->group("THE MACHINE");
}

void add_silence_option(CLI::App& app, VmOptions& options) {
    app.add_option("--silence", options.silence,
                   "Seconds without a sign of life after which the guest is given up as hung; "
                   "default: somewhat more than a test may take")
        ->check(seconds_to_wait())
        ->type_name("S")
        ->group("THE RUN");
}

}  // namespace zcrxlab
