// Restores once, at the latest when the object goes away.
#include "cli/lab/restoration.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "harness/lab/journals.hpp"

namespace zcrxlab {

Restoration::~Restoration() {
    if (!done_) restore();
}

int Restoration::restore() {
    done_ = true;
    fmt::print("Restoring:\n");
    std::fflush(stdout);
    return restore_from(file_, journal_);
}

}  // namespace zcrxlab
