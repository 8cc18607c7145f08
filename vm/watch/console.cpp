// Cuts a console into lines and looks for the signs of a kernel in trouble.
#include "vm/watch/console.hpp"

namespace zcrxlab {

ConsoleSign sign_of(std::string_view line) {
    const auto has = [&](std::string_view part) { return line.find(part) != line.npos; };
    // kernel/panic.c vpanic(); also "[ Kernel panic - not syncing" where it could not sync.
    if (has("Kernel panic - not syncing")) return ConsoleSign::kPanic;
    // arch/x86/kernel/dumpstack.c __die_header(): "Oops: 0002 [#1] SMP".
    if (has("Oops: ") && has("[#")) return ConsoleSign::kOops;
    return ConsoleSign::kNothing;
}

void PanicCause::line(std::string_view line) {
    const auto has = [&](std::string_view part) { return line.find(part) != line.npos; };
    // arch/x86/mm/fault.c show_fault_oops(), lib/bug.c, mm/kasan/report.c: the newest counts.
    if (has("BUG: ") || has("kernel BUG at ")) {
        bug_ = line;
        oops_.clear();
        place_.clear();
    } else if (sign_of(line) == ConsoleSign::kOops && oops_.empty()) {
        oops_ = line;
    } else if (has("RIP: ") && place_.empty()) {
        // The first one is of what failed; those behind it are of its callers.
        place_ = line.substr(line.find("RIP: "));
    }
}

std::string PanicCause::text() const {
    const std::string& cause = bug_.empty() ? oops_ : bug_;
    if (cause.empty()) return {};
    return place_.empty() ? cause : cause + ", " + place_;
}

void ConsoleLines::feed(std::string_view bytes) {
    for (char c : bytes) {
        if (c == '\n') {
            finish_line();
        } else if (c != '\r' && c != '\0') {
            line_ += c;
            if (line_.size() >= kLongest) finish_line();
        }
    }
}

std::string ConsoleLines::tail() const {
    std::string text;
    for (const std::string& line : kept_) text += line + "\n";
    if (!line_.empty()) text += line_ + "\n";
    return text;
}

void ConsoleLines::finish_line() {
    if (each_) each_(line_);
    kept_.push_back(std::move(line_));
    line_.clear();
    if (kept_.size() > kKept) kept_.pop_front();
}

}  // namespace zcrxlab
