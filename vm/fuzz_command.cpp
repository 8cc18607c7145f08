// zcrxlab fuzz: random lists, VM after VM, and the failures by what they showed.
#include <fmt/format.h>

#include <filesystem>

#include "vm/commands.hpp"
#include "vm/fuzz/model.hpp"
#include "vm/fuzz_session.hpp"

namespace zcrxlab {

int fuzz_command(FuzzOptions options) {
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
