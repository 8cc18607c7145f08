// Fuzzes what a guest reads when it goes on: the archive, and the moment in it.
//
// reaches 30 % of vm/guest/cpio.cpp
// reaches 40 % of vm/guest/moment.cpp
#include <cstdint>
#include <string>
#include <string_view>

#include "vm/guest/cpio.hpp"
#include "vm/guest/guest_plan.hpp"
#include "vm/guest/moment.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    size_t total = 0;
    CpioReader reader(text);
    for (auto entry = reader.next(); entry && *entry; entry = reader.next()) {
        total += (*entry)->path.size() + (*entry)->content.size();
        if (total > size) __builtin_trap();
        if ("/" + std::string((*entry)->path) != kMomentPath) continue;
        const auto moment = moment_from_text((*entry)->content);
        if (moment && !moment_from_text(to_text(*moment))) __builtin_trap();
    }
    return 0;
}
