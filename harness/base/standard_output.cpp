// Streams of the C library whose writing never fails (fopencookie(3)): libfmt throws where a write
// fails, and a throw would take the guests and their results along.
#include "harness/base/standard_output.hpp"

#include <fmt/format.h>
#include <sys/types.h>
#include <unistd.h>
#include <ext/stdio_sync_filebuf.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "harness/base/exit_code.hpp"

namespace zcrxlab {

namespace {

struct Stream {
    int fd;
    int failure = 0;  // errno of the first write that failed; nothing is written after it
};
std::array<Stream, 2> streams{{{STDOUT_FILENO}, {STDERR_FILENO}}};

ssize_t write_to(void* cookie, const char* bytes, size_t size) {
    auto& stream = *static_cast<Stream*>(cookie);
    for (size_t done = 0; done < size && stream.failure == 0;) {
        const ssize_t count = ::write(stream.fd, bytes + done, size - done);
        if (count >= 0) {
            done += static_cast<size_t>(count);
        } else if (errno != EINTR) {
            stream.failure = errno;
        }
    }
    return static_cast<ssize_t>(size);
}

std::FILE* open_stream(Stream& stream, int buffering) {
    std::FILE* const file = ::fopencookie(&stream, "w", {nullptr, write_to, nullptr, nullptr});
    if (file != nullptr) std::setvbuf(file, nullptr, buffering, BUFSIZ);
    return file;
}

}  // namespace

StandardOutput::StandardOutput() {
    const int buffering = ::isatty(STDOUT_FILENO) != 0 ? _IOLBF : _IOFBF;
    if (std::FILE* const output = open_stream(streams[0], buffering); output != nullptr) {
        stdout = output;
        static __gnu_cxx::stdio_sync_filebuf<char> same(output);
        std::cout.rdbuf(&same);
    }
    if (std::FILE* const error = open_stream(streams[1], _IONBF); error != nullptr) stderr = error;
}

int StandardOutput::finish(int exit_code) {
    ::signal(SIGPIPE, SIG_IGN);
    const int& failure = streams[0].failure;
    std::fflush(stdout);
    if (failure == 0 || failure == EPIPE) return exit_code;
    fmt::print(stderr, "zcrxlab: Standard output was not written as a whole: {}.\n",
               std::strerror(failure));
    return exit_code_of_unwritten(exit_code);
}

}  // namespace zcrxlab
