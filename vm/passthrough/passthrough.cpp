// Looks at cards, decides whether they may be taken, and takes them.
#include "vm/passthrough/passthrough.hpp"

#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <filesystem>

#include "harness/base/program.hpp"
#include "harness/lab/driver_table.hpp"
#include "harness/lab/facts.hpp"
#include "harness/lab/guard.hpp"
#include "harness/lab/settings.hpp"
#include "harness/lab/sysfs.hpp"
#include "harness/net/nic.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVfioDriver = "vfio-pci";
constexpr std::chrono::seconds kModuleTime{30};

std::string time_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", parts.tm_year + 1900,
                       parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

Result<JournalPort> port_of(const PortFacts& facts) {
    auto settings = read_settings(facts.interface);
    if (!settings) return settings.error();
    UndoStack undo;
    auto nic = Nic::open(facts.interface, undo);
    if (!nic) return nic.error();
    return JournalPort{facts.interface, facts.address,        facts.pci,
                       facts.driver,    std::move(*settings), nic->snapshot()};
}

std::string described(const PciFunction& function) {
    std::string text =
        fmt::format("{}: {}:{}, {}", function.address, function.vendor, function.device,
                    function.driver.empty() ? "without a driver" : "driver " + function.driver);
    for (const std::string& interface : function.interfaces) text += ", " + interface;
    text +=
        fmt::format(", IOMMU group {}, {} MSI-X vectors, reset by {}",
                    function.group.empty() ? "none" : function.group, function.interrupt_vectors,
                    function.reset_methods.empty() ? "nothing" : function.reset_methods.front());
    return text;
}

Result<void> load(const std::string& module) {
    ProgramOptions bounded;
    bounded.timeout = kModuleTime;
    const auto run = run_program({"modprobe", module}, bounded);
    if (run && run->exit_code == 0) return {};
    return Error{ENOENT, "The kernel module " + module + " cannot be loaded: " +
                             (run ? last_lines(run->output, 1) : run.error().sentence)};
}

}  // namespace

std::vector<std::string> PassthroughPlan::commands() const {
    std::vector<std::string> commands;
    for (const std::string& module : modules) commands.push_back("modprobe " + module);
    for (const SysfsWrite& write : writes) commands.push_back(command_of(write));
    return commands;
}

PassthroughPlan plan_for(const PassthroughFacts& facts) {
    PassthroughPlan plan;
    if (!facts.vfio_pci) plan.modules = {"vfio_iommu_type1", kVfioDriver};
    for (const PciFunction* function : {&facts.nic, &facts.peer}) {
        const std::vector<SysfsWrite> steps = steps_to_driver(*function, kVfioDriver);
        plan.writes.insert(plan.writes.end(), steps.begin(), steps.end());
    }
    return plan;
}

Result<Passthrough> Passthrough::look(const PassthroughOrder& order) {
    Passthrough taken;
    auto facts = passthrough_in_tree("/", order);
    if (!facts) return facts.error();
    taken.facts_ = std::move(*facts);
    auto machine = look_at_machine();
    if (!machine) return machine.error();
    std::vector<std::string> ours;
    for (const PciFunction* function : {&taken.facts_.nic, &taken.facts_.peer})
        ours.insert(ours.end(), function->interfaces.begin(), function->interfaces.end());
    taken.refusals_ = why_not_to_pass(taken.facts_);
    for (const std::string& interface : ours) {
        const auto port = look_at_port(interface);
        if (!port) return port.error();
        for (std::string& reason : why_not_to_take(*port, *machine, ours))
            taken.refusals_.push_back(std::move(reason));
        if (port->pci == taken.facts_.nic.address)
            for (std::string& reason : why_not_testable(*port, driver_row(port->driver)))
                taken.refusals_.push_back(std::move(reason));
        auto journal = port_of(*port);
        if (!journal) return journal.error();
        taken.ports_.push_back(std::move(*journal));
    }
    return taken;
}

std::vector<std::string> Passthrough::description() const {
    return {described(facts_.nic), described(facts_.peer)};
}

std::vector<std::string> Passthrough::refusals() const {
    return refusals_;
}

Journal Passthrough::journal() const {
    Journal journal;
    journal.boot = sysfs_text("/proc/sys/kernel/random/boot_id");
    journal.started = time_now();
    journal.functions = {facts_.nic, facts_.peer};
    journal.ports = ports_;
    return journal;
}

Result<void> Passthrough::take(
    const std::function<Result<void>(const std::string& command)>& each) const {
    const PassthroughPlan todo = plan();
    for (const std::string& module : todo.modules) {
        if (auto told = each("modprobe " + module); !told) return told;
        if (auto loaded = load(module); !loaded) return loaded;
    }
    const PciBus bus = PciBus::of_this_machine();
    for (const SysfsWrite& write : todo.writes) {
        if (auto told = each(command_of(write)); !told) return told;
        if (auto done = bus.write(write); !done) return done;
    }
    for (const PciFunction* function : {&facts_.nic, &facts_.peer}) {
        const auto now = bus.read(function->address);
        if (!now) return now.error();
        if (now->driver != kVfioDriver)
            return Error{EIO, function->address +
                                  " was not taken by vfio-pci; to see why, type: "
                                  "dmesg | tail"};
        const fs::path group = fs::path("/dev/vfio") / now->group;
        std::error_code error;
        if (!fs::exists(group, error))
            return Error{ENOENT, "There is no " + group.string() +
                                     ", which QEMU needs to take the card; to see why, type: "
                                     "dmesg | tail"};
    }
    return {};
}

}  // namespace zcrxlab
