// expect: bugprone-string-constructor
#include <string>

std::string dashes() {
    return std::string('-', 50);
}
