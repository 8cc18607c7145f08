// Finds journals that earlier runs left, restores what they say, and clears them.
#include "harness/lab/journals.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "harness/base/environment.hpp"
#include "harness/base/exit_code.hpp"
#include "harness/base/fail.hpp"
#include "harness/lab/restore.hpp"
#include "harness/report/report.hpp"

namespace zcrxlab {
namespace {

bool names_one_of(const Journal& journal, const std::vector<std::string>& names) {
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return journal.names(name); });
}

// A run that goes on: its ports may not be seen here, which would be a puzzling refusal. One that
// still asks has written nothing, but its file's name says enough.
Result<void> nobody_has(const std::vector<std::string>& names,
                        const std::vector<JournalFile>& ours = {}) {
    for (const auto& path : JournalFile::all_in(JournalFile::usual_folder())) {
        if (std::any_of(ours.begin(), ours.end(),
                        [&](const JournalFile& file) { return file.path() == path; }))
            continue;
        auto file = JournalFile::hold(path);
        if (file || file.error().code != EBUSY) continue;
        const auto journal = JournalFile::peek(path);
        const bool in_its_name = std::any_of(
            names.begin(), names.end(),
            [&](const std::string& name) { return JournalFile::is_file_of(path, name); });
        if (in_its_name || (journal && names_one_of(*journal, names))) return file.error();
    }
    return {};
}

Error not_restored(const Journal& journal) {
    return {EBUSY, "The run of " + journal.started + " on " + journal.about() +
                       " ended without restoring it; type: zcrxlab lab restore"};
}

}  // namespace

int restore_from(JournalFile& file, const Journal& journal) {
    const Restored restored =
        restore(journal, [](const std::string& command) { fmt::print("  {}\n", command); });
    if (restored.complete()) {
        if (auto cleared = file.clear(); !cleared) return fail(cleared.error(), kExitFailed);
        const bool two = journal.ports.size() > 1 || journal.functions.size() > 1;
        fmt::print("I8: {} {} before.\n", journal.about(),
                   two ? "and its peer are as they were" : "is as it was");
        std::fflush(stdout);
        return kExitPassed;
    }
    fmt::print("I8 does not hold; not as it was before:\n");
    for (const std::string& line : restored.left) fmt::print("  {}\n", on_one_line(line));
    fmt::print("To try again, type: zcrxlab lab restore. To let it be as it is: rm {}\n",
               file.path().string());
    std::fflush(stdout);
    return kExitFailed;
}

LeftBehind left_behind(const std::vector<std::string>& names) {
    LeftBehind found;
    for (const auto& path : JournalFile::all_in(JournalFile::usual_folder())) {
        auto file = JournalFile::hold(path);
        if (!file) {
            if (file.error().code != EBUSY) found.unreadable.push_back(file.error());
            continue;
        }
        if (!file->left_behind()) continue;
        auto journal = file->read();
        if (!journal) {
            found.unreadable.push_back(journal.error());
            continue;
        }
        if (names.empty() || names_one_of(*journal, names))
            found.journals.emplace_back(std::move(*file), std::move(*journal));
    }
    return found;
}

Result<void> mend_earlier(const std::vector<std::string>& names, bool yes) {
    if (auto free = nobody_has(names); !free) return free;
    LeftBehind earlier = left_behind(names);
    if (!earlier.unreadable.empty()) return earlier.unreadable.front();
    for (auto& [file, journal] : earlier.journals) {
        if (!yes) return not_restored(journal);
        fmt::print("The run of {} did not restore; restoring:\n", journal.started);
        if (restore_from(file, journal) != 0)
            return Error{EBUSY, "What an earlier run left could not be put back."};
    }
    return {};
}

Result<std::vector<JournalFile>> hold_for_run(const std::vector<std::string>& files,
                                              const std::vector<std::string>& names) {
    std::vector<JournalFile> held;
    for (const std::string& name : files) {
        auto file = JournalFile::hold(JournalFile::usual_folder() / name);
        if (!file) return file.error();
        if (file->left_behind()) {
            const auto journal = file->read();
            return journal ? not_restored(*journal) : journal.error();
        }
        held.push_back(std::move(*file));
    }
    // One of the ports may be in the journal of another one, as its peer.
    if (auto free = nobody_has(names, held); !free) return free.error();
    const LeftBehind left = left_behind(names);
    if (!left.unreadable.empty()) return left.unreadable.front();
    if (!left.journals.empty()) return not_restored(left.journals.front().second);
    return held;
}

unsigned step_to_die_at() {
    const char* text = std::getenv(environment::kLabDieAt);
    return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : 0;
}

bool agrees() {
    if (::isatty(STDIN_FILENO) == 0) {
        fmt::print(
            "Nobody can be asked, since standard input is no terminal; to agree, add "
            "--yes\n");
        return false;
    }
    fmt::print("Do this? [y/N] ");
    std::fflush(stdout);
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace zcrxlab
