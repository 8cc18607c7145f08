// Makes the job of the guest, and refuses what this machine or the options do not allow.
#include "cli/exec/exec_job.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/exit_code.hpp"
#include "harness/base/program.hpp"
#include "harness/nics/nic_table.hpp"
#include "vm/guest/guest_input.hpp"
#include "vm/guest/send/send_spec.hpp"
#include "vm/hide/hidden_places.hpp"
#include "vm/image/program_files.hpp"
#include "vm/programs.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

Result<void> add_file(GuestJob& job, const std::string& what) {
    const size_t colon = what.rfind(':');
    const fs::path host = what.substr(0, colon);
    const std::string guest =
        colon != std::string::npos ? what.substr(colon + 1) : fs::absolute(host).string();
    std::ifstream stream(host, std::ios::binary);
    if (!stream) return Error{EINVAL, "Cannot read " + host.string() + " for --file."};
    if (guest.empty() || guest[0] != '/')
        return Error{EINVAL, "A path in the guest starts with /: --file " + what};
    if (fs::absolute(host) != guest) job.copies.emplace_back(fs::absolute(host).string(), guest);
    if (::access(host.c_str(), X_OK) == 0) {
        job.programs.push_back({host, guest});
    } else {
        job.files.emplace_back(std::string{std::istreambuf_iterator<char>(stream), {}}, guest);
    }
    return {};
}

Result<void> add_own(GuestJob& job, const std::string& name) {
    const auto program = own_program(name);
    if (!program) return program.error();
    job.programs.push_back({*program, "/usr/bin/" + name});
    job.copies.emplace_back(program->string(), "/usr/bin/" + name);
    return {};
}

std::string without_line_end(std::string text) {
    text.erase(text.find_last_not_of('\n') + 1);
    return text;
}

// The program's file, if it can be started.
Result<fs::path> startable(const std::string& name, bool with_libraries) {
    const fs::path program = host_program(name);
    if (program.empty() || !fs::exists(program))
        return Error{ENOENT, "There is no program " + name + " on this machine."};
    if (fs::is_directory(program)) return Error{EACCES, name + " is a folder, not a program."};
    if (::access(program.c_str(), X_OK) != 0)
        return Error{EACCES,
                     program.string() + " is not executable; type: chmod +x " + program.string()};
    if (!with_libraries) return program;
    const auto libraries = program_libraries(program);
    if (!libraries && libraries.error().code == ENOENT)
        return Error{ELIBACC, without_line_end(libraries.error().sentence)};
    return program;
}

GuestUser ourselves() {
    GuestUser user{::getuid(), ::getgid(), {}};
    std::vector<gid_t> groups(static_cast<size_t>(std::max(::getgroups(0, nullptr), 0)));
    if (::getgroups(static_cast<int>(groups.size()), groups.data()) >= 0)
        user.groups.assign(groups.begin(), groups.end());
    return user;
}

Result<void> check_environment(const std::vector<std::string>& assignments) {
    for (const std::string& assignment : assignments) {
        const size_t equals = assignment.find('=');
        if (equals == std::string::npos || equals == 0)
            return Error{EINVAL, "--env takes NAME=VALUE, not \"" + assignment + "\"."};
    }
    return {};
}

// What makes the NIC ready before the program starts.
void prepare_nic(GuestJob& job, const ExecOptions& options) {
    const NicRow* nic = find_nic(options.vm.nic);
    if (options.bare || nic == nullptr || !has_interface(*nic)) return;
    auto& words = job.session.preparation;
    if (options.selftests) {
        words = {"/usr/bin/zcrx-setup", "--selftests"};
        return;
    }
    words = {"/usr/bin/zcrx-setup", "--environment", "--queues", std::to_string(options.queues)};
    for (const uint16_t port : options.ports)
        words.insert(words.end(), {"--port", std::to_string(port)});
}

Result<void> add_peer(GuestJob& job, const ExecOptions& options) {
    GuestPeer& peer = job.session.peer;
    peer.ports = options.ports;
    peer.first = options.peer_first;
    peer.linger_seconds = options.linger;
    if (!options.peer.empty() && !options.send.empty())
        return Error{EINVAL, "There is one peer: give --peer or --send."};
    if (options.peer_first && options.peer.empty())
        return Error{EINVAL, "--peer-first needs a peer that listens; give --peer CMD."};
    if (!options.peer.empty()) peer.arguments = {"/bin/sh", "-c", options.peer};
    if (options.send.empty()) return {};
    const auto spec = parse_send_spec(options.send);
    if (!spec) return Error{EINVAL, "--send: " + spec.error().sentence};
    if (spec->port == 0 && options.ports.empty())
        return Error{EINVAL, "--send has to know the program's port; give --port P."};
    std::string words = options.send;
    if (spec->port == 0) words += ",port=" + std::to_string(options.ports.front());
    if (spec->port != 0) peer.ports = {spec->port};
    peer.arguments = {"/usr/bin/zcrx-send", words};
    return {};
}

