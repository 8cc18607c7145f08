// Looks at each thing that a run needs of the machine, and adds what it found.
#include "cli/doctor/examination.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/base/fd.hpp"
#include "harness/base/file.hpp"
#include "harness/base/program.hpp"
#include "kernels/kernel.hpp"
#include "kernels/kernel_store.hpp"
#include "kernels/packages/apt.hpp"
#include "kernels/packages/archive.hpp"
#include "kernels/packages/cache.hpp"
#include "kernels/packages/manifest.hpp"
#include "kernels/standard.hpp"
#include "vm/qemu/kvm_verdict.hpp"
#include "vm/qemu/qemu_program.hpp"

namespace zcrxlab {
namespace {

using Health = Diagnosis::Health;

// QEMU and a kernel, packed and unpacked at once.
constexpr uint64_t kCacheNeed = 700'000'000;
// QEMU itself, the device and its log, beside the guest's memory.
constexpr uint64_t kMemoryBesideGuest = 256u << 20;
constexpr size_t kSmallFile = 65536;

Diagnosis good(const std::string& sentence) {
    return {Health::kGood, sentence, ""};
}
Diagnosis note(const std::string& sentence, const std::string& cure = "") {
    return {Health::kNote, sentence, cure};
}
Diagnosis bad(const std::string& sentence, const std::string& cure = "") {
    return {Health::kBad, sentence, cure};
}

Diagnosis examine_machine() {
    utsname host{};
    ::uname(&host);
    const std::string text = fmt::format("{} {} on {}, {} CPUs", host.sysname, host.release,
                                         host.machine, ::sysconf(_SC_NPROCESSORS_ONLN));
    if (std::string_view(host.machine) == "x86_64") return good(text);
    return bad(text + ": the guest is an x86-64 machine and runs our own programs",
               "Take an x86-64 machine");
}

void examine_packages(const Examination& examination, std::vector<Diagnosis>& diagnoses) {
    const auto list = read_file(examination.source / "ci/packages", kSmallFile);
    if (!list || !program_exists("dpkg-query")) return;
    constexpr std::pair<const char*, const char*> kPurposes[] = {
        {"run", "building and running"}, {"test", "the tests"}, {"kernel", "building kernels"}};
    for (const auto& [purpose, what] : kPurposes) {
        const auto packages = packages_for(*list, purpose);
        std::vector<std::string> query{"dpkg-query", "-W", "-f",
                                       "${db:Status-Status}:${Package}\\n"};
        query.insert(query.end(), packages.begin(), packages.end());
        const auto run = run_program(query);
        if (!run) return;
        const auto missing = missing_packages(packages, run->output);
        const bool for_run = std::string_view(purpose) == "run";
        if (missing.empty())
            diagnoses.push_back(good(fmt::format("packages for {} are installed", what)));
        else
            diagnoses.push_back(
                {for_run ? Health::kBad : Health::kNote,
                 fmt::format("{} packages for {} are missing", missing.size(), what),
                 fmt::format("sudo apt-get install -y --no-install-recommends {}",
                             fmt::join(missing, " "))});
    }
}

void examine_compiler(std::vector<Diagnosis>& diagnoses) {
    constexpr unsigned kOldest = 12;
    if (!program_exists("g++")) return;
    const auto run = run_program({"g++", "-dumpversion"});
    const auto version = run ? Version::parse(run->output) : std::nullopt;
    if (!version) return;
    const std::string text = "g++ " + version->text();
    diagnoses.push_back(version->numbers[0] >= kOldest
                            ? good(text)
                            : bad(text + " is too old for C++20; 12 will do",
                                  "sudo apt-get install -y g++-12; export CXX=g++-12"));
}

// Reads each file of a package set, which a run looks at only from outside.
Result<void> look_wholly_at(const std::filesystem::path& set) {
    if (set.empty()) return {};
    const Result<void> whole = check_manifest(set, Look::kWhole);
    if (!whole && whole.error().code == EIO) mark_damaged(set);
    return whole;
}

void examine_qemu(std::vector<Diagnosis>& diagnoses) {
    const auto qemu = find_local_qemu();
    const Result<void> whole = qemu ? look_wholly_at(qemu->set) : Result<void>();
    if (!whole) {
        diagnoses.push_back(note(whole.error().sentence, "The next run fetches it anew"));
        return;
    }
    if (qemu) {
        diagnoses.push_back(good(fmt::format("QEMU {} ({}){}", qemu->version, qemu->origin,
                                             qemu->set.empty() ? "" : ", each file as fetched")));
        if (const auto runs = probe_firmware(*qemu, Accelerator::kTcg); !runs)
            diagnoses.push_back(bad(runs.error().sentence));
    } else if (qemu.error().code == ENOENT) {
        diagnoses.push_back(note(qemu.error().sentence,
                                 "The first run fetches one into the cache (40 MB), without root"));
    } else {
        diagnoses.push_back(bad(qemu.error().sentence));
    }
    const auto kvm = qemu ? probe_kvm(*qemu) : probe_kvm_device();
    kvm_verdict().remember(kvm);
    if (kvm)
        diagnoses.push_back(good("KVM: a guest really runs under it"));
    else
        diagnoses.push_back(
            note("no KVM, so the CPU is emulated; all works, but slower", kvm.error().sentence));
}

void examine_mirror(const Examination& examination, std::vector<Diagnosis>& diagnoses) {
    const auto cache = Cache::from_environment();
    if (!cache) return;
    if (!program_exists("apt-get") || !program_exists("dpkg-deb")) {
        diagnoses.push_back(note("there is no apt-get here, so nothing can be fetched",
                                 "Name what is there: ZCRXLAB_QEMU=..., --kernel BZIMAGE"));
        return;
    }
    // A cache that cannot be written is told of further down.
    if (!cache->check_writable()) return;
    const auto lock = cache->lock({});
    if (!lock) return;
    const auto archive = find_archive(*cache);
    if (!archive) {
        diagnoses.push_back(note("packages cannot be fetched", archive.error().sentence));
        return;
    }
    const std::string text =
        fmt::format("mirror {}, keys {}", archive->mirror, archive->keyring.string());
    const KernelStore store(*cache);
    const std::string suite(standard::kKernelSuites.front());
    if (!examination.network || store.list_age(suite) < kListsStayFresh) {
        diagnoses.push_back(good(text));
        return;
    }
    const auto lists = store.refresh(suite, {});
    diagnoses.push_back(lists ? good(text + ", answers and is signed")
                              : note(text, lists.error().sentence));
}

void examine_kernels(std::vector<Diagnosis>& diagnoses) {
    const auto kernels = known_kernels();
    if (!kernels) return diagnoses.push_back(bad(kernels.error().sentence));
    const auto standard = std::find_if(kernels->begin(), kernels->end(),
                                       [](const KernelChoice& kernel) { return kernel.standard; });
    const auto cached = std::count_if(kernels->begin(), kernels->end(),
                                      [](const KernelChoice& kernel) { return kernel.cached; });
    const std::string counts = fmt::format("{} kernels can be had, {} of them are on this machine",
                                           kernels->size(), cached);
    if (standard == kernels->end())
        diagnoses.push_back(bad(counts + "; none of them will do as the default",
                                "Name one: vm/zcrxlab run --kernel BZIMAGE"));
    else if (standard->cached)
        diagnoses.push_back(good(counts + "; the default is " + standard->version));
    else
        diagnoses.push_back(note(counts + "; the default is " + standard->version,
                                 "The first run fetches it into the cache (40 MB), without root"));
}

void examine_cached_kernels(std::vector<Diagnosis>& diagnoses) {
    const auto cache = Cache::from_environment();
    if (!cache) return;
    size_t whole = 0;
    for (const CachedKernel& kernel : KernelStore(*cache).cached()) {
        const Result<void> looked = look_wholly_at(kernel.kernel.set);
        whole += looked ? 1 : 0;
        if (!looked)
            diagnoses.push_back(note(looked.error().sentence, "The next run fetches it anew"));
    }
    if (whole != 0)
        diagnoses.push_back(
            good(fmt::format("{} kernels in the cache, each file as fetched", whole)));
}

void examine_cache(std::vector<Diagnosis>& diagnoses) {
    const auto cache = Cache::from_environment();
    if (!cache) return diagnoses.push_back(bad(cache.error().sentence));
    if (const auto trial = cache->check_writable(); !trial)
        return diagnoses.push_back(bad(trial.error().sentence));
    const auto free = cache->free_bytes();
    if (!free) return diagnoses.push_back(bad(free.error().sentence));
    const std::string text =
        fmt::format("cache {}, {} free", cache->root().string(), megabytes(*free));
    if (*free >= kCacheNeed) return diagnoses.push_back(good(text));
    diagnoses.push_back(note(fmt::format("{}; a fresh one takes {}", text, megabytes(kCacheNeed)),
                             "export ZCRXLAB_CACHE=/path/with/space"));
}

uint64_t available_memory() {
    const auto info = read_file("/proc/meminfo", kSmallFile);
    constexpr std::string_view kKey = "MemAvailable:";
    const size_t start = info ? info->find(kKey) : std::string::npos;
    if (start == std::string::npos) return 0;
    std::istringstream rest(info->substr(start + kKey.size()));
    uint64_t kilobytes = 0;
    rest >> kilobytes;
    return kilobytes * 1024;
}

// The device maps the guest's memory from a memfd that QEMU makes; nothing is mounted for it, but
// a container may limit it.
void examine_memory(const Examination& examination, std::vector<Diagnosis>& diagnoses) {
    const uint64_t need = examination.guest_memory + kMemoryBesideGuest;
    const uint64_t available = available_memory();
    const std::string text = fmt::format("{} of memory are free; a run takes up to {}",
                                         megabytes(available), megabytes(need));
    diagnoses.push_back(available >= need ? good(text) : note(text, "Take less: --memory 512M"));

    const Fd shared(::memfd_create("zcrxlab-doctor", MFD_CLOEXEC));
    if (!shared || ::ftruncate(shared.get(), static_cast<off_t>(examination.guest_memory)) != 0)
        diagnoses.push_back(bad(fmt::format("the guest's memory cannot be shared with the device: "
                                            "memfd_create: {}",
                                            std::strerror(errno)),
                                "Allow memfd_create in this container"));

    rlimit locked{};
    if (::getrlimit(RLIMIT_MEMLOCK, &locked) == 0 && locked.rlim_cur != RLIM_INFINITY)
        diagnoses.push_back(
            good(fmt::format("memory that may be locked: {} (runs in a virtual machine need none)",
                             megabytes(locked.rlim_cur))));
}

}  // namespace

std::vector<Diagnosis> examine(const Examination& examination) {
    std::vector<Diagnosis> diagnoses{examine_machine()};
    if (!examination.source.empty()) examine_packages(examination, diagnoses);
    examine_compiler(diagnoses);
    examine_qemu(diagnoses);
    examine_mirror(examination, diagnoses);
    examine_kernels(diagnoses);
    examine_cached_kernels(diagnoses);
    examine_cache(diagnoses);
    examine_memory(examination, diagnoses);
    return diagnoses;
}

std::string doctor_text(const std::vector<Diagnosis>& diagnoses) {
    std::string text;
    long bad_count = 0;
    for (const Diagnosis& diagnosis : diagnoses) {
        const char* word = diagnosis.health == Health::kGood   ? "ok  "
                           : diagnosis.health == Health::kNote ? "note"
                                                               : "FAIL";
        text += fmt::format("{}  {}\n", word, diagnosis.sentence);
        if (!diagnosis.cure.empty()) text += fmt::format("      {}\n", diagnosis.cure);
        bad_count += diagnosis.health == Health::kBad ? 1 : 0;
    }
    if (bad_count == 0) return text + "\nThis machine can run it; type: vm/zcrxlab run\n";
    return text +
           fmt::format("\n{} to be mended before a run.\n",
                       bad_count == 1 ? "One thing has" : fmt::format("{} things have", bad_count));
}

std::string doctor_json(const std::vector<Diagnosis>& diagnoses) {
    nlohmann::json list = nlohmann::json::array();
    for (const Diagnosis& diagnosis : diagnoses)
        list.push_back({{"health", diagnosis.health == Health::kGood   ? "ok"
                                   : diagnosis.health == Health::kNote ? "note"
                                                                       : "fail"},
                        {"sentence", diagnosis.sentence},
                        {"cure", diagnosis.cure}});
    // Names of files may be any bytes.
    return list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

int doctor_exit_code(const std::vector<Diagnosis>& diagnoses) {
    const bool any_bad =
        std::any_of(diagnoses.begin(), diagnoses.end(),
                    [](const Diagnosis& diagnosis) { return diagnosis.health == Health::kBad; });
    return any_bad ? 1 : 0;
}

std::vector<std::string> packages_for(const std::string& text, const std::string& purpose) {
    std::vector<std::string> packages;
    std::istringstream lines(text);
    std::string line;
    while (std::getline(lines, line)) {
        std::istringstream fields(line);
        std::string name;
        std::string for_what;
        fields >> name >> for_what;
        if (!name.empty() && name.front() != '#' && for_what == purpose) packages.push_back(name);
    }
    return packages;
}

std::vector<std::string> missing_packages(const std::vector<std::string>& packages,
                                          const std::string& dpkg_output) {
    const std::string all = "\n" + dpkg_output;
    std::vector<std::string> missing;
    for (const std::string& package : packages)
        if (all.find("\ninstalled:" + package + "\n") == std::string::npos)
            missing.push_back(package);
    return missing;
}

}  // namespace zcrxlab
