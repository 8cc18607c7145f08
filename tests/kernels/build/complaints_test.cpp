// Complaints of a compiler: which lines they are about.
#include "kernels/build/complaints.hpp"

#include <gtest/gtest.h>

namespace zcrxlab {
namespace {

using Lines = std::set<uint32_t>;

constexpr const char* kComplained = "io_uring/x.c";

TEST(Complaints, AreReadByTheLineTheyAreAbout) {
    EXPECT_EQ(lines_complained_of("/t/io_uring/x.c: In function 'f':\n"
                                  "/t/io_uring/x.c:12:9: error: 'a' undeclared\n"
                                  "   12 |  a = 1;\n"
                                  "/t/include/y.h:7:1: error: not constant\n"
                                  "/t/io_uring/x.c:30:2: note: in expansion of macro 'Y'\n"
                                  "/t/io_uring/x.c:40:2: warning: unused variable\n"
                                  "make[2]: *** [io_uring/x.o] Error 1\n",
                                  kComplained),
              (Lines{12, 30}));
}

TEST(Complaints, MayBeAnything) {
    for (const char* output : {"", "\n", "io_uring/x.c:", "io_uring/x.c:99999999999: error:",
                               "io_uring/x.c:-1: error:", "x.c:3: error:", "io_uring/x.cc:3: e"})
        EXPECT_EQ(lines_complained_of(output, kComplained), Lines{}) << output;
}

}  // namespace
}  // namespace zcrxlab
