// Journals of any content: one, or an error; and what is one is the same after writing it again.
#include <cstdlib>
#include <string_view>

#include "harness/lab/journal.hpp"

using namespace zcrxlab;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto journal = journal_from_json({reinterpret_cast<const char*>(data), size});
    if (!journal) return 0;
    const std::string text = to_json(*journal);
    const auto again = journal_from_json(text);
    if (!again || to_json(*again) != text) std::abort();
    return 0;
}
