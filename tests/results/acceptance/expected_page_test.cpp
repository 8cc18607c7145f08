#include "results/acceptance/expected_page.hpp"

#include <gtest/gtest.h>

#include <string>

namespace zcrxlab {
namespace {

constexpr const char* kPageList =
    "# Scripts of somebody.\n"
    "# Two lines.\n"
    "#\n"
    "# How it is written.\n"
    "net/a.py a.one ok\n"
    "net/a.py a.two not-ok driver \"x\" It has no a|b.\n"
    "net/a.py a.three skip driver \"y\" It has no a|b.\n"
    "net/a.py a.four skip device \"y\" Ours has none.\n"
    "net/b.py b.five left-out kernel It takes the guest down.\n";

std::string page_of_list() {
    const auto tests = read_expected(kPageList);
    if (!tests) return tests.error().sentence;
    return expected_page({{"somebody", about_list(kPageList), *tests}});
}

TEST(ExpectedPage, EachScriptHasARowWithItsReasons) {
    const std::string page = page_of_list();
    EXPECT_NE(
        page.find("| `net/a.py` | 1 | 1 | 2 |  | driver 2: It has no a\\|b.<br>device 1: Ours "
                  "has none. |\n"),
        std::string::npos)
        << page;
    EXPECT_NE(page.find("| `net/b.py` |  |  |  | 1 | kernel 1: It takes the guest down. |\n"),
              std::string::npos)
        << page;
}

TEST(ExpectedPage, TheLastRowCountsAll) {
    const std::string page = page_of_list();
    EXPECT_TRUE(page.ends_with("| all: 5 tests | 1 | 1 | 2 | 1 | device 1, driver 2, kernel 1 |\n"))
        << page;
}

TEST(ExpectedPage, WhatAListIsAboutStandsOverItsTable) {
    EXPECT_EQ(about_list(kPageList), "Scripts of somebody.\nTwo lines.\n");
    EXPECT_EQ(about_list("net/a.py a.one ok\n"), "");
    EXPECT_NE(page_of_list().find("## somebody\nScripts of somebody.\nTwo lines.\n\n| script |"),
              std::string::npos)
        << page_of_list();
}

}  // namespace
}  // namespace zcrxlab
