// expect: bugprone-branch-clone
int sign(int value) {
    if (value < 0) return 1;
    if (value > 0) {
        return 2;
    } else {
        return 2;
    }
}
