// Turns options into a VM that can be started.
#include "vm/start/prepare.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>

#include "harness/base/environment.hpp"
#include "harness/base/file.hpp"
#include "harness/base/stop_signals.hpp"
#include "harness/faults/fault_rule_json.hpp"
#include "harness/nics/nic_table.hpp"
#include "harness/targets/netdevsim_rule.hpp"
#include "kernels/netdevsim_module.hpp"
#include "kernels/packages/cache.hpp"
#include "kernels/standard.hpp"
#include "kernels/unlisted_modules.hpp"
#include "vm/image/modules.hpp"
#include "vm/passthrough/facts.hpp"
#include "vm/programs.hpp"
#include "vm/qemu/host_tsc.hpp"
#include "vm/qemu/kvm_verdict.hpp"
#include "vm/qemu/qemu_program.hpp"
#include "vm/start/cache_damage.hpp"
#include "vm/start/demanded_modules.hpp"
#include "vm/start/first_boot.hpp"
#include "vm/start/host_files.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

// In every stock kernel these are built in or modules; init needs them before anything else.
const std::vector<std::string> kTransportModules{"virtio_pci", "virtio_console"};

Result<Accelerator> choose_accelerator(const VmOptions& options, const QemuProgram& qemu,
                                       const Progress& progress) {
    if (options.accelerator == "tcg" || options.icount) return Accelerator::kTcg;
    const Result<void> works =
        options.accelerator == "kvm" ? probe_kvm(qemu, KvmSpeed::kAny) : kvm_verdict().ask(qemu);
    if (works) return Accelerator::kKvm;
    if (options.accelerator == "kvm") return works.error();
    if (is_passed_through(options.nic))
        return Error{ENODEV,
                     "A real NIC wants a guest that is not emulated, and there is no KVM: " +
                         works.error().sentence +
                         " To have it emulated all the same, type: --accel tcg"};
    if (options.verbose) progress("No KVM, so QEMU emulates: " + works.error().sentence);
    return Accelerator::kTcg;
}

NicFiles nic_files_in(const fs::path& folder, const ResultsFolder& out) {
    NicFiles files;
    files.receiver_socket = folder / "receiver.sock";
    files.peer_socket = folder / "peer.sock";
    files.control_socket = folder / "control.sock";
    files.capture = out.file("wire.pcapng");
    files.log = out.file("device.log");
    return files;
}

// The pairs of NICs that this VM gets: those whose driver the kernel has.
Result<NicPair> passed_pair_for(const VmOptions& options, const ModuleIndex& modules,
                                const Kernel& kernel) {
    const auto nic = function_named(options.nic);
    if (!nic) return nic.error();
    PassthroughOrder order{*nic, "", 0};
    if (!options.peer.empty()) {
        const auto peer = function_named(options.peer);
        if (!peer) return peer.error();
        order.peer = *peer;
    }
    const auto facts = passthrough_in_tree("/", order);
    if (!facts) return facts.error();
    NicPair pair = passed_pair(facts->nic.address, facts->peer.address);
    pair.module = module_for_guest(facts->nic);
    pair.peer_module = module_for_guest(facts->peer);
    for (const std::string& module : {pair.module, pair.peer_module}) {
        if (module.empty())
            return Error{ENOTSUP,
                         "It is not known which driver the guest needs for the cards; give "
                         "them to their drivers first, so that it can be seen"};
        if (!modules.has(module))
            return Error{ENOENT, "Kernel " + kernel.release + " has no " + module +
                                     " driver; those of the larger flavour have it: --kernel " +
                                     std::string(standard::kKernelSeries) + "-amd64"};
    }
    return pair;
}

Result<std::vector<NicPair>> choose_pairs(const VmOptions& options, const NicRow& nic,
                                          const GuestJob& job, const ModuleIndex& modules,
                                          const Kernel& kernel, PreparedVm& vm) {
    std::vector<NicPair> pairs;
    if (nic.place == NicPlace::kNicProgram) {
        pairs.push_back(emulated_pair(nic, vm.nic_files.receiver_socket, vm.nic_files.peer_socket));
        if (!nic.driver.empty() && !modules.has(pairs.back().module))
            return Error{ENOENT, "Kernel " + kernel.release + " has no " + pairs.back().module +
                                     " driver; take one with it (\"zcrxlab kernels\"), or --nic " +
                                     std::string(nic_at(NicPlace::kNowhere).name) + "."};
    }
    if (nic.place == NicPlace::kGuestDriver) pairs.push_back(simulated_pair(nic));
    if (nic.place == NicPlace::kPassedIn) {
        auto pair = passed_pair_for(options, modules, kernel);
        if (!pair) return pair.error();
        pairs.push_back(std::move(*pair));
    }
    if (!job.comparison_nics) return pairs;
    for (NicPair& pair : comparison_pairs()) {
        if (modules.has(pair.module)) {
            pairs.push_back(std::move(pair));
        } else {
            vm.notes.push_back("Kernel " + kernel.release + " has no " + pair.module +
                               " driver, so " + pair.name +
                               " is left out; kernels of the amd64 flavour have it.");
        }
    }
    return pairs;
}

