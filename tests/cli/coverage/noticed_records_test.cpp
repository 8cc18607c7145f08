// The records of who noticed which mistake: each is whole, about the source that it is called by,
// and of the kernel that the list of what nobody could notice was written for.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "harness/base/file.hpp"
#include "kernels/mutations/unnoticeable.hpp"
#include "results/coverage/attempts.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLimit = size_t{16} << 20;

TEST(NoticedRecords, AreOfTheSourceThatTheListsAreAbout) {
    const fs::path config = fs::path(ZCRXLAB_SOURCE_DIR) / "kernel-config";
    size_t records = 0;
    for (const auto& entry : fs::recursive_directory_iterator(config / "noticed")) {
        if (entry.is_directory()) continue;
        ASSERT_EQ(entry.path().filename(), "mutations.json");
        const auto text = read_file(entry.path(), kLimit);
        ASSERT_TRUE(text) << text.error().sentence;
        const auto record = attempts_from_json(*text);
        ASSERT_TRUE(record) << entry.path() << ": " << record.error().sentence;
        const std::string source =
            entry.path().parent_path().lexically_relative(config / "noticed").string();
        const auto listed = read_file(config / "unnoticeable" / (source + ".list"), kLimit);
        ASSERT_TRUE(listed) << listed.error().sentence;
        const auto list = parse_unnoticeable(*listed);
        ASSERT_TRUE(list) << list.error().sentence;
        EXPECT_TRUE(record->terms.starts_with(fmt::format("{} {:08x}", source, list->checksum)))
            << entry.path() << " is about: " << record->terms;
        EXPECT_FALSE(record->all.empty()) << entry.path();
        for (const Attempt& attempt : record->all) EXPECT_EQ(attempt.source, source);
        EXPECT_EQ(to_record(*record), *text) << entry.path() << " has more than a record has.";
        ++records;
    }
    EXPECT_GT(records, 0U);
}

}  // namespace
}  // namespace zcrxlab
