// Program: options and environment of a scenario program.
#include "scenarios/runner/program.hpp"

#include <fcntl.h>
#include <getopt.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "harness/base/environment.hpp"
#include "harness/base/errno_from.hpp"
#include "harness/base/exit_code.hpp"
#include "harness/base/number.hpp"
#include "scenarios/contract/contract_page.hpp"
#include "scenarios/contract/coverage.hpp"
#include "scenarios/explain/explain.hpp"
#include "scenarios/known_issues/findings_page.hpp"
#include "scenarios/runner/invariants_page.hpp"
#include "scenarios/runner/leak_detector.hpp"
#include "scenarios/runner/listing.hpp"
#include "scenarios/runner/one.hpp"
#include "scenarios/runner/runner.hpp"
#include "scenarios/runner/zygote.hpp"

namespace zcrxlab {

namespace {

constexpr const char* kHelp =
    R"(zcrx-scenarios: runs scenarios about io_uring zero-copy receive on this machine.

Usage: zcrx-scenarios [--filter PATTERN] [--shard K/N] [--seed N] [--slowness X] [--lenient] [-v]
                      [--trace] [--actions PATH] [--count WHEN]
       zcrx-scenarios --list [--json] [--filter PATTERN]
       zcrx-scenarios --contract [--json]
       zcrx-scenarios --page contract|findings|invariants
       zcrx-scenarios --explain ERRNO [--operation NAME] [--interface IF [--queue N]]