Result<void> add_tools(ImageParts& parts, std::vector<std::string>& notes) {
    parts.busybox = host_program("busybox");
    if (parts.busybox.empty())
        return Error{ENOENT, "The guest's tools need BusyBox; type: apt install busybox-static"};
    const auto setup = own_program("zcrx-setup");
    if (!setup) return setup.error();
    parts.programs.push_back({*setup, "/usr/bin/zcrx-setup"});
    for (const char* name : {"ip", "ss", "ethtool"}) {
        const fs::path program = host_program(name);
        if (program.empty()) {
            notes.push_back(std::string("There is no ") + name +
                            " on this machine, so the guest has none; type: apt install " +
                            (std::string(name) == "ethtool" ? "ethtool" : "iproute2"));
        } else {
            parts.programs.push_back({program, std::string("/usr/bin/") + name});
        }
    }
    return {};
}

// Those of --fault; read here, so that a wrong one ends before anything is started.
Result<std::vector<FaultRule>> fault_rules(const VmOptions& options) {
    std::vector<FaultRule> rules;
    for (const std::string& text : options.faults) {
        auto rule = read_fault_rule(text);
        if (!rule)
            return Error{EINVAL,
                         "zcrxlab refuses the fault rule " + text + ": " + rule.error().sentence};
        rules.push_back(*rule);
    }
    return rules;
}

// The same for a NIC inside the guest; they stay when a scenario clears its own.
Result<std::vector<GuestFault>> guest_faults(const NicRow& nic,
                                             const std::vector<FaultRule>& rules) {
    std::vector<GuestFault> faults;
    if (nic.place != NicPlace::kGuestDriver) return faults;
    std::array<size_t, 2> on_port{};
    for (const FaultRule& rule : rules) {
        const auto id = static_cast<uint32_t>(faults.size() + 1);
        auto translated = netdevsim_rule(rule, id, true);
        if (!translated)
            return Error{EINVAL, "The simulated NIC refuses the fault rule " +
                                     fault_rule_text(rule) + ": " + translated.error().sentence};
        if (++on_port.at(translated->port) > kMaximumNetdevsimRules)
            return Error{EINVAL, "The simulated NIC takes at most " +
                                     std::to_string(kMaximumNetdevsimRules) +
                                     " fault rules for each port."};
        faults.push_back({translated->port, std::move(translated->line)});
    }
    return faults;
}

GuestPlan guest_plan_for(const VmOptions& options, const NicRow& nic, const GuestJob& job,
                         const std::vector<NicPair>& pairs, std::vector<GuestFault> faults) {
    GuestPlan plan = job.session;
    plan.arguments = job.arguments;
    plan.interactive = job.interactive;
    // Of a pair without a driver there will be no interfaces.
    for (size_t number = 0; number < pairs.size(); ++number)
        if (!pairs[number].module.empty())
            plan.pairs.push_back(guest_pair(pairs[number], static_cast<unsigned>(number)));
    plan.faults = std::move(faults);
    for (const std::string& text : options.module_parameters)
        if (auto parameter = guest_parameter_from(text)) plan.parameters.push_back(*parameter);
    plan.environment = {{"PATH", "/usr/bin:/bin:/usr/sbin:/sbin"},
                        {"HOME", "/root"},
                        {environment::kTarget, std::string(nic.target)},
                        {environment::kSeed, std::to_string(options.seed)}};
    if (job.dealt) plan.environment.emplace_back(environment::kTurns, "dealt");
    if (nic.place == NicPlace::kNowhere) {
        for (const char* name : {environment::kLocalV4, environment::kRemoteV4})
            plan.environment.emplace_back(name, "127.0.0.1");
        for (const char* name : {environment::kLocalV6, environment::kRemoteV6})
            plan.environment.emplace_back(name, "::1");
    }
    // The guest has the whole card, so there is nobody else to disturb.
    if (nic.place == NicPlace::kPassedIn)
        plan.environment.emplace_back(environment::kDisruptive, "1");
    plan.environment.insert(plan.environment.end(), job.environment.begin(), job.environment.end());
    return plan;
}

