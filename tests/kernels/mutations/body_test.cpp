// Statements of a body: what each is, and where it begins and ends.
#include "kernels/mutations/body.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace zcrxlab {
namespace {

using Found = std::vector<std::pair<StatementKind, std::string>>;

Found found_in(std::string_view source) {
    const auto tokens = c_tokens(source);
    Found found;
    for (const Statement& statement : statements_of(tokens)) {
        std::string text;
        for (size_t i = statement.begin; i < statement.end; ++i) text += tokens[i].text;
        found.emplace_back(statement.kind, text);
    }
    return found;
}

using enum StatementKind;

TEST(Body, CallsAndAssignmentsAreToldFromDeclarations) {
    EXPECT_EQ(found_in("int a; struct b *c = d; e *f = g; h(i, j); k->l(m); n = o(p); q++; --r;"),
              (Found{{kDeclaration, "inta"},
                     {kDeclaration, "structb*c=d"},
                     {kDeclaration, "e*f=g"},
                     {kCall, "h(i,j)"},
                     {kCall, "k->l(m)"},
                     {kAssignment, "n=o(p)"},
                     {kAssignment, "q++"},
                     {kAssignment, "--r"}}));
}

TEST(Body, ACallMayHaveTwoPairsOfParentheses) {
    EXPECT_EQ(found_in("guard(mutex)(&a->b); (void)c(d);"),
              (Found{{kCall, "guard(mutex)(&a->b)"}, {kCall, "(void)c(d)"}}));
}

TEST(Body, ConditionsAreWithoutTheirParentheses) {
    EXPECT_EQ(found_in("if (a && (b)) { c(); } else if (d) return e; while (f) g = 1;"),
              (Found{{kIf, "a&&(b)"},
                     {kCall, "c()"},
                     {kIf, "d"},
                     {kReturn, "e"},
                     {kLoop, "f"},
                     {kAssignment, "g=1"}}));
}

TEST(Body, LoopsHaveTheirCondition) {
    EXPECT_EQ(
        found_in("for (i = 0; i < n; i++) f(i); do { g(); } while (h); for (;;) break;"),
        (Found{{kHead, "i=0"}, {kLoop, "i<n"}, {kCall, "f(i)"}, {kCall, "g()"}, {kLoop, "h"}}));
}

TEST(Body, MacrosThatLoopAreHeads) {
    EXPECT_EQ(found_in("list_for_each_entry(a, &b, c) d(a); scoped_guard(mutex, &e) { f(); }"),
              (Found{{kHead, "a,&b,c"}, {kCall, "d(a)"}, {kHead, "mutex,&e"}, {kCall, "f()"}}));
}

TEST(Body, LabelsAndCasesAreNone) {
    EXPECT_EQ(found_in("switch (a) { case B: c(); break; default: goto out; } out: d();"),
              (Found{{kHead, "a"}, {kCall, "c()"}, {kCall, "d()"}}));
}

TEST(Body, WhatMakesNoSenseEndsIt) {
    EXPECT_EQ(found_in("a(); b = c"), (Found{{kCall, "a()"}}));
    EXPECT_EQ(found_in("if"), Found{});
    EXPECT_EQ(found_in("if (a"), (Found{{kIf, "a"}}));
    EXPECT_EQ(found_in(")]}"), Found{});
}

}  // namespace
}  // namespace zcrxlab
