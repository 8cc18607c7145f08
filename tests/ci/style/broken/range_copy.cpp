// expect: performance-for-range-copy
#include <string>
#include <vector>

size_t total(const std::vector<std::string>& words) {
    size_t size = 0;
    for (const std::string word : words) size += word.size();
    return size;
}