// Stock kernels come without it. A kernel that was built with it has that one.
Result<void> add_netdevsim(ModuleIndex& modules, const Kernel& kernel, const NicRow& nic,
                           const Progress& progress) {
    auto file = find_netdevsim(kernel, nic);
    if (!file && modules.has(std::string(nic.driver))) return {};
    if (!file) file = netdevsim_for(kernel, nic, progress);
    if (!file) return file.error();
    modules.add(*file);
    return {};
}

// Puts the user's own modules in the place of the kernel's; their names.
Result<std::vector<std::string>> replace_modules(ModuleIndex& modules, const VmOptions& options,
                                                 const Kernel& kernel) {
    std::vector<std::string> names;
    for (const fs::path& file : options.module_files) {
        Result<std::string> name = modules.replace(file, kernel.release);
        if (!name) return name.error();
        names.push_back(std::move(*name));
    }
    return names;
}

// One that nothing loads would be taken for one that works.
Result<void> check_loaded(const std::vector<std::string>& names,
                          const std::vector<KernelModule>& loaded) {
    for (const std::string& name : names)
        if (std::ranges::find(loaded, name, &KernelModule::name) == loaded.end())
            return Error{EINVAL, "This guest loads no module " + name +
                                     "; --module-file takes the driver of its NIC, or a module "
                                     "that the guest needs."};
    return {};
}

Result<const NicRow*> nic_of(const VmOptions& options) {
    const NicRow* nic = find_nic(options.nic);
    if (nic == nullptr || !is_for_a_vm(*nic))
        return Error{EINVAL, "There is no NIC \"" + options.nic + "\"; there are " +
                                 nic_labels(is_offered, ", ") + "."};
    return nic;
}

Result<void> check(const VmOptions& options, const NicRow& nic) {
    if (!options.peer.empty() && nic.place != NicPlace::kPassedIn)
        return Error{EINVAL, "--peer is for a NIC of this machine; type: --nic " +
                                 nic_label(nic_at(NicPlace::kPassedIn))};
    if (!nic.faults && !options.faults.empty())
        return Error{EINVAL, "--fault needs a NIC of ours; type: --nic " +
                                 nic_labels(takes_faults, ", or --nic ")};
    if (!nic.mutations && !options.mutation.empty())
        return Error{EINVAL, "--mutation needs an emulated NIC; type: --nic " +
                                 nic_labels(takes_mutations, ", or --nic ")};
    if (options.icount && options.accelerator == "kvm")
        return Error{EINVAL,
                     "KVM counts no instructions, and --icount wants an emulated guest; type: "
                     "--icount --accel tcg"};
    if (const unsigned memory = mebibytes(options.memory); memory < 256)
        return Error{EINVAL, "\"" + options.memory +
                                 "\" is no memory size of at least 256M; type: --memory 1G"};
    if (options.cpus > 64) return Error{EINVAL, "A guest can have 1 to 64 CPUs; type: --cpus 2"};
    return {};
}

// Of 2 MiB, that nobody has.
unsigned free_huge_pages() {
    std::ifstream file("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages");
    unsigned pages = 0;
    return file >> pages ? pages : 0;
}

// A NIC waits for about as long as a few packets take to come; on an emulated CPU each takes its
// sender twenty times as long, and ten times that where instructions are counted.
std::chrono::microseconds rsc_hold_for(const VmSettings& settings) {
    if (settings.icount) return std::chrono::milliseconds(20);
    return std::chrono::microseconds(settings.accelerator == Accelerator::kTcg ? 2000 : 100);
}

// CPUs of an emulated guest cost each other time even when they are idle.
unsigned cpus_for(const VmOptions& options, const GuestJob& job, Accelerator accelerator) {
    if (options.cpus != 0) return options.cpus;
    // One thread is all of them then.
    if (options.icount) return 1;
    return accelerator == Accelerator::kTcg && job.beside_another ? 1 : 2;
}

// Whether the machine is one whose guest can be saved before it has devices: emulated, with nothing
// of the person's in it that the saved one would lack, and with the clock of all.
bool can_be_saved(const VmOptions& options, const NicRow& nic, const GuestJob& job,
                  Accelerator accelerator) {
    return accelerator == Accelerator::kTcg && !options.fresh && !options.iommu &&
           !options.icount && !options.print_command && options.vm_arguments.empty() &&
           !job.interactive && !job.arguments.empty() && nic.place != NicPlace::kPassedIn;
}

