// Bundle: makes a report to the kernel's developers, and a script that shows the failure again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "lists/bundle/failure.hpp"
#include "lists/to_c/c_file.hpp"

namespace zcrxlab {

// A shell script that boots the kernel and does the list with the emulated NIC and its faults. In
// its environment ZCRXLAB is this program, KERNEL another kernel, OUT a folder for results.
std::string to_script(const Failure& failure);
// What the C file of a failure says first.
CFileText c_text_of(const Failure& failure);

// Who wants mail about io_uring's zero-copy receive.
struct Recipients {
    std::vector<std::string> to;  // "Name <address>" of people
    std::vector<std::string> cc;  // lists
};
// From the text of a MAINTAINERS file: the sections that name io_uring/ or one of `files`.
Recipients recipients_from(const std::string& maintainers, const std::vector<std::string>& files);
// Where there is no tree: those of io_uring.
Recipients usual_recipients();

struct BundleOptions {
    std::filesystem::path tree;  // a kernel tree for MAINTAINERS; empty: none
    std::string config;          // text of the kernel's configuration; empty: not at hand
    std::string splat;           // decoded; empty: that of the failure, as it is
    std::string splat_note;      // a sentence about it
    bool security = false;       // it goes to security@kernel.org, and to nobody else
};
// The files of the kernel that a mail is about, for MAINTAINERS: what a list uses and what its
// splat names.
std::vector<std::string> files_of(const Failure& failure, const std::string& splat);
// What was set: the NIC, its settings and faults, rings, areas; lines for people.
std::string settings_of(const Failure& failure);
// The mail, plain text as the kernel's lists expect it. `c_file` is empty where there can be none,
// which `why_no_c` then says.
std::string mail_for(const Failure& failure, const std::string& c_file, const std::string& why_no_c,
                     const Recipients& recipients, const BundleOptions& options);
// list.actions, failure.json, repro.sh, settings.txt, mail.txt, and where there are such repro.c,
// splat.txt and config, in a folder that is made.
Result<void> write_bundle(const Failure& failure, const BundleOptions& options,
                          const std::filesystem::path& folder);

// The question that has to be answered before, for people.
std::string security_question();

}  // namespace zcrxlab
