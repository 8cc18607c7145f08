// Bundle: script, recipients, mail, files.
#include "vm/repro/bundle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "vm/repro/c_file.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMailWidth = 72;  // of a line in a mail to a kernel list

std::string title_of(const Failure& failure) {
    return failure.list.comments.empty() ? failure.name : failure.list.comments.front();
}

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

Result<void> write_part(const fs::path& path, const std::string& text, bool executable = false) {
    std::ofstream stream(path, std::ios::binary | std::ios::trunc);
    stream << text << std::flush;
    if (!stream) return error_from_errno("write " + path.string(), errno != 0 ? errno : EIO);
    std::error_code ignored;
    if (executable) fs::permissions(path, fs::perms::owner_exec, fs::perm_options::add, ignored);
    return {};
}

}  // namespace

std::string to_script(const Failure& failure, const std::string& zcrxlab) {
    std::string command = "\"$zcrxlab\" run";
    if (!failure.kernel.empty()) command += " --kernel " + quoted(failure.kernel);
    if (!failure.nic.empty()) command += " --nic " + quoted(failure.nic);
    return "#!/bin/sh\n# " + title_of(failure) +
           "\n#\n# Boots the kernel in QEMU, with an emulated NIC and the faults that the list "
           "names, and does the\n# list. Needs zcrxlab; set ZCRXLAB to where it is. Exit code: 1 = "
           "the bug shows, 0 = it does not.\nset -eu\nzcrxlab=${ZCRXLAB:-" +
           quoted(zcrxlab) +
           "}\nfolder=$(mktemp -d)\ntrap 'rm -rf \"$folder\"' EXIT\ncat >\"$folder/repro.actions\" "
           "<<'END'\n" +
           to_text(failure.list) + "END\n" + command +
           " --out \"$folder/out\" --actions \"$folder/repro.actions\" \"$@\"\n";
}

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
        if (line[0] == 'M') people.push_back(value);
        if (line[0] == 'L') lists.push_back(value.substr(0, value.find(' ')));
        if (line[0] != 'F') continue;
        ours = ours || value == "io_uring/" ||
               std::ranges::any_of(files, [&](const std::string& file) {
                   return value == file ||
                          (value.ends_with('/') && value.size() > 12 && file.starts_with(value));
               });
    }
    end_section();
    return found;
}

std::string mail_for(const Failure& failure, const std::string& c_file,
                     const Recipients& recipients, bool security) {
    std::string text;
    if (security) {
        text = "To: security@kernel.org\n";
    } else {
        text = "To: " + joined(recipients.to, ",\n    ") +
               "\nCc: " + joined(recipients.cc, ",\n    ") + "\n";
    }
    text += "Subject: [BUG] io_uring/zcrx: " + title_of(failure) + "\n\nHello,\n\n";
    if (!failure.message.empty()) text += wrapped(failure.message) + "\n";
    if (!failure.kernel.empty()) text += "Kernel: " + failure.kernel + "\n";
    if (!failure.nic.empty())
        text += "NIC: " + (failure.nic == "nodev" ? "none (ZCRX_REG_NODEV)" : failure.nic) + "\n";
    if (!failure.bad.empty()) text += "Seen on: " + joined(failure.bad, ", ") + "\n";
    if (!failure.good.empty()) text += "Not seen on: " + joined(failure.good, ", ") + "\n";
    if (!failure.splat.empty()) text += "\n" + failure.splat + "\n";
    text += "\nWhat was done:\n\n";
    for (const Action& action : failure.list.actions) text += "    " + to_text(action) + "\n";
    text +=
        c_file.empty()
            ? "\nIt needs an emulated NIC; repro.sh boots a VM with it.\n"
            : "\nA reproducer, which needs only libc (exit code 1: the bug shows):\n\n" + c_file;
    return text;
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
        std::ifstream file(options.tree / "MAINTAINERS");
        if (!file)
            return Error{ENOENT, "There is no MAINTAINERS in " + options.tree.string() + "."};
        recipients =
            recipients_from({std::istreambuf_iterator<char>(file), {}}, {"io_uring/zcrx.c"});
    }
    const Result<std::string> c_file = to_c(failure.list, {.happens = failure.message});
    if (c_file)
        if (auto written = write_part(folder / "repro.c", *c_file); !written) return written;
    if (auto written = write_part(folder / "repro.sh", to_script(failure, options.zcrxlab), true);
        !written)
        return written;
    if (!failure.splat.empty())
        if (auto written = write_part(folder / "splat.txt", failure.splat); !written)
            return written;
    if (!options.config.empty())
        if (auto written = write_part(folder / "config", options.config); !written) return written;
    return write_part(folder / "mail.txt",
                      mail_for(failure, c_file ? *c_file : "", recipients, options.security));
}

}  // namespace zcrxlab
