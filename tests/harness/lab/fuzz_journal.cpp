// Journals of any content: one, or an error; and what is one is the same after writing it again.
//
// reaches harness/lab/journal.cpp: if (described == nullptr || !described->is_object())
// reaches harness/lab/journal.cpp: if (!function) return wrong(function.error().sentence);
// reaches harness/lab/journal.cpp: ports.push_back({{"interface", port.interface},
// reaches 75 % of harness/lab/settings_json.cpp
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
