// expect: bugprone-sizeof-expression
#include <cstddef>

struct Entry {
    int value;
};

size_t size(const Entry* entries) {
    return sizeof(entries) / sizeof(entries[0]);
}
