// expect: bugprone-use-after-move
// A template of ours, whose type is the standard library's.
#include <string>
#include <utility>

namespace {

template <typename T>
size_t size_twice(T value) {
    T other = std::move(value);
    return other.size() + value.size();
}

}  // namespace

int main() {
    return static_cast<int>(size_twice(std::string("text")));
}