  --filter PATTERN  GoogleTest patterns: 'receive.*:tcp.*-*.slow*'. Default: everything but what
                    runs on request only (soak, control_*), which a pattern must name.
  --shard K/N       every Nth of the selected, from the Kth on
  --seed N          for payloads and everything that is random (default 1)
  --lenient         skips what needs a feature that this kernel should have by its version, and does
                    not have; without it, that fails
  --slowness X      multiplies every time bound (default 1; 10 on kernels with lockdep, kmemleak or
                    KCSAN)
  --count WHEN      when buffers are counted (I5): "chosen" (default): where a scenario does so;
                    "always": in each that has received something, before its ring is closed
  -v, --verbose     shows what a scenario itself writes
  --trace           shows every event (without ZCRXLAB_RECORDS_FD)
  --actions PATH    runs a list of actions from a file, or each *.actions below a folder, in place of
                    the scenarios; "zcrxlab run --help" has the format
  --list            lists chapters, scenarios and needs; needs no root, no NIC, no VM
  --contract        lists what the kernel promises, and which scenarios assert it
  --json            ... as JSON
  --page NAME       prints docs/NAME.md; invariants: the table in README.md
  --explain ERRNO   says what can be behind EEXIST, 17 or -17, and what of it this machine shows
  --operation NAME  ... from register, import, submit, receive, control or ethtool only
  --interface IF    ... looks at this interface too (default: $NETIF), and at its queue --queue N

Environment (set by the VM's init; by hand on a lab machine):
  ZCRXLAB_TARGET        gve, nodev, nic (any NIC of this machine) ...
  ZCRXLAB_QUEUE         nic: the first queue for zero-copy receive (default 1)
  ZCRXLAB_DISRUPTIVE    nic: not empty: also what disturbs others on the same card
  ZCRXLAB_CONTROL       control channel of an emulated NIC
  ZCRXLAB_FILTER        as --filter      ZCRXLAB_SEED  as --seed     ZCRXLAB_SLOWNESS  as --slowness
  ZCRXLAB_SHARD         as --shard       ZCRXLAB_ACTIONS  as --actions    ZCRXLAB_COUNT  as --count
  ZCRXLAB_LENIENT       not empty: as --lenient
  ZCRXLAB_RECORDS_FD    descriptor that takes framed records; without it, lines on stdout
  ZCRXLAB_PROFILES      "each": after each scenario, records of what the kernel counted (gcov)
  ZCRXLAB_TURNS         if it is "dealt": who reads the records says which scenario is next
  NETIF, LOCAL_V4, LOCAL_V6, REMOTE_V4, REMOTE_V6, ZCRXLAB_PEER_NETIF, ZCRXLAB_PEER_NETNS

Exit code: 0 passed, 1 failed, 4 all skipped or blocked, 64 usage or nothing selected.
)";

// "2/3": the second of three parts.
std::optional<Shard> shard_from(const std::string& text) {
    const size_t slash = text.find('/');
    if (slash == std::string::npos) return std::nullopt;
    const auto number = number_from<unsigned>(text.substr(0, slash));
    const auto of = number_from<unsigned>(text.substr(slash + 1));
    if (!number || !of || *number < 1 || *number > *of) return std::nullopt;
    return Shard{*number, *of};
}

std::string from_environment(const char* name, const char* otherwise) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : otherwise;
}

// A kernel with one of these built in is some ten times slower than one without.
const char* usual_slowness() {
    for (const char* file : {"/proc/lockdep", kKernelLeaks, "/sys/kernel/debug/kcsan"})
        if (access(file, F_OK) == 0) return "10";
    return "1";
}

struct Options {
    bool list = false, contract = false, json = false, help = false, verbose = false, trace = false;
    bool lenient = !from_environment(environment::kLenient, "").empty();
    std::string filter = from_environment(environment::kFilter, "");
    std::string shard = from_environment(environment::kShard, "1/1");
    std::string seed = from_environment(environment::kSeed, "1");
    std::string slowness = from_environment(environment::kSlowness, usual_slowness());
    std::string count = from_environment(environment::kCount, "chosen");
    std::string records = from_environment(environment::kRecordsFd, "");
    std::string actions = from_environment(environment::kActions, "");
    std::string explain, operation, page, queue = "0";
    std::string interface = from_environment(environment::kInterface, "");
};

bool parse(int argc, char** argv, Options& options) {
    enum {
        kList = 256,
        kJson,
        kFilter,
        kShard,
        kSeed,
        kSlowness,
        kTrace,
        kLenient,
        kContract,
        kExplain,
        kActions,
        kOperation,
        kInterface,
        kPage,
        kQueue,
        kCount
    };
    static const option longs[] = {
        {"list", no_argument, nullptr, kList},
        {"contract", no_argument, nullptr, kContract},
        {"json", no_argument, nullptr, kJson},
        {"filter", required_argument, nullptr, kFilter},
        {"shard", required_argument, nullptr, kShard},
        {"seed", required_argument, nullptr, kSeed},
        {"slowness", required_argument, nullptr, kSlowness},
        {"trace", no_argument, nullptr, kTrace},
        {"lenient", no_argument, nullptr, kLenient},
        {"actions", required_argument, nullptr, kActions},
        {"explain", required_argument, nullptr, kExplain},
        {"operation", required_argument, nullptr, kOperation},
        {"interface", required_argument, nullptr, kInterface},
        {"page", required_argument, nullptr, kPage},
        {"queue", required_argument, nullptr, kQueue},
        {"count", required_argument, nullptr, kCount},
        {"verbose", no_argument, nullptr, 'v'},
        {"help", no_argument, nullptr, 'h'},
        {nullptr, 0, nullptr, 0},
    };
    while (true) {
        switch (getopt_long(argc, argv, "vh", longs, nullptr)) {
            case kList:
                options.list = true;
                break;
            case kContract:
                options.contract = true;
                break;
            case kJson:
                options.json = true;
                break;
            case kFilter:
                options.filter = optarg;
                break;
            case kShard:
                options.shard = optarg;
                break;
            case kSeed:
                options.seed = optarg;
                break;
            case kSlowness:
                options.slowness = optarg;
                break;
            case kActions:
                options.actions = optarg;
                break;
            case kExplain:
                options.explain = optarg;
                break;
            case kOperation:
                options.operation = optarg;
                break;
            case kInterface:
                options.interface = optarg;
                break;
            case kPage:
                options.page = optarg;
                break;
            case kQueue:
                options.queue = optarg;
                break;
            case kCount:
                options.count = optarg;
                break;
            case kTrace:
                options.trace = true;
                break;
            case kLenient:
                options.lenient = true;
                break;
            case 'v':
                options.verbose = true;
                break;
            case 'h':
                options.help = true;
                break;
            case -1:
                return optind == argc;
            default:
                return false;
        }
    }
}

int usage(const std::string& sentence) {
    std::fprintf(stderr, "zcrx-scenarios: %s\nType: zcrx-scenarios --help\n", sentence.c_str());
    return kExitUsage;
}

int explain(const Options& options) {
    const std::optional<int> code = errno_from(options.explain);
    if (!code) return usage("\"" + options.explain + "\" is no errno; like this: EEXIST, 17, -17.");
    if (!options.operation.empty() && !is_operation(options.operation))
        return usage("There is no operation \"" + options.operation +
                     "\"; there are register, import, submit, receive, control and ethtool.");
    const std::optional<uint32_t> queue = number_from<uint32_t>(options.queue);
    if (!queue) return usage("The queue \"" + options.queue + "\" is not a number.");
    const Facts facts = facts_of_this_machine(options.interface, *queue);
    std::fputs(explain_errno(*code, options.operation, facts).c_str(), stdout);
    return 0;
}

// Prints all of it, or says why not.
int show(const std::string& text) {
    if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return kExitPassed;
    std::fprintf(stderr, "zcrx-scenarios: Standard output was not written as a whole: %s.\n",
                 std::strerror(errno));
    return kExitNotWritten;
}

// A page of docs/, or a part of one, that is made of data.
int show_page(const std::string& name) {
    std::string page;
    if (name == "contract")
        page = contract_page(contract_rows(), coverage(), rows_seen_red(findings(), coverage()),
                             embargoed_scenarios(findings()));
    else if (name == "findings")
        page = findings_page(findings(), contract_rows());
    else if (name == "invariants")
        page = invariants_page();
    else
        return usage("There is no page \"" + name +
                     "\"; there are contract, findings and invariants.");
    return show(page);
}

// In a child: the exit code.
int run_on_tape(const std::string& scenario, int inherited) {
    Result<Tape> tape = Tape::open(inherited);
    if (!tape) return usage(tape.error().sentence);
    fcntl(inherited, F_SETFD, FD_CLOEXEC);
    return run_one(scenario, *tape);
}

int run_all(const Options& options, const MakeObserver& make_observer) {
    RunOrder order;
    order.filter = options.filter;
    order.show_output = options.verbose;
    order.lenient = options.lenient;
    order.profiles = from_environment(environment::kProfiles, "") == "each";
    const std::optional<Shard> shard = shard_from(options.shard);
    if (!shard) return usage("The shard \"" + options.shard + "\" is not like 2/3.");
    order.shard = *shard;
    const std::optional<uint64_t> seed = number_from<uint64_t>(options.seed);
    const std::optional<double> slowness = number_from<double>(options.slowness);
    if (!seed) return usage("The seed \"" + options.seed + "\" is not a number.");
    if (!slowness || *slowness < 0.01 || *slowness > 1000)
        return usage("The slowness \"" + options.slowness + "\" is not between 0.01 and 1000.");
    if (options.count != "chosen" && options.count != "always")
        return usage("Buffers are counted \"chosen\" or \"always\", not \"" + options.count +
                     "\".");
    order.count_always = options.count == "always";
    if (order.count_always && !options.actions.empty())
        return usage("A list of actions says by itself where buffers are counted (capacity).");
    order.seed = *seed;
    order.slowness = *slowness;
    order.whole_trace = !from_environment(environment::kWholeTrace, "").empty();
    // Children read the same environment.
    setenv(environment::kSeed, options.seed.c_str(), 1);
    setenv(environment::kSlowness, options.slowness.c_str(), 1);
    setenv(environment::kCount, options.count.c_str(), 1);
    // First, so that they inherit nothing of what is opened here.
    Result<Zygote> zygote = Zygote::start(run_on_tape, prepare_for_one);
    if (!zygote) return usage(zygote.error().sentence);

    std::unique_ptr<ReportSink> sink = lines_to_stdout(options.trace);
    std::unique_ptr<Turns> turns = turns_in_order();
    if (!options.records.empty()) {
        const std::optional<int> fd = number_from<int>(options.records);
        if (!fd || fcntl(*fd, F_SETFD, FD_CLOEXEC) != 0)
            return usage("ZCRXLAB_RECORDS_FD=" + options.records + " is not an open descriptor.");
        sink = frames_to(*fd);
        if (from_environment(environment::kTurns, "") == "dealt") turns = turns_dealt_over(*fd);
    }
    Result<std::unique_ptr<Observer>> observer = make_observer();
    if (!observer) return usage(observer.error().sentence);
    return run_scenarios(order, *zygote, **observer, *turns, *sink);
}

}  // namespace

int scenario_program(int argc, char** argv, const MakeObserver& make_observer,
                     const AddLists& add_lists) {
    Options options;
    if (!parse(argc, argv, options)) return usage("There is an option that it does not have.");
    if (options.help) {
        return show(kHelp);
    }
    if (!options.actions.empty()) {
        if (!add_lists) return usage("This program knows no lists of actions.");
        if (auto added = add_lists(options.actions); !added) return usage(added.error().sentence);
        if (options.filter.empty()) options.filter = "actions.*";
    }
    if (options.list) {
        const std::string text = options.json ? listing_as_json(options.filter) + "\n"
                                              : listing_for_people(options.filter);
        return show(text);
    }
    if (options.contract) {
        const std::string text = options.json ? coverage_as_json() + "\n" : coverage_for_people();
        return show(text);
    }
    if (!options.page.empty()) return show_page(options.page);
    if (!options.explain.empty()) return explain(options);
    return run_all(options, make_observer);
}

}  // namespace zcrxlab
