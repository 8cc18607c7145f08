// The saved command of an object: how it is read, and that it makes the object elsewhere.
#include "kernels/build/saved_command.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "kernels/build/kernel_build.hpp"
#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

TEST(SavedCommand, MakesTheObjectElsewhere) {
    const auto command = saved_command(
        "savedcmd_io_uring/x.o := gcc -Wp,-MMD,io_uring/.x.o.d -DNAME='\"x\"' -DA=$(pound)$$b  -c "
        "-o io_uring/x.o /t/io_uring/x.c ; ./objtool io_uring/x.o\n\n"
        "source_io_uring/x.o := /t/io_uring/x.c\n",
        "io_uring/x.o", "other.o");
    ASSERT_TRUE(command) << command.error().sentence;
    EXPECT_EQ(*command,
              "gcc -Wp,-MMD,/dev/null -DNAME='\"x\"' -DA=#$b  -c -o other.o /t/io_uring/x.c ; "
              "./objtool other.o");
}

TEST(SavedCommand, MayBeMissing) {
    for (const char* text :
         {"", "savedcmd_y.o := gcc\n", "savedcmd_x.o :=", "x\nsavedcmd_x.o := $(CC)",
          "savedcmd_x.o := a$", "deps_x.o := savedcmd_x.o := gcc"})
        EXPECT_FALSE(saved_command(text, "x.o", "y.o")) << text;
}

class BuildObject : public testing::Test {
  protected:
    BuildObject() {
        plan_.source = folder_.path() / "tree";
        plan_.output = folder_.path() / "out";
        folder_.write("out/io_uring/x.o", "made by make");
        folder_.write("tree/Makefile", "io_uring/x.o:\n\techo by make > $(O)/io_uring/x.o\n");
    }
    void save(const std::string& command) const {
        folder_.write("out/io_uring/.x.o.cmd", "savedcmd_io_uring/x.o := " + command + "\n");
    }

    TemporaryFolder folder_;
    KernelBuildPlan plan_;
};

TEST_F(BuildObject, RunsTheSavedCommandAndLeavesTheObjectAsItIs) {
    folder_.write("x.c", "int x;");
    save("cp ../x.c io_uring/x.o");
    const auto object = build_object(plan_, "io_uring/x.o");
    ASSERT_TRUE(object) << object.error().sentence;
    EXPECT_EQ(*object, "int x;");
    EXPECT_EQ(folder_.read("out/io_uring/x.o"), "made by make");
}

TEST_F(BuildObject, SaysAllThatTheCompilerSays) {
    save("echo x.c:1:1: error: one; echo x.c:2:1: error: two >&2; false io_uring/x.o");
    const auto object = build_object(plan_, "io_uring/x.o");
    ASSERT_FALSE(object);
    EXPECT_EQ(object.error().code, EIO);
    EXPECT_EQ(object.error().sentence, "x.c:1:1: error: one\nx.c:2:1: error: two\n");
}

// A makefile's line has several commands; none of them may fail unheard.
TEST_F(BuildObject, FailsWhereTheFirstOfSeveralCommandsFails) {
    save("false; echo code > io_uring/x.o ");
    EXPECT_FALSE(build_object(plan_, "io_uring/x.o"));
}

TEST_F(BuildObject, WithoutASavedCommandMakeIsAsked) {
    const auto object = build_object(plan_, "io_uring/x.o");
    ASSERT_TRUE(object) << object.error().sentence;
    EXPECT_EQ(*object, "by make\n");
}

}  // namespace
}  // namespace zcrxlab
