// Reads on from the offset at which the last look ended.
#include "harness/base/tail.hpp"

#include <fstream>
#include <iterator>

namespace zcrxlab {

std::vector<std::string> Tail::take() {
    std::vector<std::string> lines;
    std::ifstream file(path_, std::ios::binary);
    if (!file || !file.seekg(static_cast<std::streamoff>(offset_))) return lines;
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    size_t begin = 0;
    for (size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
        lines.push_back(text.substr(begin, end - begin));
    offset_ += begin;
    return lines;
}

}  // namespace zcrxlab
