// Writes script, recipients, mail and files of a report.
#include "lists/bundle/bundle.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <sstream>

#include "harness/base/file.hpp"
#include "harness/nics/nic_table.hpp"
#include "harness/report/sentences.hpp"
#include "lists/bundle/words.hpp"
#include "lists/to_c/c_file.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMailWidth = 72;  // of a line in a mail to a kernel list

std::string wrapped(const std::string& text) {
    std::string out;
    std::istringstream lines(text);
    for (std::string whole; std::getline(lines, whole);) {
        std::istringstream words(whole);
        std::string line;
        for (std::string word; words >> word;) {
            if (!line.empty() && line.size() + 1 + word.size() > kMailWidth) {
                out += line + "\n";
                line.clear();
            }
            line += (line.empty() ? "" : " ") + word;
        }
        out += line + "\n";
    }
    return out;
}

// In single quotes, for a shell.
std::string quoted(const std::string& word) {
    std::string out = "'";
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
    return fmt::format("{}", fmt::join(words, between));
}

std::string nic_text(const std::string& nic) {
    if (nic_is_at(nic, NicPlace::kNowhere)) return "none (ZCRX_REG_NODEV)";
    return nic_is_at(nic, NicPlace::kNicProgram) ? nic + ", as zcrxlab emulates it in QEMU" : nic;
}

Result<void> write_part(const fs::path& path, const std::string& text, bool executable = false) {
    if (auto written = write_file(path, text); !written) return written;
    std::error_code ignored;
    if (executable) fs::permissions(path, fs::perms::owner_exec, fs::perm_options::add, ignored);
    return {};
}

}  // namespace

CFileText c_text_of(const Failure& failure) {
    CFileText text;
    text.title = title_of(failure);
    text.happens = joined(sentences_of(failure.message), " ");
    if (comment_of(failure.list, kExpectedComment).empty())
        text.expected = promise_in(failure.message);
    text.seen = seen_of(failure, "c");
    return text;
}

std::string to_script(const Failure& failure) {
    const std::vector<std::string> seen = seen_of(failure, "script");
    const std::string kernel = failure.kernel.empty() ? "${KERNEL:+--kernel \"$KERNEL\"}"
                                                      : "--kernel \"${KERNEL:-$kernel}\"";
    std::string text = "#!/bin/sh\n# " + title_of(failure) +
                       R"(
#
# Boots the kernel in QEMU, with an emulated NIC and the faults that the list names, and does the
# list. Needs zcrxlab: set ZCRXLAB to where it is. KERNEL takes another kernel, OUT keeps results.
# Exit code: 0 = as expected, 1 = not, 4 = it cannot be tried, 124 = no end, 255 = the guest is lost.
)";
    text += seen.empty() ? "# This script was not run before it was given out.\n"
                         : "# What it did where it was run:\n";
    for (const std::string& line : seen) text += "#     " + line + "\n";
    text += R"(set -eu
zcrxlab=${ZCRXLAB:-zcrxlab}
command -v "$zcrxlab" >/dev/null || {
	echo "There is no $zcrxlab; set ZCRXLAB to where it is." >&2
	exit 64
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/repro.actions" <<'END'
)";
    text += to_text(failure.list) + "END\n";
    if (!failure.kernel.empty()) text += "kernel=" + quoted(failure.kernel) + "\n";
    text += "\"$zcrxlab\" run " + kernel;
    if (!failure.nic.empty()) text += " --nic " + quoted(failure.nic);
    return text + " --out \"${OUT:-$folder/out}\" --actions \"$folder/repro.actions\" \"$@\"\n";
}

namespace {

// As MAINTAINERS means an F: line: a file, a folder with all that is in it, or with a *. What is as
// far up as "drivers/" is for everybody and names nobody in particular.
bool is_named(const std::string& pattern, const std::string& file) {
    // A folder is one also without the slash.
    if (const std::string folder = pattern + (pattern.ends_with('/') ? "" : "/");
        file.starts_with(folder))
        return std::ranges::count(folder, '/') >= (folder.starts_with("drivers/") ? 3 : 1);
    return ::fnmatch(pattern.c_str(), file.c_str(), FNM_PATHNAME) == 0;
}

}  // namespace

Recipients usual_recipients() {
    return {{"Jens Axboe <axboe@kernel.dk>", "Pavel Begunkov <asml.silence@gmail.com>"},
            {"io-uring@vger.kernel.org", "netdev@vger.kernel.org"}};
}

