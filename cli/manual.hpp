// The manual: --help of the program and of every command, in the order and tone of a man page.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>

#include "cli/command.hpp"

namespace zcrxlab {

// What "zcrxlab --help" says behind the commands and options.
std::string program_manual();

// Writes NAME, SYNOPSIS, COMMANDS and OPTIONS from what CLI11 knows, and behind them the manual of
// the command's row, or of the program.
class ManualFormatter : public CLI::Formatter {
  public:
    // `table` is borrowed.
    explicit ManualFormatter(std::span<const Command> table) : table_(table) {}
    std::string make_help(const CLI::App* app, std::string name,
                          CLI::AppFormatMode mode) const override;

  private:
    std::string manual_of(const CLI::App& app) const;

    std::span<const Command> table_;
};

}  // namespace zcrxlab