Result<std::string> waiting_image(const ImageParts& parts) {
    ImageParts waiting;
    waiting.init = parts.init;
    waiting.modules = parts.modules;
    waiting.plan.wait_for_image = true;
    // Each probe takes 0.2 s of an emulated guest.
    waiting.plan.count_receives = parts.plan.count_receives;
    return build_image(waiting);
}

// All but the command that starts it.
Result<PreparedVm> prepare_parts(const VmOptions& options, const GuestJob& job,
                                 const ResultsFolder& out, const Progress& progress) {
    const Result<const NicRow*> row = nic_of(options);
    if (!row) return row.error();
    const NicRow& nic = **row;
    if (auto fit = check(options, nic); !fit) return fit.error();
    if (job.dealt && nic.target.empty())
        return Error{ENOTSUP, "No driver takes the NIC " + options.nic +
                                  ", so that no scenario can run on it; type: zcrxlab exec --nic " +
                                  options.nic};
    if (nic.place == NicPlace::kPassedIn && !job.takes_cards)
        return Error{EINVAL,
                     "Only \"zcrxlab run\" gives a NIC of this machine to a guest; type: "
                     "zcrxlab run --nic " +
                         options.nic};
    Result<std::vector<FaultRule>> rules = fault_rules(options);
    if (!rules) return rules.error();
    Result<std::vector<GuestFault>> faults = guest_faults(nic, *rules);
    if (!faults) return faults.error();
    ImageParts parts;
    auto init = own_program("zcrx-init");
    if (!init) return init.error();
    parts.init = *init;

    Result<QemuProgram> qemu = find_qemu(progress);
    if (!qemu) return qemu.error();
    Result<Kernel> kernel = find_kernel(options.kernel, progress, nic.kernel_flavour);
    if (!kernel) return kernel.error();
    const Result<Accelerator> accelerator = choose_accelerator(options, *qemu, progress);
    if (!accelerator) return accelerator.error();
    Result<ModuleIndex> modules = ModuleIndex::open(kernel->modules);
    if (!modules) return modules.error();
    if (nic.place == NicPlace::kGuestDriver)
        if (auto added = add_netdevsim(*modules, *kernel, nic, progress); !added)
            return added.error();
    const Result<std::vector<std::string>> replaced = replace_modules(*modules, options, *kernel);
    if (!replaced) return replaced.error();
    Result<RunFolder> folder = RunFolder::create();
    if (!folder) return folder.error();

    PreparedVm vm{std::move(*folder), std::move(*kernel), {}, {}, {}, {}, false};
    vm.nic_files = nic_files_in(vm.folder.path(), out);
    Result<std::vector<NicPair>> pairs = choose_pairs(options, nic, job, *modules, vm.kernel, vm);
    if (!pairs) return pairs.error();

    std::vector<std::string> wanted = kTransportModules;
    for (const NicPair& pair : *pairs) {
        if (!pair.module.empty()) wanted.push_back(pair.module);
        if (!pair.peer_module.empty()) wanted.push_back(pair.peer_module);
    }
    wanted.insert(wanted.end(), job.modules_needed.begin(), job.modules_needed.end());
    for (const std::string& module : job.modules)
        if (modules->has(module)) wanted.push_back(module);
    const bool host_files = job.host_files && can_have_host_files(*modules);
    if (host_files) wanted.insert(wanted.end(), {"virtiofs", "overlay"});
    Result<std::vector<KernelModule>> ordered = modules->in_order(wanted);
    if (!ordered) {
        vm.settings.qemu = std::move(*qemu);
        const std::string damage = find_cache_damage(vm, progress);
        if (damage.empty()) return ordered.error();
        return Error{EIO,
                     ordered.error().sentence + " " + damage + " The next run fetches it anew."};
    }
    parts.modules = std::move(*ordered);
    if (auto loaded = check_loaded(*replaced, parts.modules); !loaded) return loaded.error();
    parts.plan = guest_plan_for(options, nic, job, *pairs, std::move(*faults));
    parts.plan.modules_on_demand = job.modules_on_demand;
    parts.files = job.files;
    if (host_files) {
        if (auto shared = share_host_files(job, out, progress, vm, parts.plan); !shared)
            return shared.error();
        if (job.modules_on_demand) show_modules(job, out, progress, vm, parts.plan);
    } else {
        parts.programs = job.programs;
        if (job.host_files) pack_instead(vm, parts.plan);
        if (job.tools)
            if (auto added = add_tools(parts, vm.notes); !added) return added.error();
    }
    const Result<std::string> image = build_image(parts);
    if (!image) return image.error();
    if (auto written = write_file(out.file("guest.cpio"), *image); !written) return written.error();

    VmSettings& settings = vm.settings;
    settings.qemu = std::move(*qemu);
    settings.accelerator = *accelerator;
    settings.icount = options.icount;
    settings.tsc_khz = options.icount ? kIcountTscKhz : host_tsc_khz();
    settings.cpus = cpus_for(options, job, settings.accelerator);
    settings.memory_mib = mebibytes(options.memory);
    settings.kernel = vm.kernel.image;
    settings.image = out.file("guest.cpio");
    settings.iommu = options.iommu;
    // An IOMMU of this machine then has an entry for each 2 MiB and not for each page.
    settings.huge_pages =
        nic.place == NicPlace::kPassedIn && free_huge_pages() * 2 >= settings.memory_mib;
    settings.only_signed_modules = has_unlisted_modules(vm.kernel);
    settings.kernel_arguments = options.kernel_arguments;
    settings.pairs = std::move(*pairs);
    settings.interactive = job.interactive;
    settings.more = split_words(options.vm_arguments);
    if (!job.interactive) settings.records = kRecordsSocket;
    if (nic.place == NicPlace::kNicProgram) {
        auto program = own_program("zcrx-nic");
        if (!program) return program.error();
        settings.control_socket = vm.nic_files.control_socket;
        vm.nic_model = nic.model;
        vm.machine.nic = nic_command(*program, vm.nic_model, vm.nic_files, rsc_hold_for(settings));
        if (!options.mutation.empty())
            vm.machine.nic.insert(vm.machine.nic.end(), {"--mutation", options.mutation});
        vm.machine.control = vm.nic_files.control_socket;
        vm.machine.nic_log = vm.nic_files.log;
        vm.machine.faults = std::move(*rules);
    }
    vm.machine.interactive = job.interactive;
    if (can_be_saved(options, nic, job, *accelerator)) {
        Result<std::string> waiting = waiting_image(parts);
        if (!waiting) return waiting.error();
        vm.waiting_image = std::move(*waiting);
    }
    return vm;
}

}  // namespace