Recipients recipients_from(const std::string& maintainers, const std::vector<std::string>& files) {
    Recipients found;
    std::vector<std::string> people, lists;
    bool ours = false;
    const auto end_section = [&] {
        const auto add = [](std::vector<std::string>& to, const std::vector<std::string>& from) {
            for (const std::string& one : from)
                if (std::ranges::find(to, one) == to.end()) to.push_back(one);
        };
        if (ours) {
            add(found.to, people);
            add(found.cc, lists);
        }
        people.clear();
        lists.clear();
        ours = false;
    };
    std::istringstream lines(maintainers);
    for (std::string line; std::getline(lines, line);) {
        if (line.size() < 3 || line[1] != ':') {
            end_section();
            continue;
        }
        std::string value = line.substr(2);
        value.erase(0, value.find_first_not_of(" \t"));
        if (value.empty()) continue;
        if (line[0] == 'M') people.push_back(value);
        if (line[0] == 'L') lists.push_back(value.substr(0, value.find(' ')));
        if (line[0] != 'F') continue;
        ours = ours || std::ranges::any_of(
                           files, [&](const std::string& file) { return is_named(value, file); });
    }
    end_section();
    return found;
}

std::vector<std::string> files_of(const Failure& failure, const std::string& splat) {
    std::vector<std::string> files = {"io_uring/zcrx.c"};
    const auto add = [&files](const std::string& file) {
        if (std::ranges::find(files, file) == files.end()) files.push_back(file);
    };
    const bool device = std::ranges::any_of(
        failure.list.actions, [](const Action& a) { return a.has("device") && a.yes("device"); });
    const NicRow* nic = find_nic(failure.nic);
    if (device && nic != nullptr && !nic->driver_source.empty())
        add(std::string(nic->driver_source));
    if (device) add("net/core/page_pool.c");
    // "(drivers/net/x.c:12)" of a decoded splat, with whatever the build had before it.
    for (const char* top : {"io_uring/", "net/", "drivers/", "mm/", "kernel/"})
        for (size_t at = 0; (at = splat.find(top, at)) != std::string::npos; ++at) {
            const size_t end = splat.find_first_of(": )\n", at);
            const std::string file = splat.substr(at, end - at);
            const bool whole =
                at == 0 || splat[at - 1] == '(' || splat[at - 1] == '/' || splat[at - 1] == ' ';
            if (whole && file.ends_with(".c")) add(file);
        }
    return files;
}

std::string settings_of(const Failure& failure) {
    std::string text = failure.nic.empty() ? "" : "NIC: " + nic_text(failure.nic) + "\n";
    for (const Action& action : failure.list.actions) {
        const Verb verb = action.verb;
        if (verb == Verb::kNic || verb == Verb::kLink || verb == Verb::kFault ||
            verb == Verb::kRing || verb == Verb::kRegister || verb == Verb::kAddArea)
            text += to_text(action) + "\n";
    }
    return text;
}

namespace {

// As a list, or in the form in which it was given out; each once.
std::vector<std::string> kernels_seen(const Failure& failure, std::string_view verdict) {
    std::vector<std::string> kernels = verdict == "bad" ? failure.bad : failure.good;
    for (const Sighting& one : failure.seen)
        if (one.verdict == verdict && std::ranges::find(kernels, one.kernel) == kernels.end())
            kernels.push_back(one.kernel);
    return kernels;
}

// A mail claims nothing that was not seen.
std::string what_it_did(const Failure& failure, std::string_view form) {
    const std::vector<std::string> seen = seen_of(failure, form);
    if (seen.empty()) return "It was not run before it was sent.";
    const bool shows = std::ranges::any_of(failure.seen, [&](const Sighting& one) {
        return one.form == form && one.verdict == "bad";
    });
    return (shows ? "Where it was run: " : "It did not show the bug where it was run: ") +
           joined(seen, "; ") + ".";
}

}  // namespace

