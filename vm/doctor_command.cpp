// zcrxlab doctor: what of this machine works, what does not, and the command that mends it.
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "vm/boot/qemu_program.hpp"
#include "vm/boot/run_folder.hpp"
#include "vm/commands.hpp"
#include "vm/kernel/cache.hpp"
#include "vm/kernel/kernel.hpp"
#include "vm/programs.hpp"

namespace zcrxlab {

namespace {

constexpr uint64_t kMib = 1024 * 1024;
// QEMU, a kernel, and room to unpack them.
constexpr uint64_t kCacheNeed = 600 * kMib;

enum class Health { kGood, kNote, kBad };

class Doctor {
  public:
    void say(Health health, const std::string& what, const std::string& cure = "") {
        static constexpr std::array kWords{"ok  ", "note", "FAIL"};
        fmt::print("{}  {}\n", kWords[static_cast<size_t>(health)], what);
        if (!cure.empty()) fmt::print("      {}\n", cure);
        if (health == Health::kBad) ++bad_;
    }
    int bad() const { return bad_; }

  private:
    int bad_ = 0;
};

void examine_programs(Doctor& doctor) {
    for (const char* name : {"zcrx-init", "zcrx-nic", "zcrx-scenarios"}) {
        const auto program = own_program(name);
        if (program)
            doctor.say(Health::kGood, fmt::format("{} is built ({})", name, program->string()));
        else
            doctor.say(Health::kBad, program.error().sentence);
    }
}

void examine_qemu(Doctor& doctor) {
    const auto qemu = find_local_qemu();
    if (!qemu && qemu.error().code == EINVAL)
        return doctor.say(Health::kBad, qemu.error().sentence);
    if (!qemu)
        return doctor.say(Health::kNote, qemu.error().sentence,
                          "The first run fetches one into the cache (40 MB), without root.");
    doctor.say(Health::kGood, fmt::format("QEMU {} ({})", qemu->version, qemu->origin));
    const auto kvm = probe_kvm(*qemu);
    if (kvm)
        doctor.say(Health::kGood, "KVM: a guest really runs under it");
    else
        doctor.say(Health::kNote, "No KVM, so QEMU emulates the CPU; all works, slower",
                   kvm.error().sentence);
}

void examine_kernels(Doctor& doctor) {
    const auto kernels = list_kernels([](const std::string&) {});
    if (!kernels) return doctor.say(Health::kBad, kernels.error().sentence);
    size_t cached = 0;
    std::string standard = "none";
    bool standard_cached = false;
    for (const KernelChoice& kernel : *kernels) {
        cached += kernel.cached ? 1 : 0;
        if (!kernel.standard) continue;
        standard = kernel.version;
        standard_cached = kernel.cached;
    }
    const std::string counts =
        fmt::format("{} kernels can be had, {} are on this machine; the default is {}",
                    kernels->size(), cached, standard);
    if (kernels->empty())
        doctor.say(Health::kBad, "No kernel can be had", "Name one: --kernel BZIMAGE");
    else if (standard_cached)
        doctor.say(Health::kGood, counts);
    else
        doctor.say(Health::kNote, counts, "The first run fetches it into the cache.");
}

void examine_cache(Doctor& doctor) {
    const auto cache = Cache::from_environment();
    if (!cache) return doctor.say(Health::kBad, cache.error().sentence);
    const auto free = cache->free_bytes();
    if (!free)
        doctor.say(Health::kBad, free.error().sentence, "Name another folder in ZCRXLAB_CACHE.");
    else if (*free < kCacheNeed)
        doctor.say(Health::kNote,
                   fmt::format("The cache {} has room for {} MiB; a fresh one takes {}",
                               cache->root().string(), *free / kMib, kCacheNeed / kMib),
                   "Free some, or name another folder in ZCRXLAB_CACHE.");
    else
        doctor.say(Health::kGood,
                   fmt::format("cache {}, {} MiB free", cache->root().string(), *free / kMib));
}

void examine_memory(Doctor& doctor, const VmOptions& options) {
    std::ifstream info("/proc/meminfo");
    std::string key;
    uint64_t kilobytes = 0;
    for (std::string line; std::getline(info, line);)
        if (line.compare(0, 13, "MemAvailable:") == 0) kilobytes = std::stoull(line.substr(13));
    const uint64_t available = kilobytes / 1024;
    const uint64_t need = mebibytes(options.memory) + 256;
    const std::string text =
        fmt::format("{} MiB of memory are free; a run takes up to {}", available, need);
    if (available < need)
        doctor.say(Health::kNote, text, "Take less: --memory 512M");
    else
        doctor.say(Health::kGood, text);
}

void examine_tools(Doctor& doctor) {
    struct Tool {
        const char* name;
        const char* package;
    };
    static constexpr std::array<Tool, 4> kTools{{{"busybox", "busybox-static"},
                                                 {"ip", "iproute2"},
                                                 {"ss", "iproute2"},
                                                 {"ethtool", "ethtool"}}};
    for (const Tool& tool : kTools) {
        const auto program = host_program(tool.name);
        if (!program.empty())
            doctor.say(Health::kGood, fmt::format("{} for the guest's shell", program.string()));
        else
            doctor.say(Health::kNote,
                       fmt::format("There is no {}; the guest's shell goes without", tool.name),
                       fmt::format("Type: apt install {}", tool.package));
    }
}

}  // namespace

int doctor_command(const VmOptions& options) {
    Doctor doctor;
    utsname host{};
    ::uname(&host);
    doctor.say(std::string(host.machine) == "x86_64" ? Health::kGood : Health::kBad,
               fmt::format("{} {} on {}, {} CPUs", host.sysname, host.release, host.machine,
                           ::sysconf(_SC_NPROCESSORS_ONLN)),
               std::string(host.machine) == "x86_64" ? "" : "Only x86-64 hosts are supported.");
    examine_programs(doctor);
    examine_qemu(doctor);
    examine_kernels(doctor);
    examine_cache(doctor);
    examine_memory(doctor, options);
    const auto folder = RunFolder::create();
    if (folder)
        doctor.say(Health::kGood,
                   fmt::format("sockets go to {}", folder->path().parent_path().string()));
    else
        doctor.say(Health::kBad, folder.error().sentence,
                   "Name a folder that can be written in XDG_RUNTIME_DIR.");
    examine_tools(doctor);
    if (doctor.bad() == 0) {
        fmt::print("\nThis machine can run it; type: zcrxlab run\n");
        return 0;
    }
    fmt::print("\n{} to be mended before a run.\n",
               doctor.bad() == 1 ? "One thing has" : fmt::format("{} things have", doctor.bad()));
    return 1;
}

}  // namespace zcrxlab
