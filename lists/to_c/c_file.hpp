// CFile: writes a list of actions as one C file that needs libc, kernel headers and nothing of
// ours.
//
// The file makes raw system calls, and has the peer in the same program. Its exit code is 0 (as
// promised), 1 (the bug shows) or 77 (it cannot be tried here). It has only those parts (parts/)
// that the list needs.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "lists/language/list.hpp"

namespace zcrxlab {

// For the first comment.
struct CFileText {
    std::string title = {};     // a line; empty: what the list is about
    std::string expected = {};  // what is promised; empty: the comment "expected: ..."
    std::string happens = {};   // what happens instead, where; empty: the comment "happens: ..."
    // How the file ended where it was run, "KERNEL: ..." each; empty: it was not.
    std::vector<std::string> seen = {};
};

// EINVAL names the action that C cannot have, and says which form can.
Result<std::string> to_c(const ActionList& list, const CFileText& text);

// Whether such a file, by its text, wants a NIC.
bool wants_device(const std::string& c_file);

}  // namespace zcrxlab
