// Prepares servers, devices and mounts for this machine's files.
#include "vm/start/host_files.hpp"

#include <unistd.h>

#include "harness/base/program.hpp"
#include "vm/programs.hpp"
#include "vm/qemu/virtiofsd.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

// What is put before a server's command, so that it finds the job's hidden places empty; nothing if
// there are none.
Result<std::vector<std::string>> hiding(const GuestJob& job, PreparedVm& vm) {
    std::vector<std::string> words;
    if (job.hidden.empty()) return words;
    const auto program = own_program("zcrx-hide");
    if (!program) return program.error();
    words.push_back(program->string());
    for (const fs::path& place : job.hidden) words.push_back(place.string());
    words.emplace_back("--");
    std::vector<std::string> trial = words;
    trial.emplace_back("true");
    const auto tried = run_program(trial);
    if (!tried) return tried.error();
    if (tried->exit_code == 0) return words;
    const std::string why =
        "Keys and tokens cannot be hidden from the guest, which can read all "
        "that you can: " +
        last_lines(tried->output, 1);
    if (job.must_hide)
        return Error{EPERM, why + " For a guest without this machine's files, type: --packed"};
    vm.notes.push_back(why);
    return std::vector<std::string>{};
}

}  // namespace

bool can_have_host_files(const ModuleIndex& modules) {
    return modules.has("virtiofs") && modules.has("overlay");
}

Result<void> share_host_files(const GuestJob& job, const ResultsFolder& out,
                              const Progress& progress, PreparedVm& vm, GuestPlan& plan) {
    const Result<Virtiofsd> virtiofsd = find_virtiofsd(progress);
    if (!virtiofsd) return virtiofsd.error();
    const Result<std::vector<std::string>> hide = hiding(job, vm);
    if (!hide) return hide.error();
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
        share.others_are_nobody = !hide->empty() && ::geteuid() != 0;
        std::vector<std::string> command = *hide;
        for (std::string& word : virtiofsd_command(*virtiofsd, share))
            command.push_back(std::move(word));
        vm.machine.file_servers.push_back({std::move(command), share.socket});
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
