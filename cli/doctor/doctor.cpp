// Examines this machine, our own programs and the folder for sockets, and prints what it found.
#include "cli/doctor/doctor.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "cli/doctor/bugs_of_kernels.hpp"
#include "cli/doctor/examination.hpp"
#include "vm/programs.hpp"
#include "vm/watch/run_folder.hpp"

namespace zcrxlab {

namespace {

using Health = Diagnosis::Health;

void examine_programs(std::vector<Diagnosis>& diagnoses) {
    for (const char* name : {"zcrx-init", "zcrx-nic", "zcrx-scenarios"}) {
        const auto program = own_program(name);
        if (program)
            diagnoses.push_back({Health::kGood, fmt::format("{} is built", program->string()), ""});
        else
            diagnoses.push_back({Health::kBad, program.error().sentence, ""});
    }
}

void examine_run_folder(std::vector<Diagnosis>& diagnoses) {
    const auto folder = RunFolder::create();
    if (folder)
        diagnoses.push_back({Health::kGood,
                             fmt::format("Sockets go to {}", folder->path().parent_path().string()),
                             ""});
    else
        diagnoses.push_back({Health::kBad, folder.error().sentence,
                             "Name a folder that can be written in XDG_RUNTIME_DIR."});
}

// For `shell` and `exec`; `run` needs none of them.
void examine_tools(std::vector<Diagnosis>& diagnoses) {
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
            diagnoses.push_back(
                {Health::kGood, fmt::format("{} for the guest's shell", program.string()), ""});
        else
            diagnoses.push_back({Health::kNote,
                                 fmt::format("There is no {} for the guest's shell", tool.name),
                                 fmt::format("apt install {}", tool.package)});
    }
}

}  // namespace

int doctor_command(const DoctorOptions& options) {
    Examination examination;
    examination.source = ZCRXLAB_SOURCE_DIR;
    examination.guest_memory = uint64_t{mebibytes(options.vm.memory)} << 20;
    std::vector<Diagnosis> diagnoses = examine(examination);
    examine_programs(diagnoses);
    examine_run_folder(diagnoses);
    examine_tools(diagnoses);
    for (Diagnosis& diagnosis : examine_bugs_of_known_kernels())
        diagnoses.push_back(std::move(diagnosis));
    fmt::print("{}", options.json ? doctor_json(diagnoses) : doctor_text(diagnoses));
    return doctor_exit_code(diagnoses);
}

}  // namespace zcrxlab
