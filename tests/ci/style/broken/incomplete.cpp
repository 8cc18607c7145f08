// expect: clang-diagnostic-error: no template named 'map' in namespace 'std'
// A source that does not include what it uses.
#include <string>

std::map<int, std::string> names() {
    return {};
}
