// Distributes what a VM says.
#include "vm/audience.hpp"

#include <cstdio>

#include "harness/report/report.hpp"

namespace zcrxlab {

MachineEars Audience::ears() {
    MachineEars ears;
    ears.console = [this](std::string_view bytes) {
        out_.console(bytes);
        console_.feed(bytes);
        if (verbose_) std::fwrite(bytes.data(), 1, bytes.size(), stderr);
    };
    ears.qemu_error = [this](std::string_view bytes) {
        out_.qemu_error(bytes);
        qemu_.feed(bytes);
        if (verbose_) std::fwrite(bytes.data(), 1, bytes.size(), stderr);
    };
    ears.record = [this](const Record& record) {
        out_.record(record);
        each_(record);
    };
    return ears;
}

std::string Audience::last_words(const Watch& watch) const {
    if (watch.state() == VmState::kDone || watch.state() == VmState::kInterrupted) return {};
    std::string words;
    if (const std::string qemu = qemu_.tail(); !qemu.empty())
        words += "\nThe last words of QEMU:\n" + cleaned(qemu);
    if (const std::string console = console_.tail(); !console.empty())
        words += "\nThe last lines of the console:\n" + cleaned(console);
    return words;
}

}  // namespace zcrxlab
