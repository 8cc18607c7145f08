// expect: performance-implicit-conversion-in-loop
#include <map>
#include <string>
#include <utility>

size_t total(const std::map<int, std::string>& words) {
    size_t size = 0;
    for (const std::pair<int, std::string>& word : words) size += word.second.size();
    return size;
}
