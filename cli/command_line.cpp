// Declares every command of a table on one app, parses, runs the one that was named.
#include "cli/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "cli/manual.hpp"
#include "cli/pages.hpp"
#include "cli/usage.hpp"
#include "cli/values.hpp"
#include "harness/base/exit_code.hpp"
#include "harness/base/version.hpp"

namespace zcrxlab {

namespace {

using Run = std::function<int()>;

// An exception that leaves a command is a mistake of ours: what the command reads and calls gives a
// Result.
int run_guarded(const std::string& name, const Run& run) {
    try {
        return run();
    } catch (const std::exception& error) {
        fmt::print(stderr,
                   "zcrxlab {}: {}\nNothing expected this error: it is a bug of zcrxlab, and no "
                   "verdict about a kernel or a NIC.\n",
                   name, error.what());
        return 1;
    }
}

void add_page_option(CLI::App& app, std::span<const Command> table) {
    const auto print = [table](const std::string& name) {
        fmt::print("{}", name == "readme" ? readme_table(table) : list_of_commands(table));
        throw CLI::Success();
    };
    app.add_option_function<std::string>(
           "--page", print,
           "Print what is made from the table of commands: \"commands\" "
           "is cli/commands.txt, \"readme\" the table in README.md")
        ->type_name("commands|readme")
        ->check(one_of({"commands", "readme"}));
}

}  // namespace

int run_command_line(std::span<const Command> table, int argc, const char* const* argv) {
    CLI::App app("deterministic NIC faults and proof of zero copy for io_uring zero-copy receive",
                 "zcrxlab");
    app.formatter(std::make_shared<ManualFormatter>(table));
    app.set_version_flag("--version", std::string("zcrxlab ") + kVersion);
    add_page_option(app, table);
    app.require_subcommand(1);
    std::vector<std::pair<CLI::App*, Run>> declared;
    for (const Command& command : table) {
        CLI::App* const own =
            app.add_subcommand(std::string(command.name), std::string(command.sentence));
        declared.emplace_back(own, command.declare(*own));
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        // --help, --version and --page.
        if (error.get_exit_code() == 0) return app.exit(error);
        std::fflush(stdout);
        fmt::print(stderr, "{}", usage_text(app, error));
        return kExitUsage;
    }
    for (const auto& [own, run] : declared)
        if (own->parsed()) return run_guarded(own->get_name(), run);
    return kExitUsage;
}

}  // namespace zcrxlab
