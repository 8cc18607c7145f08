// Reads variables of the environment.
#include "vm/guest/init/environment.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "harness/base/pipe.hpp"
#include "vm/guest/init/launch.hpp"
#include "vm/guest/init/system.hpp"

namespace zcrxlab {

Variables parse_variables(std::string_view text, char end) {
    Variables list;
    while (!text.empty()) {
        const size_t size = std::min(text.find(end), text.size());
        const std::string_view piece = text.substr(0, size);
        text.remove_prefix(std::min(size + 1, text.size()));
        const size_t equals = piece.find('=');
        if (equals == std::string_view::npos || equals == 0) continue;
        list.emplace_back(piece.substr(0, equals), piece.substr(equals + 1));
    }
    return list;
}

Result<Variables> wait_for_environment(RecordPort& port, int milliseconds) {
    Variables list;
    Result<void> broken;
    wait_until(milliseconds, [&] {
        for (;;) {
            const auto record = port.receive();
            if (!record) broken = record.error();
            if (!record || !*record) return !record;
            if ((*record)->type != RecordType::kEnvironment) continue;
            list = parse_variables((*record)->json, '\0');
            return true;
        }
    });
    if (!broken) return broken.error();
    return list;
}

Result<Variables> run_preparation(const std::vector<std::string>& command,
                                  const std::vector<std::string>& environment) {
    Result<Pipe> pipe = Pipe::create();
    if (!pipe) return pipe.error();
    Launch launch;
    launch.arguments = command;
    launch.environment = environment;
    launch.output = launch.error = pipe->writing.get();
    const Result<pid_t> pid = start_program(launch);
    if (!pid) return pid.error();
    pipe->writing.reset();
    std::string output;
    std::array<char, 4096> chunk{};
    for (ssize_t got = 0; (got = ::read(pipe->reading.get(), chunk.data(), chunk.size())) != 0;) {
        if (got > 0) output.append(chunk.data(), static_cast<size_t>(got));
        if (got < 0 && errno != EINTR) break;
    }
    int status = 0;
    while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0) return Error{EIO, output.substr(0, output.find_last_not_of('\n') + 1)};
    return parse_variables(output, '\n');
}

}  // namespace zcrxlab
