// Trying whether a guest runs under KVM: a few instructions of our own, then QEMU's firmware.
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/kvm.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>

#include "harness/base/fd.hpp"
#include "harness/base/mapping.hpp"
#include "harness/base/program.hpp"
#include "vm/qemu/probe_guest.hpp"
#include "vm/qemu/qemu_program.hpp"

namespace zcrxlab {
namespace {

using Clock = std::chrono::steady_clock;

// There are machines where KVM opens and a guest's privileged code is emulated one instruction at a
// time, if at all; no kernel gets anywhere there, and the probe guest would need minutes.
constexpr auto kInstructionsTime = std::chrono::milliseconds(1000);
constexpr auto kFirmwareTime = std::chrono::milliseconds(1500);
// TCG needs a third of a second on an idle machine.
constexpr auto kFirmwareTimeTcg = std::chrono::seconds(20);
// For either half where a person insists on KVM.
constexpr auto kInsistedTime = std::chrono::seconds(60);
constexpr auto kPoll = std::chrono::milliseconds(2);

// What the child tells: how far it came, and the errno or exit reason that stopped it.
struct Outcome {
    char step[48];
    int code;
    uint32_t exit_reason;
    bool done;
};

void stopped_at(Outcome& outcome, const char* step, int code) {
    std::strncpy(outcome.step, step, sizeof(outcome.step) - 1);
    outcome.code = code;
}

// struct kvm_cpuid2 and KVM_SET_CPUID2. The header's own have another size, and so another number,
// in C++ than in C, where the empty struct in front of a flexible array takes no room.
struct Cpuid {
    uint32_t count;
    uint32_t padding;
    kvm_cpuid_entry2 entries[2];
};
constexpr unsigned long kSetCpuid = _IOC(_IOC_WRITE, KVMIO, 0x90, 2 * sizeof(uint32_t));

// KVM refuses long mode to a guest whose CPUID does not tell of it (Linux 5.1 and later).
bool tell_of_long_mode(int cpu) {
    constexpr uint32_t kExtended = 0x80000000;
    constexpr uint32_t kLongMode = 1U << 29;  // in EDX of the leaf behind it
    Cpuid cpuid{2, 0, {}};
    cpuid.entries[0].function = kExtended;
    cpuid.entries[0].eax = kExtended + 1;
    cpuid.entries[1].function = kExtended + 1;
    cpuid.entries[1].edx = kLongMode;
    return ::ioctl(cpu, kSetCpuid, &cpuid) == 0;
}

// In the child, which may be stuck in KVM_RUN until it is killed. Allocates nothing.
void run_guest(std::byte* memory, Outcome& outcome) {
    const Fd kvm(::open("/dev/kvm", O_RDWR | O_CLOEXEC));
    if (!kvm) return stopped_at(outcome, "open /dev/kvm", errno);
    if (::ioctl(kvm.get(), KVM_GET_API_VERSION, 0) != KVM_API_VERSION)
        return stopped_at(outcome, "KVM_GET_API_VERSION", ENODEV);
    const Fd vm(::ioctl(kvm.get(), KVM_CREATE_VM, 0));
    if (!vm) return stopped_at(outcome, "KVM_CREATE_VM", errno);
    kvm_userspace_memory_region region{};
    region.memory_size = probe_guest::kMemorySize;
    region.userspace_addr = reinterpret_cast<uintptr_t>(memory);
    if (::ioctl(vm.get(), KVM_SET_USER_MEMORY_REGION, &region) != 0)
        return stopped_at(outcome, "KVM_SET_USER_MEMORY_REGION", errno);
    const Fd cpu(::ioctl(vm.get(), KVM_CREATE_VCPU, 0));
    if (!cpu) return stopped_at(outcome, "KVM_CREATE_VCPU", errno);
    if (!tell_of_long_mode(cpu.get())) return stopped_at(outcome, "KVM_SET_CPUID2", errno);
    const int run_size = ::ioctl(kvm.get(), KVM_GET_VCPU_MMAP_SIZE, 0);
    if (run_size < static_cast<int>(sizeof(kvm_run)))
        return stopped_at(outcome, "KVM_GET_VCPU_MMAP_SIZE", ENODEV);
    void* shared = ::mmap(nullptr, static_cast<size_t>(run_size), PROT_READ | PROT_WRITE,
                          MAP_SHARED, cpu.get(), 0);
    if (shared == MAP_FAILED) return stopped_at(outcome, "mmap of kvm_run", errno);
    auto* run = static_cast<kvm_run*>(shared);

    kvm_sregs segments{};
    if (::ioctl(cpu.get(), KVM_GET_SREGS, &segments) != 0)
        return stopped_at(outcome, "KVM_GET_SREGS", errno);
    segments.cs.base = 0;
    segments.cs.selector = 0;
    kvm_regs registers{};
    registers.rip = probe_guest::kStart;
    registers.rflags = 2;
    if (::ioctl(cpu.get(), KVM_SET_SREGS, &segments) != 0)
        return stopped_at(outcome, "KVM_SET_SREGS", errno);
    if (::ioctl(cpu.get(), KVM_SET_REGS, &registers) != 0)
        return stopped_at(outcome, "KVM_SET_REGS", errno);

    stopped_at(outcome, "KVM_RUN", 0);
    int result = 0;
    do {
        result = ::ioctl(cpu.get(), KVM_RUN, 0);
    } while (result != 0 && errno == EINTR);
    if (result != 0) return stopped_at(outcome, "KVM_RUN", errno);
    outcome.exit_reason = run->exit_reason;
    if (run->exit_reason != KVM_EXIT_IO || run->io.port != probe_guest::kDonePort ||
        run->io.size != 1)
        return;
    const auto* said = reinterpret_cast<const std::byte*>(run) + run->io.data_offset;
    uint64_t sum = 0;
    std::memcpy(&sum, memory + probe_guest::kSumAt, sizeof(sum));
    outcome.done =
        static_cast<uint8_t>(*said) == probe_guest::kDoneValue && sum == probe_guest::kSum;
}

// False if `child` had to be killed. A process that even SIGKILL does not end is left behind.
bool ends_in_time(pid_t child, Clock::duration bound) {
    const auto deadline = Clock::now() + bound;
    while (Clock::now() < deadline) {
        if (::waitpid(child, nullptr, WNOHANG) == child) return true;
        std::this_thread::sleep_for(kPoll);
    }
    ::kill(child, SIGKILL);
    for (int tries = 0; tries < 100 && ::waitpid(child, nullptr, WNOHANG) == 0; ++tries)
        std::this_thread::sleep_for(kPoll);
    return false;
}

Error does_not_run(const std::string& why) {
    return Error{EIO, "A guest does not run under KVM here: " + why +
                          ". Emulation works in its place: --accel tcg"};
}

}  // namespace

Result<void> probe_kvm_device(KvmSpeed speed) {
    const Fd kvm(::open("/dev/kvm", O_RDWR | O_CLOEXEC));
    if (!kvm && (errno == EACCES || errno == EPERM))
        return Error{EACCES,
                     "/dev/kvm is there, but you may not use it. Type: "
                     "sudo usermod -aG kvm $USER, and log in again"};
    if (!kvm)
        return Error{ENODEV,
                     "There is no KVM here (/dev/kvm: " + std::string(std::strerror(errno)) +
                         "). Switch on virtualization in the firmware, or nested virtualization "
                         "on the host, and type: sudo modprobe -a kvm_intel kvm_amd"};

    const auto memory =
        Mapping::map(probe_guest::kMemorySize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS);
    if (!memory) return memory.error();
    const auto told =
        Mapping::map(sizeof(Outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS);
    if (!told) return told.error();
    probe_guest::lay_out(memory->bytes());
    auto& outcome = *new (told->data()) Outcome{};

    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) return error_from_errno("fork");
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() == parent) run_guest(memory->data(), outcome);
        ::_exit(0);
    }
    const std::chrono::milliseconds bound =
        speed == KvmSpeed::kAny ? kInsistedTime : kInstructionsTime;
    const bool in_time = ends_in_time(child, bound);
    if (outcome.done) return {};
    if (!in_time)
        return does_not_run(fmt::format(
            "its first instructions are not done after {} ms, as if it were emulated (is this a "
            "virtual machine without nested virtualization?)",
            bound.count()));
    if (outcome.code != 0)
        return does_not_run(std::string(outcome.step) + ": " + std::strerror(outcome.code));
    return does_not_run(fmt::format("it stopped with KVM exit reason {}", outcome.exit_reason));
}

