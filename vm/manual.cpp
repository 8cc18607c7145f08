// The parts of the manual that are not options.
#include "vm/manual.hpp"

#include <fmt/format.h>

#include <sstream>

namespace zcrxlab {

namespace {

constexpr size_t kWidth = 92;
constexpr size_t kOptionIndent = 8;

constexpr const char* kMoreOfTheProgram = R"(
ENVIRONMENT
    ZCRXLAB_CACHE    folder for fetched kernels and QEMU (default $XDG_CACHE_HOME/zcrxlab, else
                     ~/.cache/zcrxlab)
    ZCRXLAB_MIRROR   Debian mirror to fetch them from (default: that of this machine's apt)
    ZCRXLAB_QEMU     the QEMU program to use
    ZCRXLAB_SOAK_SECONDS
                     how long the chapter soak takes (default 60); it needs --timeout, too
    XDG_RUNTIME_DIR  where the sockets of a run live (default /tmp)

FILES
    Written to --out by a run, replacing those of an earlier one:
    results.tap       TAP version 13
    results.xml       JUnit
    results.json      kernel, nic, seed, seconds, ending, features, and tests: name, status, seconds,
                      message
    console.log       the guest's serial console
    kernel.log        the guest's whole kernel log
    trace.jsonl       every event of every scenario
    device.log        what the emulated NIC had to say
    wire.pcapng       the frames between its two ports
    qemu.log          what QEMU had to say, if anything
    qemu-command.txt  a shell script that starts the same VM by hand
    guest.cpio        the guest's root file system
    Of several VMs, each keeps its own logs and command in vm1, vm2 ... below --out.

EXIT CODES
    0    all passed
    1    a scenario failed
    4    all were skipped
    64   wrong usage, or something is missing; the message says what to type
    124  it took longer than --timeout, or the guest went silent
    130  interrupted
    255  the guest's kernel panicked, or the guest was lost

EXAMPLES
    zcrxlab run
    zcrxlab run --kernel 7.2 --filter 'receive.*' --seed 7 -v
    zcrxlab run --fault '{"what":"drop","match":{"payload":true,"every":100}}'
    zcrxlab shell --cpus 4
    zcrxlab exec -- ethtool -i eth0
    zcrxlab matrix --kernels all
    zcrxlab explain EEXIST register
)";

constexpr const char* kMoreOfMatrix = R"text(
DESCRIPTION
    Runs the suite on each kernel with each NIC, each as one "zcrxlab run" of its own, and shows one
    table: chapters and features of the kernel down, kernels across. The next kernel is fetched
    while another one runs. Which features a kernel has, the guest finds by trying.

    A cell is passed; failed; known (a known bug of this kernel, and nothing else); not supported
    (all of its tests were skipped, for what kernel or NIC lack); or not run. The row "guest" is
    failed where a kernel did not come up or did not stay up: the others go on.

    What is finished is not run again: interrupted, the same command goes on where it was; with more
    kernels, it runs those. Results on other terms (version of zcrxlab, filter, options, seed) are
    never mixed in: another --out is asked for. To have one run again, remove its folder.

    On several machines, give each its --shard and its own --out, and join these with "zcrxlab
    merge". Mirrors move on: let one machine say which kernels ("zcrxlab matrix --plan"), and name
    these to all of them with --kernels.

FILES
    matrix.json   all results, for "zcrxlab merge" and other programs
    matrix.md     the table as Markdown
    matrix.html   the same as a page that needs nothing but itself: a cell opens to its tests, what
                  they said, and the command that repeats it
    7.3.4-gve/    and so on: run.json, once it is finished; run.log; and what "run" leaves in --out

EXIT CODES
    0    nothing failed
    1    a test failed
    4    nothing was run that was not skipped
    64   wrong usage, or a kernel could not be fetched or started
    124  a run took longer than --timeout
    130  interrupted
    255  a guest panicked or was lost

EXAMPLES
    zcrxlab matrix
    zcrxlab matrix --kernels all --nic gve
    zcrxlab matrix --kernels 7.2.6..7.3,./linux/arch/x86/boot/bzImage --filter 'receive.*'
    zcrxlab matrix --kernels "$(zcrxlab matrix --kernels all --plan)" --shard 2/3 --out part-2
)text";

constexpr const char* kMoreOfMerge = R"(
DESCRIPTION
    Each DIR is the --out of a "zcrxlab matrix", or a folder that holds several of these. Writes
    matrix.json, matrix.md and matrix.html to --out and shows the table. Only results on the same
    terms (version of zcrxlab, filter, options, seed) can stand in one table. Runs that were planned
    and are nowhere finished are "not run".

EXIT CODES
    Those of "zcrxlab matrix", as if one machine had run it all.

EXAMPLE
    zcrxlab merge part-1 part-2 part-3 --out whole
)";

void wrap(std::ostringstream& out, const std::string& text, size_t indent) {
    std::istringstream words(text);
    std::string line(indent, ' ');
    for (std::string word; words >> word;) {
        if (line.size() > indent && line.size() + 1 + word.size() > kWidth) {
            out << line << "\n";
            line.assign(indent, ' ');
        }
        if (line.size() > indent) line += ' ';
        line += word;
    }
    if (line.size() > indent) out << line << "\n";
}

void write_options(std::ostringstream& out, const CLI::App& app) {
    std::string group;
    for (const std::string& current : app.get_groups()) {
        if (current.empty()) continue;
        const auto options = app.get_options(
            [&](const CLI::Option* option) { return option->get_group() == current; });
        if (options.empty()) continue;
        out << "\n" << (current == "Options" ? "OPTIONS" : current) << "\n";
        for (const CLI::Option* option : options) {
            const std::string value = option->get_type_name();
            out << "    " << option->get_name(false, true) << (value.empty() ? "" : " ") << value
                << "\n";
            std::string text = option->get_description();
            if (!option->get_default_str().empty())
                text += fmt::format(" (default {})", option->get_default_str());
            wrap(out, text, kOptionIndent);
        }
    }
}

}  // namespace

std::string ManualFormatter::make_help(const CLI::App* app, std::string /*name*/,
                                       CLI::AppFormatMode /*mode*/) const {
    const CLI::App* parent = app->get_parent();
    const std::string full =
        parent == nullptr ? app->get_name() : parent->get_name() + " " + app->get_name();
    std::ostringstream out;
    out << "NAME\n    " << full << " - " << app->get_description() << "\n\nSYNOPSIS\n";
    const auto commands = app->get_subcommands([](const CLI::App*) { return true; });
    if (!commands.empty()) {
        out << "    " << full << " COMMAND [OPTION...]\n\nCOMMANDS\n";
        for (const CLI::App* command : commands)
            out << fmt::format("    {:<9}{}\n", command->get_name(), command->get_description());
        out << "    " << full << " COMMAND --help says more.\n";
    } else {
        out << "    " << full << " [OPTION...]" << app->get_footer() << "\n";
    }
    write_options(out, *app);
    if (parent == nullptr) out << kMoreOfTheProgram;
    if (parent != nullptr && app->get_name() == "matrix") out << kMoreOfMatrix;
    if (parent != nullptr && app->get_name() == "merge") out << kMoreOfMerge;
    return out.str();
}

}  // namespace zcrxlab
