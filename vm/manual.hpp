// The manual: --help of every command, in the order and tone of a man page.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace zcrxlab {

// Writes NAME, SYNOPSIS, COMMANDS and OPTIONS from what CLI11 knows, and the rest from here.
class ManualFormatter : public CLI::Formatter {
  public:
    std::string make_help(const CLI::App* app, std::string name,
                          CLI::AppFormatMode mode) const override;
};

}  // namespace zcrxlab
