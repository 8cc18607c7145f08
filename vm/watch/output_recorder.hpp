// OutputRecorder: writes what a VM says into the results folder, and keeps its last lines.
#pragma once

#include <functional>
#include <string>

#include "vm/watch/console.hpp"
#include "vm/watch/machine.hpp"
#include "vm/watch/results_folder.hpp"
#include "vm/watch/watch.hpp"

namespace zcrxlab {

class OutputRecorder {
  public:
    // `verbose`: the console and QEMU's own words go to standard error as well.
    OutputRecorder(ResultsFolder& out, bool verbose, std::function<void(const Record&)> each)
        : out_(out),
          verbose_(verbose),
          each_(std::move(each)),
          console_([this](const std::string& line) { show(line); }),
          qemu_([this](const std::string& line) { show(line); }) {}
    OutputRecorder(const OutputRecorder&) = delete;
    OutputRecorder& operator=(const OutputRecorder&) = delete;

    // Valid while this lives.
    MachineCallbacks callbacks();

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
