// zcrx-dpdk FOLDER: in the guest, gives both NICs to DPDK of that folder and asks its driver what
// ci/acceptance compares.
#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "harness/base/exit_code.hpp"
#include "harness/base/result.hpp"
#include "harness/base/slowness.hpp"
#include "tests/acceptance/dpdk/session.hpp"
#include "tests/acceptance/dpdk/testpmd.hpp"

namespace zcrxlab::dpdk {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVendor = "0x1ae0";  // Google, drivers/net/gve/base/gve_register.h
constexpr unsigned kHugePages = 300;       // of 2 MiB
constexpr const char* kHugePlace = "/run/zcrx-dpdk-pages";
constexpr const char* kRuntimePlace = "/run/zcrx-dpdk";

std::string first_line(const fs::path& file) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line;
}

bool write_line(const fs::path& file, const std::string& line) {
    std::ofstream out(file);
    out << line << std::endl;
    return out.good();
}

// Takes the NICs from the kernel's driver. Their addresses.
Result<std::vector<std::string>> take_nics() {
    std::vector<std::string> taken;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator("/sys/bus/pci/devices", code)) {
        const fs::path device = entry.path();
        if (first_line(device / "vendor") != kVendor) continue;
        const std::string address = device.filename().string();
        write_line(device / "driver_override", "vfio-pci");
        if (fs::exists(device / "driver", code)) write_line(device / "driver/unbind", address);
        write_line("/sys/bus/pci/drivers_probe", address);
        if (fs::read_symlink(device / "driver", code).filename() != "vfio-pci")
            return Error{ENODEV, "vfio-pci does not take " + address +
                                     "; the guest needs --iommu and --module vfio-pci."};
        taken.push_back(address);
    }
    if (taken.size() != 2)
        return Error{ENODEV, fmt::format("There are {} NICs instead of 2.", taken.size())};
    return taken;
}

Result<void> make_huge_pages() {
    write_line("/proc/sys/vm/nr_hugepages", std::to_string(kHugePages));
    if (first_line("/proc/sys/vm/nr_hugepages") != std::to_string(kHugePages))
        return Error{ENOMEM, "There is not enough memory for huge pages; type: --memory 2G"};
    ::mkdir(kHugePlace, 0700);
    if (::mount("none", kHugePlace, "hugetlbfs", 0, nullptr) != 0)
        return error_from_errno("mount hugetlbfs");
    return {};
}

// The packages' program runs with the loader and the libraries that came with it. Without -d it
// would look for drivers where Debian has them, with --in-memory it leaves no files.
std::vector<std::string> command(const fs::path& root, const std::vector<std::string>& nics) {
    const fs::path libraries = root / "usr/lib/x86_64-linux-gnu";
    std::vector<std::string> words = {(libraries / "ld-linux-x86-64.so.2").string(),
                                      "--library-path", libraries.string(),
                                      (root / "usr/bin/dpdk-testpmd").string(), "--in-memory"};
    const auto add = [&](std::initializer_list<std::string> more) {
        words.insert(words.end(), more);
    };
    add({"-l", "0,1"});
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(libraries / "dpdk", code))
        for (const char* driver :
             {"librte_bus_pci.so", "librte_mempool_ring.so", "librte_net_gve.so"})
            add({"-d", (entry.path() / driver).string()});
    for (const std::string& nic : nics) add({"-a", nic});
    const std::string queues = std::to_string(kQueues);
    add({"--", "-i", "--rxq=" + queues, "--txq=" + queues, "--nb-cores=1", "--rss-udp",
         "--txonly-multi-flow", "--total-num-mbufs=32768"});
    return words;
}

Result<void> run(const fs::path& root) {
    const auto nics = take_nics();
    if (!nics) return nics.error();
    if (auto made = make_huge_pages(); !made) return made;
    ::mkdir(kRuntimePlace, 0700);
    ::setenv("XDG_RUNTIME_DIR", kRuntimePlace, 1);
    auto testpmd = Testpmd::start(command(root, *nics), scaled(std::chrono::seconds(60)));
    if (!testpmd) return testpmd.error();
    return run_session(*testpmd);
}

}  // namespace
}  // namespace zcrxlab::dpdk

int main(int argc, char** argv) try {
    if (argc != 2) {
        fmt::print(stderr, "usage: zcrx-dpdk FOLDER   (in a guest; see ci/acceptance)\n");
        return zcrxlab::kExitUsage;
    }
    const auto done = zcrxlab::dpdk::run(argv[1]);
    if (done) return zcrxlab::kExitPassed;
    fmt::print(stderr, "zcrx-dpdk: {}\n", done.error().sentence);
    return zcrxlab::kExitFailed;
} catch (const std::exception& error) {
    fmt::print(stderr, "zcrx-dpdk: {}\n", error.what());
    return zcrxlab::kExitFailed;
}
