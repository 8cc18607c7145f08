// expect: modernize-use-override
struct Base {
    virtual ~Base() = default;
    virtual int value() const { return 0; }
};

struct Derived : Base {
    virtual int value() const { return 1; }
};

int main() {
    return Derived().value();
}
