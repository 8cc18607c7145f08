// expect: readability-duplicate-include
// clang-format off
#include <string>
#include <vector>
#include <string>

std::string text(const std::vector<char>& from) {
    return {from.begin(), from.end()};
}
