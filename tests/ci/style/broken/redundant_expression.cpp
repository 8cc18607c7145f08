// expect: misc-redundant-expression
bool same(int a, int b) {
    return a == b || a == b;
}
