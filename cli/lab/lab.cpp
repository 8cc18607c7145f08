// Looks at the ports, asks, writes the journal, configures, runs, restores and compares.
#include "cli/lab/lab.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <optional>
#include <vector>

#include "cli/lab/bring_up.hpp"
#include "cli/lab/lab_run.hpp"
#include "cli/lab/restoration.hpp"
#include "harness/base/environment.hpp"
#include "harness/base/exit_code.hpp"
#include "harness/base/fail.hpp"
#include "harness/base/stop_signals.hpp"
#include "harness/base/version.hpp"
#include "harness/lab/facts.hpp"
#include "harness/lab/journals.hpp"
#include "harness/lab/lab.hpp"
#include "harness/net/nic.hpp"
#include "harness/net/undo.hpp"
#include "harness/nics/nic_table.hpp"
#include "harness/report/report.hpp"
#include "results/bench/bench_files.hpp"
#include "vm/programs.hpp"
#include "vm/watch/results_folder.hpp"

namespace zcrxlab {

namespace {

constexpr const char* kReceiversBench = "bench.receivers";

// The ports of this machine that a run is about.
std::vector<std::string> ports_here(const std::string& nic, const PeerPlace& peer) {
    std::vector<std::string> names{nic};
    if (peer.host.empty()) names.push_back(peer.interface);
    return names;
}

// The journals of a run: that of the port under test, which will be written, and the peer's, if it
// is a port of this machine, which is only held. What earlier runs left is put back before.
Result<std::vector<JournalFile>> hold_ports(const std::vector<std::string>& names, bool yes) {
    if (auto mended = mend_earlier(names, yes); !mended) return mended.error();
    std::vector<std::string> files;
    for (const std::string& name : names) {
        const auto port = port_in_tree("/", name);
        if (!port) return port.error();
        files.push_back(JournalFile::name_for(port->pci, port->interface));
        // It is its own peer, which looking will say.
        if (names.front() == names.back()) break;
    }
    return hold_for_run(files, names);
}

Result<void> configure(const Lab& lab) {
    const StopSignals signals;
    const unsigned fatal = step_to_die_at();
    unsigned number = 0;
    const auto about_to = [&](const std::string& what) -> Result<void> {
        fmt::print("  {}\n", what);
        std::fflush(stdout);
        if (++number == fatal) ::raise(SIGKILL);
        if (signals.take()) return Error{EINTR, "Interrupted."};
        return {};
    };
    for (const Lab::Step& step : lab.steps()) {
        if (auto told = about_to(step.command); !told) return told;
        if (auto done = step.run(); !done) return done;
    }
    if (auto told = about_to("(wait for the link)"); !told) return told;
    return lab.wait_for_link();
}

std::string filter_of(const LabOptions& options) {
    if (options.bring_up) return bring_up_filter();
    if (options.bench && options.filter.empty()) return kReceiversBench;
    return options.filter;
}

LabRun run_of(const LabOptions& options, const std::string& program, const Endpoints& ends) {
    LabRun run;
    run.arguments = {program};
    run.timeout = options.timeout;
    run.verbose = options.verbose;
    run.fail_fast = options.fail_fast;
    run.environment = {{environment::kTarget, std::string(nic_at(NicPlace::kThisMachine).target)},
                       {environment::kControl, ""},
                       {environment::kFilter, filter_of(options)},
                       {environment::kLenient, options.lenient ? "1" : ""},
                       {environment::kSeed, std::to_string(options.seed)},
                       {environment::kShard, "1/1"},
                       {environment::kQueue, std::to_string(options.queue)},
                       {environment::kDisruptive, options.disruptive ? "1" : ""},
                       {environment::kInterface, ends.interface},
                       {environment::kLocalV4, ends.local_v4},
                       {environment::kLocalV6, ends.local_v6},
                       {environment::kRemoteV4, ends.peer_v4},
                       {environment::kRemoteV6, ends.peer_v6},
                       {environment::kPeerInterface, ends.peer_interface},
                       {environment::kPeerNamespace, ends.peer_namespace}};
    return run;
}

void print_failures(const RunSummary& run, const LabOptions& options) {
    for (const TestResult& test : run.tests)
        if (test.status == TestStatus::kFailed)
            fmt::print("\n{}",
                       to_text(test, "",
                               fmt::format("zcrxlab lab --nic {} --peer {} --seed {} "
                                           "--filter '{}'",
                                           options.nic, options.peer, options.seed, test.name),
                               ""));
}

// Between the journal and its restoring: the exit code of what ran.
int configure_and_run(const LabOptions& options, const Lab& lab, const std::string& program,
                      ResultsFolder& out) {
    if (auto configured = configure(lab); !configured)
        return fail(configured.error(),
                    configured.error().code == EINTR ? kExitInterrupted : kExitUsage);
    LabRun order = run_of(options, program, lab.endpoints());
    BenchTables tables;
    order.record = [&](const Record& record) {
        if (record.type == RecordType::kBench && !tables.take(record.json))
            fmt::print(stderr, "zcrxlab: A measurement could not be read.\n");
    };
    auto run = run_scenarios_here(order, out);
    if (!run) return fail(run.error());
    run->nic = std::string(nic_at(NicPlace::kThisMachine).name) + ":" + options.nic;
    run->seed = options.seed;
    run->properties = {
        {"zcrxlab", kVersion},
        {"zero_copy_proof", "what the driver counted, which is weaker than a device's log"}};
    std::vector<Error> unwritten;
    for (const auto& written : {out.write_reports(*run), out.finish_logs(),
                                tables.empty() ? Result<void>() : write_measurements(out, tables)})
        if (!written) unwritten.push_back(written.error());
    if (!tables.empty()) fmt::print("\n{}", tables.to_text());
    print_failures(*run, options);
    if (options.bring_up) fmt::print("\n{}", bring_up_report(*run));
    if (run->tests.empty() && !run->console.empty()) fmt::print("{}", cleaned(run->console));
    fmt::print(
        "\n{}{}I4 was judged by what the driver counted, which is weaker than a device's log "
        "(zcrxlab lab --help).\nresults: {}\n",
        time_by_chapter(*run), to_text(*run), out.path().string());
    std::fflush(stdout);
    for (const Error& error : unwritten) fail(error);
    return unwritten.empty() ? exit_code(*run) : exit_code_of_unwritten(exit_code(*run));
}

// Puts back what runs have left that were killed; of one interface, or of all if that is empty.
int restore_left_behind(const std::string& nic) {
    if (::geteuid() != 0)
        return fail({EPERM, "Restoring a NIC needs root; type: sudo zcrxlab lab restore"});
    LeftBehind left =
        left_behind(nic.empty() ? std::vector<std::string>{} : std::vector<std::string>{nic});
    int code = 0;
    for (const Error& error : left.unreadable) code = fail(error, 1);
    if (left.journals.empty() && left.unreadable.empty())
        fmt::print("There is nothing to restore{}.\n", nic.empty() ? "" : " for " + nic);
    for (auto& [file, journal] : left.journals) {
        fmt::print("Restoring what the run of {} left:\n", journal.started);
        code = std::max(code, restore_from(file, journal));
    }
    return code;
}

// By netlink, which needs no ethtool that knows the setting. It stays, so that nothing is undone.
int switch_split(const std::string& interface, bool on) {
    if (::geteuid() != 0)
        return fail(
            {EPERM, "Changing a NIC needs root; type: sudo zcrxlab lab split " + interface});
    UndoStack undo;
    auto nic = Nic::open(interface, undo);
    if (!nic) return fail(nic.error());
    const auto done = on ? nic->enable_header_split() : nic->disable_header_split();
    if (!done) return fail(done.error());
    while (undo.size() > 0) undo.dismiss_newest();
    fmt::print(
        "The header split of {} is {}. To switch it {} again, type: zcrxlab lab split {}{}\n",
        interface, on ? "on, for packets of any size" : "off", on ? "off" : "on", interface,
        on ? " --off" : "");
    return 0;
}

}  // namespace

int lab_command(const LabOptions& options) {
    if (!options.split_nic.empty()) return switch_split(options.split_nic, !options.split_off);
    if (options.restore) return restore_left_behind(options.restore_nic);
    if (::geteuid() != 0 && !options.plan)
        return fail(
            {EPERM, "Lab mode changes a NIC and so needs root; type: sudo zcrxlab lab ..."});
    const auto peer = peer_place(options.peer);
    if (!peer) return fail(peer.error());
    LabOrder order{options.nic, *peer, {}, options.queue};
    if (!peer->host.empty()) {
        auto far = own_program("zcrx-peer");
        if (!far) return fail(far.error());
        order.peer_program = std::move(*far);
    }
    const auto program = own_program("zcrx-scenarios");
    if (!program) return fail(program.error());
    std::vector<JournalFile> held;
    if (!options.plan) {
        auto holding = hold_ports(ports_here(options.nic, *peer), options.yes);
        if (!holding) return fail(holding.error());
        held = std::move(*holding);
    }
    auto lab = Lab::look(order);
    if (!lab) return fail(lab.error());

    for (const std::string& line : lab->description()) fmt::print("{}\n", line);
    if (const auto refusals = lab->refusals(); !refusals.empty()) {
        fmt::print(stderr, "zcrxlab: These ports are not taken:\n");
        for (const std::string& reason : refusals)
            fmt::print(stderr, "  {}\n", on_one_line(reason));
        return kExitUsage;
    }
    fmt::print("To be done, and undone afterwards:\n");
    for (const Lab::Step& step : lab->steps()) fmt::print("  {}\n", step.command);
    std::fflush(stdout);
    if (options.plan) return 0;
    const Journal journal = lab->journal();
    if (!options.yes && !agrees()) return kExitUsage;
    auto out = ResultsFolder::open(options.out);
    if (!out) return fail(out.error());

    // From here on nothing may end us without restoring but what the journal is for.
    const StopSignals signals;
    if (auto written = held.front().write(journal); !written) return fail(written.error());
    Restoration restoration(held.front(), journal);
    fmt::print("The journal is {}. Doing it:\n", held.front().path().string());
    int exit_code = configure_and_run(options, *lab, program->string(), *out);
    if (const auto early = lab->part_from_peer()) {
        // What failed behind that says nothing about the NIC.
        exit_code = fail(*early, kExitLost);
    }
    const int restored = restoration.restore();
    return exit_code != 0 ? exit_code : restored;
}

}  // namespace zcrxlab
