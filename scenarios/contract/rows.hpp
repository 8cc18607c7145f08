// The contract: what the kernel promises of zero-copy receive. Each row is one promise, and has an
// identifier that scenarios claim.
//
// A row is a sentence that a run can find true or false. Its source is the kernel's documentation
// (Documentation/networking/iou-zcrx.rst), its uapi (include/uapi/linux/io_uring/zcrx.h) or its
// code (io_uring/zcrx.c and what it calls), as of Linux 7.3.
#pragma once

#include <span>
#include <string_view>

namespace zcrxlab {

struct ContractRow {
    std::string_view id;       // "chapter.promise", lower case, words joined by hyphens
    std::string_view promise;  // without a full stop, without Markdown
    std::string_view source;   // file:symbol, or the man page
    // A mistake with which a scenario that claims it was seen to fail: a kernel's
    // (tests/kernel_mutations, tests/kernel_probes), the emulated NIC's (tests/mutations), or a
    // negative control. May be empty where a finding that is public breaks it.
    std::string_view seen_red_by = {};
    // Why no mistake that we can make turns it red; without a full stop. Empty where one does.
    std::string_view beyond_reach = {};
};

// All rows, by chapter.
std::span<const ContractRow> contract_rows();
// The row with this identifier, or nothing.
const ContractRow* find_contract_row(std::string_view id);

}  // namespace zcrxlab
