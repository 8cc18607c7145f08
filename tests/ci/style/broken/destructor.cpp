// expect: performance-trivially-destructible
struct Number {
    ~Number();
    int value = 0;
};

Number::~Number() = default;
