// expect: bugprone-use-after-move
// In a function that only a template of the standard library calls.
#include <functional>
#include <string>
#include <utility>

int main() {
    const std::function<size_t(std::string)> size_twice = [](std::string value) {
        const std::string other = std::move(value);
        return other.size() + value.size();
    };
    return static_cast<int>(size_twice("text"));
}
