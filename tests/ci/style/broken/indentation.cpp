// expect: readability-misleading-indentation
// clang-format off
int next(int value) {
    if (value > 0)
        ++value;
        ++value;
    return value;
}
