// Prepares servers, devices and mounts for this machine's files.
#include "vm/start/host_files.hpp"

#include "vm/qemu/virtiofsd.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

bool can_have_host_files(const ModuleIndex& modules) {
    return modules.has("virtiofs") && modules.has("overlay");
}

Result<void> share_host_files(const GuestJob& job, const ResultsFolder& out,
                              const Progress& progress, PreparedVm& vm, GuestPlan& plan) {
    const Result<Virtiofsd> virtiofsd = find_virtiofsd(progress);
    if (!virtiofsd) return virtiofsd.error();
    std::vector<std::pair<fs::path, bool>> folders{{"/", false}};
    for (const fs::path& folder : job.writable) {
        std::error_code error;
        const fs::path absolute = fs::canonical(folder, error);
        if (error || !fs::is_directory(absolute, error))
            return Error{ENOTDIR, "--rw wants a folder, and " + folder.string() + " is none."};
        folders.emplace_back(absolute, true);
    }
    for (const auto& [folder, writable] : folders) {
        SharedFolder share;
        share.tag = "host" + std::to_string(plan.shares.size());
        share.folder = folder;
        share.socket = vm.folder.path() / (share.tag + ".sock");
        share.writable = writable;
        vm.machine.file_servers.push_back({virtiofsd_command(*virtiofsd, share), share.socket});
        vm.settings.folders.push_back({share.tag, share.socket});
        plan.shares.push_back({share.tag, folder.string()});
    }
    vm.machine.file_server_log = out.file("virtiofsd.log");
    plan.copies = job.copies;
    vm.host_files = true;
    return {};
}

void pack_instead(PreparedVm& vm, GuestPlan& plan) {
    vm.notes.push_back("Kernel " + vm.kernel.release +
                       " has no virtiofs or no overlay file system, so the guest has nothing of "
                       "this machine but the program, its libraries, and what --file names.");
    plan.user.reset();
    plan.folder.clear();
}

}  // namespace zcrxlab
