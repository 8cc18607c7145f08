// The lists of what nobody could notice: each row is still about a mistake of the standard kernel.
#include <gtest/gtest.h>

#include <filesystem>

#include "harness/base/file.hpp"
#include "kernels/mutations/unnoticeable.hpp"
#include "kernels/packages/cache.hpp"
#include "kernels/standard.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

// Where its sources have been unpacked; --generate says the same of any.
TEST(UnnoticeableLists, AreAboutMistakesOfTheStandardKernel) {
    const fs::path folder = fs::path(ZCRXLAB_SOURCE_DIR) / "kernel-config/unnoticeable";
    const auto cache = Cache::from_environment();
    const fs::path tree =
        cache ? cache->root() / "sources" / (std::string(standard::kKernelSeries) + "-tree") : "";
    const bool is_there = fs::exists(tree);
    size_t lists = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.path().extension() != ".list") continue;
        ++lists;
        const auto text = read_file(entry.path(), 1 << 20);
        ASSERT_TRUE(text);
        const auto rows = parse_unnoticeable(*text);
        ASSERT_TRUE(rows) << entry.path() << ": " << rows.error().sentence;
        const fs::path source = entry.path().lexically_relative(folder).replace_extension();
        if (!is_there) continue;
        const auto kernel = read_file(tree / source, 4 << 20);
        ASSERT_TRUE(kernel) << kernel.error().sentence;
        for (const std::string& misfit : misfits(*rows, mutants_of(*kernel), *kernel))
            ADD_FAILURE() << entry.path() << ": " << misfit;
    }
    EXPECT_GT(lists, 0U);
    if (!is_there)
        GTEST_SKIP() << "The rows were read, and not compared: " << tree
                     << " is not there. To get it, type: vm/zcrxlab kernel build";
}

}  // namespace
}  // namespace zcrxlab
