// Passes what a VM says to its receivers.
#include "vm/watch/output_recorder.hpp"

#include <cstdio>
#include <deque>
#include <fstream>

#include "harness/report/report.hpp"

namespace zcrxlab {

namespace {

constexpr size_t kDeviceLines = 8;

std::string last_lines(const std::filesystem::path& file, size_t count) {
    std::ifstream stream(file);
    std::deque<std::string> lines;
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line.substr(0, ConsoleLines::kLongest));
        if (lines.size() > count) lines.pop_front();
    }
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

}  // namespace

MachineCallbacks OutputRecorder::callbacks() {
    MachineCallbacks callbacks;
    callbacks.console = [this](std::string_view bytes) {
        out_.console(bytes);
        console_.feed(bytes);
    };
    callbacks.qemu_error = [this](std::string_view bytes) {
        out_.qemu_error(bytes);
        qemu_.feed(bytes);
    };
    callbacks.note = [](const std::string& sentence) {
        std::fprintf(stderr, "zcrxlab: %s\n", sentence.c_str());
    };
    callbacks.record = [this](const Record& record) {
        out_.record(record);
        each_(record);
    };
    return callbacks;
}

std::string OutputRecorder::last_words(const Watch& watch) const {
    if (watch.state() == VmState::kDone || watch.state() == VmState::kInterrupted) return {};
    std::string words;
    if (const std::string qemu = qemu_.tail(); !qemu.empty())
        words += "\nThe last words of QEMU:\n" + cleaned(qemu);
    if (const std::string device = last_lines(out_.file("device.log"), kDeviceLines);
        watch.state() == VmState::kLost && !device.empty())
        words += "\nThe last words of the emulated NIC:\n" + cleaned(device);
    if (const std::string console = console_.tail(); !console.empty())
        words += "\nThe last lines of the console:\n" + cleaned(console);
    return words;
}

void OutputRecorder::show(const std::string& line) const {
    if (verbose_) std::fprintf(stderr, "%s\n", on_one_line(line).c_str());
}

}  // namespace zcrxlab
