// Root's folders: what root writes goes nowhere that somebody else has prepared.
#pragma once

#include <filesystem>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

// Whether we are root of this machine, and not only of a user namespace.
bool is_root_of_the_machine();

// Opens a folder, making what is missing of it. No part of its path may be a link, belong to
// anybody but root and who called sudo, or be writable for others (but for one like /tmp, where
// nobody removes what is another's): ELOOP, EPERM with what to type. The path is absolute.
Result<Fd> open_folder_as_root(const std::filesystem::path& path);

}  // namespace zcrxlab
