// What the kernel promises, as far as receivers rely on it: rows of docs/contract.md.
#pragma once

#include <span>
#include <string_view>

namespace zcrxlab {

struct Promise {
    std::string_view identifier;
    std::string_view text;  // as the page has it
};

std::span<const Promise> promises();
// "a full CQ ends the request with -ENOSPC, ... (cqe32.final-cq-full)"; of an unknown one its name.
std::string_view text_of_promise(std::string_view identifier);

}  // namespace zcrxlab
