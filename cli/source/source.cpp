// Finds or fetches the source of a kernel, its headers, liburing, or tools for its tests, and
// prints the path.
#include "cli/source/source.hpp"

#include <fmt/format.h>

#include "harness/base/fail.hpp"
#include "harness/base/progress.hpp"
#include "kernels/kernel_headers.hpp"
#include "kernels/kernel_source.hpp"
#include "kernels/liburing_source.hpp"
#include "kernels/newer_tools.hpp"

namespace zcrxlab {

int source_command(const SourceOptions& options) {
    const Progress progress = progress_for_people();
    const auto source = options.what == "liburing"  ? find_liburing_source(progress)
                        : options.what == "tools"   ? find_newer_tools(progress)
                        : options.what == "headers" ? find_kernel_headers(options.version, progress)
                                                    : find_kernel_source(options.version, progress);
    if (!source) return fail(source.error());
    fmt::print("{}\n", source->string());
    return 0;
}

}  // namespace zcrxlab
