// What most tests include before anything of ours, compiled once for all of them.
#include <gtest/gtest.h>
