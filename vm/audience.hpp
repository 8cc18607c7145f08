// Audience: hears what a VM says, keeps it in the results folder, and remembers its last words.
#pragma once

#include <functional>
#include <string>

#include "vm/boot/console.hpp"
#include "vm/boot/machine.hpp"
#include "vm/boot/watch.hpp"
#include "vm/results_folder.hpp"

namespace zcrxlab {

class Audience {
  public:
    // `verbose`: the console and QEMU's own words go to standard error as well.
    Audience(ResultsFolder& out, bool verbose, std::function<void(const Record&)> each)
        : out_(out),
          verbose_(verbose),
          each_(std::move(each)),
          console_([this](const std::string& line) { show(line); }),
          qemu_([this](const std::string& line) { show(line); }) {}
    Audience(const Audience&) = delete;
    Audience& operator=(const Audience&) = delete;

    // Valid while this lives.
    MachineEars ears();

    std::string console_tail() const { return console_.tail(); }
    // What QEMU, the emulated NIC and the console said last, for a run that did not end well; else
    // nothing.
    std::string last_words(const Watch& watch) const;

  private:
    void show(const std::string& line) const;

    ResultsFolder& out_;
    bool verbose_;
    std::function<void(const Record&)> each_;
    ConsoleLines console_, qemu_;
};

}  // namespace zcrxlab