Result<PreparedVm> prepare_vm(const VmOptions& options, const GuestJob& job,
                              const ResultsFolder& out, const Progress& progress) {
    const VmOrder order{job, &out};
    Result<std::vector<PreparedVm>> vms = prepare_vms(options, std::span(&order, 1), progress);
    if (!vms) return vms.error();
    return std::move(vms->front());
}

Result<std::vector<PreparedVm>> prepare_vms(const VmOptions& options,
                                            std::span<const VmOrder> orders,
                                            const Progress& progress) {
    // What is there of folders and processes goes with the error.
    const StopSignals signals;
    std::vector<PreparedVm> vms;
    // What the first one needs is there for the others.
    const Progress silent = [](const std::string&) {};
    for (const VmOrder& order : orders) {
        Result<PreparedVm> vm =
            prepare_parts(options, order.job, *order.out, vms.empty() ? progress : silent);
        if (signals.take()) return Error{EINTR, "Interrupted."};
        if (!vm) return vm.error();
        vms.push_back(std::move(*vm));
    }
    const SaveWhen when = vms.size() > 1 ? SaveWhen::kAtOnce : SaveWhen::kSecondTime;
    const Result<void> chosen = choose_start(vms, when, progress);
    if (signals.take()) return Error{EINTR, "Interrupted."};
    if (!chosen) return chosen.error();
    return vms;
}

std::string command_by_hand(const PreparedVm& vm) {
    // Sockets lie in a folder that the script makes: a name that is known before could be taken.
    const fs::path folder;
    VmSettings settings = vm.settings;
    settings.kernel = fs::absolute(vm.kernel.image);
    if (!settings.records.empty()) settings.records = "file,path=" + (folder / "records").string();
    settings.by_hand = true;
    settings.saved.reset();
    std::string script =
        "# The virtual machine of this run, by hand:\ncd \"$(mktemp -d)\" || exit 1\n";
    if (!vm.machine.nic.empty()) {
        NicFiles files;
        files.receiver_socket = folder / "receiver.sock";
        files.peer_socket = folder / "peer.sock";
        files.control_socket = folder / "control.sock";
        files.capture = folder / "wire.pcapng";
        settings.control_socket = files.control_socket;
        for (NicPair& pair : settings.pairs) {
            if (pair.receiver_socket.empty()) continue;
            pair.receiver_socket = files.receiver_socket;
            pair.peer_socket = files.peer_socket;
        }
        script += quoted_for_shell(nic_command(vm.machine.nic.front(), vm.nic_model, files,
                                               rsc_hold_for(settings))) +
                  " &\nsleep 1\n";
    }
    return script + quoted_for_shell(qemu_command(settings)) + "\n";
}

}  // namespace zcrxlab
