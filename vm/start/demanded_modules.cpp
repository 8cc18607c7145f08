// Finds modprobe and what it reads, and looks whether the guest can see both.
#include "vm/start/demanded_modules.hpp"

#include <filesystem>

#include "kernels/kmod.hpp"
#include "vm/hide/hidden_places.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

Result<void> find_modules(const GuestJob& job, const ResultsFolder& out, const Progress& progress,
                          const Kernel& kernel, GuestPlan& plan) {
    const auto kmod = find_kmod(progress);
    if (!kmod) return kmod.error();
    const auto folder = modules_for_modprobe(kernel, *kmod, out.file("modules"), progress);
    if (!folder) return folder.error();
    for (const fs::path& needed : {fs::path(kmod->modprobe.back()), *folder, kernel.modules}) {
        std::error_code error;
        const fs::path place = hidden_by(job.hidden, fs::weakly_canonical(needed, error));
        if (!place.empty())
            return Error{EPERM, needed.string() +
                                    " is hidden from the guest; to have it shown, "
                                    "type: --show " +
                                    place.string()};
    }
    plan.module_folder = *folder;
    plan.modprobe = quoted_for_shell(kmod->modprobe);
    return {};
}

}  // namespace

void show_modules(const GuestJob& job, const ResultsFolder& out, const Progress& progress,
                  PreparedVm& vm, GuestPlan& plan) {
    if (auto found = find_modules(job, out, progress, vm.kernel, plan); !found)
        vm.notes.push_back("The guest gets no modules beside those that it starts with: " +
                           found.error().sentence);
}

}  // namespace zcrxlab
