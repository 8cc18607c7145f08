// The lists of what nobody could notice: what can be said of them without the kernel's source,
// which is not in this tree. That each row is about a mistake of it says --generate --try-none
// --check.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "harness/base/file.hpp"
#include "kernels/mutations/unnoticeable.hpp"
#include "kernels/standard.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

TEST(UnnoticeableLists, AreWholeAndForTheStandardKernel) {
    size_t rows = 0;
    const fs::path folder = fs::path(ZCRXLAB_SOURCE_DIR) / "kernel-config/unnoticeable";
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_directory()) continue;
        EXPECT_EQ(entry.path().extension(), ".list") << entry.path();
        const auto text = read_file(entry.path(), 1 << 20);
        ASSERT_TRUE(text) << text.error().sentence;
        const auto list = parse_unnoticeable(*text);
        ASSERT_TRUE(list) << entry.path() << ": " << list.error().sentence;
        EXPECT_TRUE(list->version.starts_with(std::string(standard::kKernelSeries) + "."))
            << entry.path() << " was written for " << list->version;
        for (const std::string& fault : faults_of(*list))
            ADD_FAILURE() << entry.path() << ": " << fault;
        rows += list->rows.size();
    }
    EXPECT_GT(rows, 0U);
}

}  // namespace
}  // namespace zcrxlab
