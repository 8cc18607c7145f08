// zcrx-hide PLACE... -- COMMAND...: runs a command that finds the places empty.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <vector>

#include "harness/base/exit_code.hpp"
#include "vm/hide/covers.hpp"

int main(int argc, char** argv) {
    int at = 1;
    std::vector<std::filesystem::path> places;
    while (at < argc && std::strcmp(argv[at], "--") != 0) places.emplace_back(argv[at++]);
    if (at + 1 >= argc) {
        std::fprintf(stderr, "Usage: zcrx-hide PLACE... -- COMMAND...\n");
        return zcrxlab::kExitUsage;
    }
    if (auto covered = zcrxlab::cover(places); !covered) {
        std::fprintf(stderr, "%s\n", covered.error().sentence.c_str());
        return zcrxlab::kExitFailed;
    }
    ::execvp(argv[at + 1], argv + at + 1);
    std::perror(argv[at + 1]);
    return zcrxlab::kExitNotFound;
}
