// Lists in files and folders of this machine.
#include "lists/language/action_files.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

class ActionFiles : public testing::Test {
  protected:
    ActionFiles() {
        std::string folder = testing::TempDir() + "action_files.XXXXXX";
        folder_ = ::mkdtemp(folder.data());
    }
    ~ActionFiles() override { fs::remove_all(folder_); }

    void write(const fs::path& name) {
        fs::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name) << "ring r1\n";
    }

    fs::path folder_;
};

TEST_F(ActionFiles, ThoseBelowAFolderAreFound) {
    write("b.actions");
    write("tcp/a.actions");
    write("tcp/notes.txt");
    const auto files = action_files(folder_);
    ASSERT_TRUE(files.ok()) << files.error().sentence;
    ASSERT_EQ(files->size(), 2U);
    EXPECT_EQ((*files)[0].second, "/actions/b.actions");
    EXPECT_EQ((*files)[1].second, "/actions/a.actions");
}

TEST_F(ActionFiles, TwoOfOneNameAreRefused) {
    write("tcp/a.actions");
    write("refill/a.actions");
    const auto files = action_files(folder_);
    ASSERT_FALSE(files.ok());
    EXPECT_NE(files.error().sentence.find("has this name, too"), std::string::npos);
}

TEST_F(ActionFiles, AFolderWithoutAnyIsRefused) {
    EXPECT_FALSE(action_files(folder_).ok());
}

// It would do nothing, and pass.
TEST_F(ActionFiles, AListWithoutActionsIsRefused) {
    std::ofstream(folder_ / "a.actions") << "# nothing\n\n";
    const auto files = action_files(folder_);
    ASSERT_FALSE(files.ok());
    EXPECT_NE(files.error().sentence.find("a.actions has no action"), std::string::npos);
}

}  // namespace
}  // namespace zcrxlab
