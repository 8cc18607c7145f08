// expect: readability-redundant-smartptr-get
#include <memory>

int value(const std::unique_ptr<int>& pointer) {
    return *pointer.get();
}
