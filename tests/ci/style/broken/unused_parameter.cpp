// expect: misc-unused-parameters
namespace {

int half(int value, int unused) {
    return value / 2;
}

}  // namespace

int main() {
    return half(2, 1);
}
