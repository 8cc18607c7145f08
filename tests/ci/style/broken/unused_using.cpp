// expect: misc-unused-using-decls
#include <vector>

using std::vector;

int main() {
    return 0;
}
