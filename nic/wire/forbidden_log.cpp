// ForbiddenLog: keeps the newest, and counts the rest.
#include "nic/wire/forbidden_log.hpp"

#include <algorithm>
#include <utility>

namespace zcrxlab::nic {

std::string_view name_of(ForbiddenKind kind) {
    switch (kind) {
        case ForbiddenKind::kDma:
            return "dma";
        case ForbiddenKind::kRegister:
            return "register";
        case ForbiddenKind::kDoorbell:
            return "doorbell";
        case ForbiddenKind::kDescriptor:
            return "descriptor";
        case ForbiddenKind::kCompletion:
            return "completion";
        case ForbiddenKind::kCommand:
            return "command";
    }
    return "unknown";
}

void ForbiddenLog::add(unsigned port, Forbidden asked) {
    entries_.push_back({++newest_, port, std::move(asked)});
    if (entries_.size() > kKept) entries_.pop_front();
}

ForbiddenLog::Extract ForbiddenLog::extract(uint64_t after, size_t limit) const {
    Extract out{.newest = newest_, .lost = 0, .entries = {}};
    const uint64_t before = newest_ - entries_.size();  // number of the newest one that is gone
    if (after < before) out.lost = before - after;
    for (const Entry& entry : entries_)
        if (entry.number > after && out.entries.size() < limit) out.entries.push_back(entry);
    return out;
}

}  // namespace zcrxlab::nic