// Fails if something that the program needs would not be there.
Result<void> hide_places(GuestJob& job, const ExecOptions& options, const fs::path& program) {
    const HidingOrder order{"/", homes_to_hide_in(), ::geteuid() == 0, options.hide, options.show};
    auto hidden = hidden_places(order);
    if (!hidden) return Error{EINVAL, hidden.error().sentence};
    std::vector<std::pair<std::string, fs::path>> needed{{"The program", program},
                                                         {"The current folder", "."}};
    for (const fs::path& folder : job.writable) needed.emplace_back("What --rw names", folder);
    for (const auto& [from, to] : job.copies) needed.emplace_back("What --file names", from);
    for (const auto& [what, path] : needed) {
        std::error_code error;
        const fs::path place = hidden_by(*hidden, fs::weakly_canonical(path, error));
        if (!place.empty())
            return Error{EINVAL, what +
                                     " is in a place that is hidden from the guest; to have it "
                                     "shown, type: --show " +
                                     place.string()};
    }
    job.hidden = std::move(*hidden);
    job.must_hide = !options.hide.empty();
    return {};
}

bool has_no_secrets(std::string_view assignment) {
    constexpr std::array kNames{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TZ", "LANG"};
    const std::string_view name = assignment.substr(0, assignment.find('='));
    return name.starts_with("LC_") || std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace

Result<GuestJob> exec_job(const ExecOptions& options) {
    GuestJob job;
    job.modules_needed = options.modules;
    job.modules_on_demand = true;
    if (auto fit = check_environment(options.environment); !fit) return fit.error();
    const bool other_libraries =
        std::any_of(options.environment.begin(), options.environment.end(),
                    [](const std::string& assignment) { return assignment.starts_with("LD_"); });
    const auto program = startable(options.arguments.front(), !other_libraries);
    if (!program) return program.error();
    job.arguments = options.arguments;
    const std::string absolute = fs::absolute(*program).string();
    job.host_files = !options.packed;
    // Elsewhere it may be called as it was here; argv[0] can matter.
    if (options.packed || !program_exists(job.arguments.front())) job.arguments.front() = absolute;
    job.programs = {{*program, absolute}};
    if (options.selftests && (options.bare || !options.ports.empty()))
        return Error{EINVAL,
                     "--selftests leaves queues and ports to the tests; leave out --bare and "
                     "--port."};
    job.tools = true;
    for (const std::string& file : options.files)
        if (auto added = add_file(job, file); !added) return added.error();
    prepare_nic(job, options);
    if (auto added = add_peer(job, options); !added) return added.error();
    for (const std::string& folder : options.writable) job.writable.emplace_back(folder);
    if (options.packed && !options.writable.empty())
        return Error{EINVAL,
                     "--rw is for a guest that has this machine's files, and --packed is "
                     "for one that has not."};
    if (options.packed && !(options.hide.empty() && options.show.empty()))
        return Error{EINVAL,
                     "--hide and --show are for a guest that has this machine's files, and "
                     "--packed is for one that has not."};
    if (!options.packed)
        if (auto hidden = hide_places(job, options, *program); !hidden) return hidden.error();

    GuestPlan& session = job.session;
    session.streams = at_a_terminal() ? GuestStreams::kTerminal : GuestStreams::kPipes;
    session.wait_for_environment = true;
    session.count_receives = !options.no_probes;
    std::array<char, HOST_NAME_MAX + 1> name{};
    if (::gethostname(name.data(), name.size() - 1) == 0) session.host_name = name.data();
    if (options.packed) return job;
    session.user = ourselves();
    std::error_code error;
    session.folder = fs::current_path(error).string();
    if (error) return Error{EINVAL, "The current folder is gone; type: cd"};
    return job;
}

Result<void> add_own_programs(GuestJob& job, std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (auto added = add_own(job, name); !added) return added;
    return {};
}

Result<PreparedVm> prepare_program_vm(const VmOptions& options, const GuestJob& job,
                                      ResultsFolder& out, const Progress& progress) {
    Result<PreparedVm> vm = prepare_vm(options, job, out, progress);
    if (!vm) return vm;
    for (const std::string& note : vm->notes) progress(note);
    const std::string by_hand = command_by_hand(*vm);
    if (auto written = out.write("qemu-command.txt", by_hand); !written) return written.error();
    if (options.print_command) fmt::print("{}", by_hand);
    return vm;
}

int exit_code_of_refusal(const Error& error) {
    if (error.code == ENOENT || error.code == ELIBACC) return kExitNotFound;
    return error.code == EACCES ? kExitNotExecutable : kExitUsage;
}

std::string exec_environment(const ExecOptions& options, bool host_files) {
    std::string record;
    const auto add = [&](const std::string& assignment) {
        record.append(assignment).push_back('\0');
    };
    if (host_files) {
        for (char** entry = environ; *entry != nullptr; ++entry)
            if (!options.clean_environment || has_no_secrets(*entry)) add(*entry);
    } else if (const char* terminal = std::getenv("TERM"); terminal != nullptr) {
        add(std::string("TERM=") + terminal);
    }
    for (const std::string& assignment : options.environment) add(assignment);
    return record;
}

}  // namespace zcrxlab
