// Keeps the sentence of a failed probe beside the name of the boot in which it failed.
#include "vm/qemu/kvm_verdict.hpp"

#include <chrono>
#include <string>

#include "harness/base/file.hpp"
#include "kernels/packages/cache.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

// A machine that was too busy for the probe once is not called one without KVM for long.
constexpr std::chrono::hours kRemembered{1};

// With its newline.
std::string boot_id() {
    return text_of_file("/proc/sys/kernel/random/boot_id");
}

}  // namespace

Result<void> KvmVerdict::ask(const QemuProgram& qemu) const {
    std::error_code error;
    const auto written = fs::last_write_time(file_, error);
    const std::string boot = boot_id();
    if (!error && !boot.empty() && fs::file_time_type::clock::now() - written < kRemembered) {
        const std::string text = text_of_file(file_);
        if (text.size() > boot.size() && text.starts_with(boot))
            return Error{EIO, text.substr(boot.size())};
    }
    Result<void> probed = probe_kvm(qemu);
    remember(probed);
    return probed;
}

void KvmVerdict::remember(const Result<void>& probed) const {
    std::error_code error;
    if (file_.empty()) return;
    if (probed || probed.error().code != EIO) {
        fs::remove(file_, error);
        return;
    }
    // Where nothing can be written, the next one probes, too.
    (void)replace_file(file_, boot_id() + probed.error().sentence).ok();
}

KvmVerdict kvm_verdict() {
    const auto cache = Cache::from_environment();
    return KvmVerdict(cache ? cache->root() / "kvm-does-not-run" : fs::path());
}

}  // namespace zcrxlab
