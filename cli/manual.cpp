// Writes --help as a man page is written.
#include "cli/manual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace zcrxlab {

namespace {

constexpr size_t kWidth = 92;
constexpr size_t kOptionIndent = 8;

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
    for (const std::string& group : app.get_groups()) {
        if (group.empty()) continue;
        const auto options = app.get_options(
            [&](const CLI::Option* option) { return option->get_group() == group; });
        if (options.empty()) continue;
        out << "\n" << (group == "Options" ? "OPTIONS" : group) << "\n";
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

// A row is about the program's own commands, not about commands of these ("repro run").
std::string ManualFormatter::manual_of(const CLI::App& app) const {
    const CLI::App* parent = app.get_parent();
    if (parent == nullptr) return program_manual();
    if (parent->get_parent() != nullptr) return {};
    const auto row = std::ranges::find(table_, app.get_name(), &Command::name);
    return row != table_.end() ? row->manual() : "";
}

std::string ManualFormatter::make_help(const CLI::App* app, std::string /*name*/,
                                       CLI::AppFormatMode /*mode*/) const {
    const CLI::App* parent = app->get_parent();
    const std::string full =
        parent == nullptr ? app->get_name() : parent->get_name() + " " + app->get_name();
    const auto commands = app->get_subcommands([](const CLI::App*) { return true; });
    std::ostringstream out;
    out << "NAME\n    " << full << " - " << app->get_description() << "\n\nSYNOPSIS\n";
    // A command that has commands of its own does something by itself if it takes arguments.
    if (commands.empty() || !app->get_footer().empty())
        out << "    " << full << " [OPTION...]" << app->get_footer() << "\n";
    if (!commands.empty()) {
        out << "    " << full << " COMMAND [OPTION...]\n\nCOMMANDS\n";
        for (const CLI::App* command : commands)
            out << fmt::format("    {:<9}{}\n", command->get_name(), command->get_description());
        out << "    " << full << " COMMAND --help says more.\n";
    }
    write_options(out, *app);
    out << manual_of(*app);
    return out.str();
}

}  // namespace zcrxlab
