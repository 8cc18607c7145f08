// Body: the statements of a C function, as far as mistakes can be made in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/c_source/tokens.hpp"

namespace zcrxlab {

enum class StatementKind : uint8_t {
    kCall,         // "f(x);", and "guard(mutex)(&x);"
    kAssignment,   // "x = 1;", "x |= 2;", "x++;"
    kDeclaration,  // "int x = 1;"
    kReturn,       // "return x;"
    kIf,           // what stands between its parentheses
    kLoop,         // of while and for: the condition
    kHead,   // what else stands between parentheses: switch, list_for_each_entry, scoped_guard
    kOther,  // any other expression
};

// Tokens of the body, from `begin` to before `end`; a statement's semicolon is not among them.
struct Statement {
    StatementKind kind;
    size_t begin, end;
};

// `tokens` are those between the braces of the body. In their order. What makes no sense ends what
// is found, and nothing else; blocks may be nested as deeply as the tokens say.
std::vector<Statement> statements_of(std::span<const CToken> tokens);

// Whether an operator behind `token` has two operands.
bool ends_operand(const CToken& token);

// The token that closes what tokens[open] opens, or tokens.size().
size_t closing(std::span<const CToken> tokens, size_t open);

}  // namespace zcrxlab
