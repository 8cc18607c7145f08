// Programs: their loader, their libraries, and how they get smaller.
#include "vm/image/program_files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

std::string own_bytes() {
    std::ifstream stream("/proc/self/exe", std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(ProgramFiles, TheLoaderIsFound) {
    const auto loader = program_loader(own_bytes());
    ASSERT_TRUE(loader);
    EXPECT_NE(loader->find("/ld-"), std::string::npos) << *loader;
}

TEST(ProgramFiles, LibrariesHaveAbsolutePathsAndExist) {
    const auto libraries = program_libraries("/proc/self/exe");
    ASSERT_TRUE(libraries) << libraries.error().sentence;
    EXPECT_GE(libraries->size(), 3U);
    for (const auto& library : *libraries) {
        EXPECT_TRUE(library.is_absolute()) << library;
        EXPECT_TRUE(std::filesystem::exists(library)) << library;
    }
}

TEST(ProgramFiles, NoProgramIsAnError) {
    TemporaryFolder folder;
    EXPECT_EQ(program_libraries(folder.write("text", "hello")).error().code, EINVAL);
    EXPECT_FALSE(program_libraries(folder.path() / "absent"));
}

TEST(ProgramFiles, ATrimmedProgramIsSmallerAndStillRuns) {
    const std::string trimmed = without_debug_information(own_bytes());
    EXPECT_LT(trimmed.size(), own_bytes().size());
    TemporaryFolder folder;
    const auto file = folder.write("trimmed", trimmed);
    ASSERT_EQ(::chmod(file.c_str(), 0755), 0);
    EXPECT_EQ(std::system((file.string() + " --gtest_list_tests >/dev/null").c_str()), 0);
}

TEST(ProgramFiles, WhatIsNoElfFileStaysAsItIs) {
    EXPECT_EQ(without_debug_information("#!/bin/sh\n"), "#!/bin/sh\n");
    EXPECT_EQ(without_debug_information(""), "");
    const std::string cut = own_bytes().substr(0, 500);
    EXPECT_EQ(without_debug_information(cut), cut);
}

}  // namespace
}  // namespace zcrxlab
