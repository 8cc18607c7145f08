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
    results.json      kernel, nic, seed, seconds, and tests: name, status, seconds, message
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
    zcrxlab explain EEXIST register
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
    return out.str();
}

}  // namespace zcrxlab
