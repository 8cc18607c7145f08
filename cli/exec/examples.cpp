// Prints each example with its build command and a call of exec.
#include "cli/exec/examples.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "harness/base/fail.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

struct ReadyProgram {
    const char* source;  // below examples/
    const char* what;
    // How it is built; {source} is its file, {build} the folder of the build.
    const char* build;
    const char* run;      // after the options of exec that all have
    bool several_queues;  // it takes more than one
};

constexpr std::array<ReadyProgram, 4> kReadyPrograms{
    {{"zcrx_receiver.c",
      "A receiver in system calls alone, one process for each receive queue; it explains each "
      "step.",
      "cc -O2 -Wall -o zcrx_receiver {source}", "./zcrx_receiver", true},
     {"zcrx_ifq_receiver.c",
      "The same with a header to be copied, zcrx_ifq.h, in which what is easy to get wrong is an "
      "error.",
      "cc -O2 -Wall -o zcrx_ifq_receiver {source}", "./zcrx_ifq_receiver", false},
     {"zcrx_receiver.rs", "The same in Rust, without a crate.",
      "rustc --edition 2021 -O -o zcrx_receiver_rs {source}", "./zcrx_receiver_rs", false},
     {"zcrx_receiver.cpp", "The same in C++ on our harness, one thread for each receive queue.",
      "ninja -C {build} zcrx-receiver", "{build}/bin/zcrx-receiver", true}}};

// As it is typed from here.
std::string typed(const fs::path& path) {
    std::error_code error;
    const std::string near = fs::proximate(path, error).string();
    return error || near.starts_with("../") || near.empty() ? path.string() : near;
}

}  // namespace

int list_examples(const std::string& self, const std::string& command, const std::string& options) {
    std::error_code error;
    const fs::path source = ZCRXLAB_SOURCE_DIR;
    if (!fs::exists(source / "examples", error))
        return fail(Error{ENOENT, "There is no " + (source / "examples").string() +
                                      "; the examples are in the checkout that this was built "
                                      "from."});
    const fs::path build =
        fs::read_symlink("/proc/self/exe", error).parent_path().parent_path().string();
    for (const ReadyProgram& program : kReadyPrograms) {
        const auto words = [&](const char* line) {
            return fmt::format(fmt::runtime(line),
                               fmt::arg("source", typed(source / "examples" / program.source)),
                               fmt::arg("build", typed(build)));
        };
        fmt::print("{}examples/{}\n  {}\n    {}\n", &program == kReadyPrograms.data() ? "" : "\n",
                   program.source, program.what, words(program.build));
        fmt::print("    {} {} --port 8080 {}{}-- {}\n", self, command,
                   program.several_queues ? "--queues 2 " : "", options, words(program.run));
    }
    return 0;
}

}  // namespace zcrxlab
