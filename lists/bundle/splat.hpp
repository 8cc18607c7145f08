// Splat: adds places in the source, where they are known, to what the kernel prints before it dies.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/base/result.hpp"

namespace zcrxlab {

// "io_recvzc+0x1a/0x200 [module]" in a line of a splat.
struct SplatPlace {
    size_t line = 0;            // of the splat, from 0
    std::string function = {};  // without suffixes that are added for copies of it
    uint64_t offset = 0;        // bytes into it
    bool at = false;            // the instruction itself (RIP), not the one behind a call
    std::string module = {};    // empty: of the kernel itself
};
std::vector<SplatPlace> places_in(const std::string& splat);

// Addresses of functions from the output of nm.
std::map<std::string, uint64_t> symbols_from(const std::string& nm);

// What addr2line -a -i -f says of addresses: "file:line" for each, the innermost first, inlined
// callers behind it. Nothing for what it does not know.
std::map<uint64_t, std::vector<std::string>> lines_from(const std::string& addr2line);

// The splat with the places behind the functions that have one; how many that were.
struct DecodedSplat {
    std::string text;
    size_t decoded = 0;
};
DecodedSplat with_lines(const std::string& splat, const std::map<std::string, uint64_t>& symbols,
                        const std::map<uint64_t, std::vector<std::string>>& lines);

// The addresses that addr2line has to be asked for.
std::vector<uint64_t> addresses_of(const std::string& splat,
                                   const std::map<std::string, uint64_t>& symbols);

}  // namespace zcrxlab
