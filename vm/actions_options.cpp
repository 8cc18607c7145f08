// Names and meanings of the options of zcrxlab fuzz and zcrxlab shrink.
#include "vm/actions_options.hpp"

namespace zcrxlab {

namespace {

constexpr unsigned kMostBatch = 1000;

}  // namespace

void add_silence_option(CLI::App& command, VmOptions& options) {
    command
        .add_option("--silence", options.silence,
                    "Seconds without a sign of life after which the guest is given up as hung; "
                    "default: somewhat more than a test may take")
        ->type_name("S")
        ->check(CLI::PositiveNumber.description(""))
        ->group("THE RUN");
}

void add_fuzz_options(CLI::App& command, FuzzOptions& options) {
    add_silence_option(command, options.vm);
    const char* group = "THE LISTS";
    command.add_option("--time", options.seconds, "Seconds after which it ends")
        ->type_name("S")
        ->capture_default_str()
        ->group(group);
    command.add_option("--lists", options.lists, "End after so many lists; default: no end")
        ->type_name("N")
        ->check(CLI::PositiveNumber.description(""))
        ->group(group);
    command.add_option("--jobs", options.jobs, "VMs side by side")
        ->type_name("N")
        ->check(CLI::Range(1U, kMostVms).description(""))
        ->capture_default_str()
        ->group(group);
    command.add_option("--batch", options.batch, "Lists for each VM")
        ->type_name("N")
        ->check(CLI::Range(1U, kMostBatch).description(""))
        ->capture_default_str()
        ->group(group);
    command
        .add_option("--corpus", options.corpus,
                    "Take the lists of this folder up again, and keep those there that reach new "
                    "code of a kernel built for coverage")
        ->type_name("DIR")
        ->group(group);
    command
        .add_flag("--print", options.print, "Print the lists (--lists of them), and run nothing")
        ->group(group);
    command.parse_complete_callback([&options] {
        if (options.print && options.lists == UINT64_MAX) options.lists = 10;
    });
}

void add_shrink_options(CLI::App& command, ShrinkOptions& options) {
    add_silence_option(command, options.vm);
    const char* group = "THE LIST";
    command.add_option("what", options.what, "A list of actions, or the folder of a failure")
        ->required()
        ->group("");
    command
        .add_option("--good", options.good,
                    "A kernel without the bug; a smaller list that fails there, too, in the same "
                    "way, asks for what was never promised, and is not taken")
        ->type_name("VERSION|FILE|DIR")
        ->group(group);
    command
        .add_option("--repeats", options.repeats,
                    "Runs from which it is told how often the list fails")
        ->type_name("N")
        ->check(CLI::Range(1U, kMostBatch).description(""))
        ->capture_default_str()
        ->group(group);
    command.add_option("--batch", options.batch, "Lists for each VM")
        ->type_name("N")
        ->check(CLI::Range(1U, kMostBatch).description(""))
        ->capture_default_str()
        ->group(group);
    command
        .add_option("--time", options.seconds,
                    "Seconds after which nothing smaller is tried any more")
        ->type_name("S")
        ->capture_default_str()
        ->group(group);
    command.add_option("--candidates", options.candidates, "Smaller lists tried in one step")
        ->type_name("N")
        ->check(CLI::Range(1U, kMostBatch).description(""))
        ->capture_default_str()
        ->group(group);
    command.footer(" FAILURE|LIST");
}

}  // namespace zcrxlab
