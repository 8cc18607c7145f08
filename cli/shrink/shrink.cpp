// Reads the failure and starts the search.
#include "cli/shrink/shrink.hpp"

#include <filesystem>
#include <utility>

#include "harness/base/fail.hpp"
#include "lists/bundle/failure.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

int shrink_command(const ShrinkOptions& wanted) {
    ShrinkOptions options = wanted;
    Result<Failure> failure = read_failure(options.what);
    if (!failure) return fail(failure.error());
    if (options.vm.out.empty()) options.vm.out = "zcrxlab-shrink";
    options.vm.out = fs::absolute(options.vm.out);
    std::error_code error;
    fs::create_directories(options.vm.out, error);
    const Result<int> code = shrink(options, *std::move(failure));
    return code ? *code : fail(code.error());
}

}  // namespace zcrxlab