Result<void> probe_firmware(const QemuProgram& qemu, Accelerator accelerator, KvmSpeed speed) {
    const bool kvm = accelerator == Accelerator::kKvm;
    std::vector<std::string> command = qemu.command;
    const std::vector<std::string> options = {"-machine",
                                              kvm ? "q35,accel=kvm" : "q35,accel=tcg",
                                              "-cpu",
                                              kvm ? "host" : "max",
                                              "-m",
                                              "16",
                                              "-nodefaults",
                                              "-no-user-config",
                                              "-display",
                                              "none",
                                              "-no-reboot",
                                              "-boot",
                                              "menu=off",
                                              "-chardev",
                                              "stdio,id=log,signal=off",
                                              "-device",
                                              "isa-debugcon,iobase=0x402,chardev=log"};
    command.insert(command.end(), options.begin(), options.end());
    bool looked_for_system = false;
    ProgramOptions bounded;
    bounded.timeout = kFirmwareTimeTcg;
    if (kvm) bounded.timeout = kFirmwareTime;
    if (kvm && speed == KvmSpeed::kAny) bounded.timeout = kInsistedTime;
    // The firmware has then set up paging, devices and interrupts, and has nothing to boot.
    bounded.on_line = [&looked_for_system](const std::string& line) {
        looked_for_system = line.find("Booting from") != std::string::npos;
        return !looked_for_system;
    };
    const auto run = run_program(command, bounded);
    if (!run) return run.error();
    if (looked_for_system) return {};
    const std::string why = run->timed_out ? fmt::format("QEMU's firmware is not done after {} ms",
                                                         bounded.timeout->count())
                                           : "QEMU ended with: " + last_lines(run->output, 2);
    if (kvm) return does_not_run(why);
    return Error{EIO, "A guest does not run in QEMU here: " + why +
                          ". Look at the machine with: vm/zcrxlab doctor"};
}

Result<void> probe_kvm(const QemuProgram& qemu, KvmSpeed speed) {
    if (const auto device = probe_kvm_device(speed); !device) return device.error();
    return probe_firmware(qemu, Accelerator::kKvm, speed);
}

}  // namespace zcrxlab
