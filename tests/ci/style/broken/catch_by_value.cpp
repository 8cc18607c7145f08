// expect: misc-throw-by-value-catch-by-reference
#include <stdexcept>

int main() {
    try {
        throw std::runtime_error("no");
    } catch (std::runtime_error error) {
        return error.what()[0];
    }
}
