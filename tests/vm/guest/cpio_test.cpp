// An archive is read as it was written, several of them too, and a broken one is refused.
#include "vm/guest/cpio.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <vector>

namespace zcrxlab {
namespace {

std::string archive(const std::string& path, const std::string& content) {
    CpioWriter writer;
    writer.add_file(path, content, 0640);
    return writer.finish();
}

// "path=content" of each entry, in order; "broken" in place of what cannot be read.
std::vector<std::string> read_all(const std::string& text) {
    std::vector<std::string> entries;
    CpioReader reader(text);
    for (;;) {
        const auto entry = reader.next();
        if (!entry) {
            entries.emplace_back("broken");
            return entries;
        }
        if (!*entry) return entries;
        entries.push_back(std::string((*entry)->path) + "=" + std::string((*entry)->content));
    }
}

TEST(CpioReader, ReadsWhatWasWritten) {
    CpioWriter writer;
    writer.add_file("/bin/a", "four", 0755);
    writer.add_link("/bin/b", "a");
    writer.add_character_device("/dev/console", 5, 1);
    const std::string text = writer.finish();
    EXPECT_EQ(read_all(text),
              (std::vector<std::string>{"bin=", "bin/a=four", "bin/b=a", "dev=", "dev/console="}));
    CpioReader reader(text);
    EXPECT_EQ((*reader.next())->mode, S_IFDIR | 0755U);
    EXPECT_EQ((*reader.next())->mode, S_IFREG | 0755U);
    EXPECT_EQ((*reader.next())->mode, S_IFLNK | 0777U);
    (void)reader.next().ok();
    const auto console = *reader.next();
    EXPECT_EQ(console->mode, S_IFCHR | 0600U);
    EXPECT_EQ(console->major, 5U);
    EXPECT_EQ(console->minor, 1U);
}

TEST(CpioReader, ReadsSeveralWithZerosBetweenAndBehindThem) {
    const std::string zeros(5000, '\0');
    EXPECT_EQ(read_all(archive("/a", "1") + zeros + archive("/b", "22") + zeros),
              (std::vector<std::string>{"a=1", "b=22"}));
    EXPECT_TRUE(read_all("").empty());
    EXPECT_TRUE(read_all(zeros).empty());
}

TEST(CpioReader, RefusesWhatIsCutOrNone) {
    const std::string whole = archive("/a", std::string(100, 'x'));
    for (const size_t size : {size_t{1}, size_t{50}, size_t{109}, size_t{111}, size_t{150}})
        EXPECT_EQ(read_all(whole.substr(0, size)).back(), "broken") << size;
    EXPECT_EQ(read_all("070702" + whole.substr(6)).back(), "broken");
    std::string endless = whole;
    endless.replace(6 + 6 * 8, 8, "ffffffff");  // the size of the file
    EXPECT_EQ(read_all(endless).back(), "broken");
    std::string nameless = whole;
    nameless.replace(6 + 11 * 8, 8, "00000000");  // the size of the name
    EXPECT_EQ(read_all(nameless).back(), "broken");
}

}  // namespace
}  // namespace zcrxlab