std::string mail_for(const Failure& failure, const std::string& c_file, const std::string& why_no_c,
                     const Recipients& recipients, const BundleOptions& options) {
    std::string text;
    if (options.security) {
        text = "To: security@kernel.org\n";
    } else {
        text = "To: " + joined(recipients.to, ",\n    ") +
               "\nCc: " + joined(recipients.cc, ",\n    ") + "\n";
    }
    const std::vector<std::string> bad = kernels_seen(failure, "bad");
    std::vector<std::string> good = kernels_seen(failure, "good");
    std::erase_if(good, [&](const std::string& kernel) {
        return std::ranges::find(bad, kernel) != bad.end();
    });
    const std::string kernel = bad.empty() ? failure.kernel : bad.front();
    text += "Subject: [BUG] io_uring/zcrx: " + title_of(failure) +
            (kernel.empty() ? "" : " (" + kernel.substr(0, kernel.find('+')) + ")") +
            "\n\nHello,\n\n";
    const CFileText said = c_text_of(failure);
    const std::string expected =
        said.expected.empty() ? comment_of(failure.list, kExpectedComment) : said.expected;
    const std::string happens =
        said.happens.empty() ? comment_of(failure.list, kHappensComment) : said.happens;
    if (!happens.empty()) text += wrapped("What happens: " + happens) + "\n";
    if (!expected.empty()) text += wrapped("Expected: " + expected) + "\n";
    if (!kernel.empty())
        text += "Kernel: " + kernel +
                (options.config.empty() ? "" : " (its configuration is attached)") + "\n";
    if (!failure.nic.empty()) text += "NIC: " + nic_text(failure.nic) + "\n";
    if (!bad.empty()) text += "Seen on: " + joined(bad, ", ") + "\n";
    if (!good.empty()) text += "Not seen on: " + joined(good, ", ") + "\n";
    const std::string& splat = options.splat.empty() ? failure.splat : options.splat;
    if (!splat.empty())
        text += "\n" + splat + (splat.ends_with('\n') ? "" : "\n") +
                (options.splat_note.empty() ? "" : "\n" + wrapped(options.splat_note));
    text += "\nWhat was done:\n\n";
    for (const Action& action : failure.list.actions) text += "    " + to_text(action) + "\n";
    if (c_file.empty())
        return text + "\n" +
               wrapped("There is no C program for it: " + why_no_c +
                       " repro.sh boots a VM with an emulated NIC and does the list. " +
                       what_it_did(failure, "script"));
    return text + "\n" +
           wrapped(
               "The program below does the same, and needs only libc (exit code 1: the bug "
               "shows). " +
               what_it_did(failure, "c")) +
           "\n" + c_file;
}

std::string security_question() {
    return "Could somebody gain from this bug what is not theirs: read or write memory of the "
           "kernel "
           "or of\nothers, get past a check of permissions, or take a machine down from outside or "
           "without rights?\nThen it goes to security@kernel.org first, and to no public list (see "
           "Documentation/process/security-bugs.rst).\nAnswer with --security yes or --security "
           "no.\n";
}

Result<void> write_bundle(const Failure& failure, const BundleOptions& options,
                          const fs::path& folder) {
    if (auto written = write_failure(failure, folder); !written) return written;
    Recipients recipients = usual_recipients();
    if (!options.tree.empty()) {
        const Result<std::string> maintainers = read_file(options.tree / "MAINTAINERS");
        if (!maintainers)
            return Error{ENOENT, "There is no MAINTAINERS in " + options.tree.string() + "."};
        recipients = recipients_from(*maintainers, files_of(failure, options.splat));
        if (recipients.to.empty() || recipients.cc.empty())
            return Error{EINVAL, "The MAINTAINERS in " + options.tree.string() +
                                     " names nobody for io_uring/zcrx.c; leave --tree out."};
    }
    const Result<std::string> c_file = to_c(failure.list, c_text_of(failure));
    if (c_file)
        if (auto written = write_part(folder / "repro.c", *c_file); !written) return written;
    if (auto written = write_part(folder / "repro.sh", to_script(failure), true); !written)
        return written;
    if (!failure.splat.empty()) {
        const std::string& splat = options.splat.empty() ? failure.splat : options.splat;
        const std::string note =
            options.splat_note.empty() ? "" : "# " + options.splat_note + "\n\n";
        if (auto written = write_part(folder / "splat.txt", note + splat); !written) return written;
    }
    if (auto written = write_part(folder / "settings.txt", settings_of(failure)); !written)
        return written;
    if (!options.config.empty())
        if (auto written = write_part(folder / "config", options.config); !written) return written;
    return write_part(folder / "mail.txt",
                      mail_for(failure, c_file ? *c_file : "",
                               c_file ? "" : c_file.error().sentence, recipients, options));
}

}  // namespace zcrxlab
