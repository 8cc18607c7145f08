// Whatever a MAINTAINERS file says, recipients are lines of it.
//
// reaches lists/bundle/bundle.cpp: if (line[0] == 'L') lists.push_back(
// reaches lists/bundle/bundle.cpp: if (std::ranges::find(to, one) == to.end())
#include <cstdint>
#include <cstdlib>
#include <string>

#include "lists/bundle/bundle.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const Recipients found = recipients_from(text, {"io_uring/zcrx.c", "drivers/net/a.c"});
    for (const auto* all : {&found.to, &found.cc})
        for (const std::string& one : *all)
            if (one.empty() || one.find('\n') != std::string::npos ||
                text.find(one) == std::string::npos)
                std::abort();
    return 0;
}
