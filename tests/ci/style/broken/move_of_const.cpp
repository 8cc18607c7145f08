// expect: performance-move-const-arg
#include <string>
#include <utility>

std::string taken(const std::string& text) {
    return std::move(text);
}
