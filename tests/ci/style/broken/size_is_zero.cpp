// expect: readability-container-size-empty
#include <vector>

bool nothing(const std::vector<int>& values) {
    return values.size() == 0;
}
