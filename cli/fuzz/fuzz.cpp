// Starts a fuzz session, or prints the lists that it would run.
#include "cli/fuzz/fuzz.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "lists/fuzz/fuzz_session.hpp"
#include "lists/fuzz/model.hpp"

namespace zcrxlab {

int fuzz_command(const FuzzOptions& wanted) {
    FuzzOptions options = wanted;
    namespace fs = std::filesystem;
    if (options.vm.out.empty()) options.vm.out = "zcrxlab-fuzz";
    options.vm.out = fs::absolute(options.vm.out);
    if (options.print) {
        const ModelOptions model = model_options(options);
        for (uint64_t number = 0; number < options.lists; ++number)
            fmt::print("{}\n", to_text(random_list(model, number)));
        return 0;
    }
    return FuzzSession(options).run();
}

}  // namespace zcrxlab
