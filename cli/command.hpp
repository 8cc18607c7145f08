// A command of zcrxlab: a folder of cli/, and a row of the table in commands.cpp. The row of "run"
// is in cli/run/row.cpp, since the program zcrx-run has it, too.
//
// cli/NAME/ holds NAME.hpp (what the command takes, documented), options.cpp (how that is written
// on the command line), manual.cpp (what --help says behind the options) and NAME.cpp (what it
// does).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace zcrxlab {

struct Command {
    // A row has all five, or it does not compile. `Options` is a struct whose members begin with
    // the defaults. `add_options` declares the options that write to it, `run_it` does the work and
    // returns the exit code of the program.
    template <typename Options>
    Command(std::string_view its_name, std::string_view its_sentence,
            void (&add_options)(CLI::App&, Options&), std::string (&its_manual)(),
            int (&run_it)(const Options&))
        : name(its_name),
          sentence(its_sentence),
          manual(its_manual),
          declare([&add_options, &run_it](CLI::App& app) -> std::function<int()> {
              const auto options = std::make_shared<Options>();
              add_options(app, *options);
              return [options, &run_it] { return run_it(*options); };
          }) {}

    std::string_view name;      // as it is typed; its folder has the same name
    std::string_view sentence;  // what it does: "boots a VM, ..."; stands behind its name in lists
    std::string (*manual)();    // what --help says behind the options; has EXAMPLES
    // Declares its options on `app`. What comes back runs the command; call it once `app` was
    // parsed.
    std::function<std::function<int()>(CLI::App& app)> declare;
};

// All commands, in the order in which people need them.
std::span<const Command> commands();

}  // namespace zcrxlab
