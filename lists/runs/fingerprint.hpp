// Fingerprint: what tells one failure from another, whatever its numbers are.
#pragma once

#include <string>

namespace zcrxlab {

// Of what was said of a failed list: its first complaint with numbers, names of files and what is
// quoted taken out.
std::string fingerprint_of(const std::string& message);

// Of a kernel that died or complained: the top frames of the first splat in its console; empty if
// there is none.
std::string splat_fingerprint(const std::string& console);

// For the name of a folder: some words of it, and a number that belongs to all of it.
std::string folder_name(const std::string& fingerprint);

}  // namespace zcrxlab
