// Pipe: sole owner of both ends of a pipe.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

enum class EmptyPipe {
    kWaits,      // a read waits until there is something, or no writer any more
    kSaysAgain,  // a read fails with EAGAIN
};

struct Pipe {
    Fd reading, writing;  // both are closed on exec

    static Result<Pipe> create(EmptyPipe when_empty = EmptyPipe::kWaits) {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) return error_from_errno("make a pipe");
        Pipe pipe{Fd(ends[0]), Fd(ends[1])};
        if (when_empty == EmptyPipe::kSaysAgain) ::fcntl(pipe.reading.get(), F_SETFL, O_NONBLOCK);
        return pipe;
    }
};

}  // namespace zcrxlab
