// Looks, asks, writes the journal, configures, runs, restores, compares.
#include "vm/lab_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <optional>

#include "harness/lab/lab.hpp"
#include "harness/report/report.hpp"
#include "vm/bench_files.hpp"
#include "vm/boot/stop_signals.hpp"
#include "vm/commands.hpp"
#include "vm/journals.hpp"
#include "vm/lab_run.hpp"
#include "vm/programs.hpp"
#include "vm/results_folder.hpp"
#include "vm/version.hpp"

namespace zcrxlab {

namespace {

constexpr int kExitWithoutPeer = 255;
constexpr const char* kBenchFilter = "bench.receivers";

// The journals of a run: that of the port under test is written; the peer's, if it is a port of
// this machine, is only held.
struct Held {
    JournalFile nic;
    std::optional<JournalFile> peer;
};

Result<JournalFile> hold(const JournalPort& port) {
    return JournalFile::hold(JournalFile::usual_folder() /
                             JournalFile::name_for(port.pci, port.interface));
}

Result<Held> hold_all(const Journal& journal) {
    auto nic = hold(journal.ports.front());
    if (!nic) return nic.error();
    Held held{std::move(*nic), std::nullopt};
    if (journal.ports.size() == 1) return held;
    auto peer = hold(journal.ports.back());
    if (!peer) return peer.error();
    held.peer = std::move(*peer);
    return held;
}

// The ports of this machine that a run is about.
std::vector<std::string> ports_here(const std::string& nic, const PeerPlace& peer) {
    std::vector<std::string> names{nic};
    if (peer.host.empty()) names.push_back(peer.interface);
    return names;
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

LabRun run_of(const LabOptions& options, const std::string& program, const Endpoints& ends) {
    LabRun run;
    run.arguments = {program};
    run.timeout = options.timeout;
    run.verbose = options.verbose;
    run.fail_fast = options.fail_fast;
    run.environment = {
        {"ZCRXLAB_TARGET", "nic"},
        {"ZCRXLAB_CONTROL", ""},
        {"ZCRXLAB_FILTER", options.bench && options.filter.empty() ? kBenchFilter : options.filter},
        {"ZCRXLAB_SEED", std::to_string(options.seed)},
        {"ZCRXLAB_SHARD", "1/1"},
        {"ZCRXLAB_QUEUE", std::to_string(options.queue)},
        {"ZCRXLAB_DISRUPTIVE", options.disruptive ? "1" : ""},
        {"NETIF", ends.interface},
        {"LOCAL_V4", ends.local_v4},
        {"LOCAL_V6", ends.local_v6},
        {"REMOTE_V4", ends.peer_v4},
        {"REMOTE_V6", ends.peer_v6},
        {"ZCRXLAB_PEER_NETIF", ends.peer_interface},
        {"ZCRXLAB_PEER_NETNS", ends.peer_namespace}};
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
    run->nic = "nic:" + options.nic;
    run->seed = options.seed;
    run->properties = {
        {"zcrxlab", kVersion},
        {"zero_copy_proof", "what the driver counted, which is weaker than a device's log"}};
    if (auto written = out.finish_logs(); !written) return fail(written.error());
    if (auto written = out.write_reports(*run); !written) return fail(written.error());
    if (!tables.empty()) {
        if (auto written = write_measurements(out, tables); !written) return fail(written.error());
        fmt::print("\n{}", tables.to_text());
    }
    print_failures(*run, options);
    if (run->tests.empty() && !run->console.empty()) fmt::print("{}", cleaned(run->console));
    fmt::print(
        "\n{}{}I4 was judged by what the driver counted, which is weaker than a device's log "
        "(zcrxlab lab --help).\nresults: {}\n",
        time_by_chapter(*run), to_text(*run), out.path().string());
    std::fflush(stdout);
    return exit_code(*run);
}

}  // namespace

int lab_command(const LabOptions& options) {
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
    if (!options.plan)
        if (auto mended = mend_earlier(ports_here(options.nic, *peer), options.yes); !mended)
            return fail(mended.error());
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
    auto held = hold_all(journal);
    if (!held) return fail(held.error());
    if (!options.yes && !agrees()) return kExitUsage;
    auto out = ResultsFolder::open(options.out);
    if (!out) return fail(out.error());

    // From here on nothing may end us without restoring but what the journal is for.
    const StopSignals signals;
    if (auto written = held->nic.write(journal); !written) return fail(written.error());
    fmt::print("The journal is {}. Doing it:\n", held->nic.path().string());
    int exit_code = configure_and_run(options, *lab, program->string(), *out);
    if (const auto early = lab->part_from_peer()) {
        // What failed behind that says nothing about the NIC.
        exit_code = fail(*early, kExitWithoutPeer);
    }
    fmt::print("Restoring:\n");
    std::fflush(stdout);
    const int restored = restore_from(held->nic, journal);
    return exit_code != 0 ? exit_code : restored;
}

int lab_restore_command(const std::string& nic) {
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

}  // namespace zcrxlab
