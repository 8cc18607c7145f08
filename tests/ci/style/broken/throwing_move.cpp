// expect: performance-noexcept-move-constructor
#include <string>
#include <utility>

class Name {
  public:
    Name(Name&& other) : text_(std::move(other.text_)) {}

  private:
    std::string text_;
};
