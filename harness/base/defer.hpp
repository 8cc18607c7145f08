// Defer: runs an undo when its scope ends, written on the line after what it undoes.
#pragma once

#include <functional>
#include <utility>

namespace zcrxlab {

class Defer {
  public:
    explicit Defer(std::function<void()> undo) : undo_(std::move(undo)) {}
    Defer(Defer&& other) noexcept : undo_(std::exchange(other.undo_, nullptr)) {}
    Defer& operator=(Defer&& other) noexcept {
        if (this != &other) {
            run();
            undo_ = std::exchange(other.undo_, nullptr);
        }
        return *this;
    }
    Defer(const Defer&) = delete;
    Defer& operator=(const Defer&) = delete;
    ~Defer() { run(); }

    // The change is to stay: forget the undo.
    void dismiss() { undo_ = nullptr; }
    // Undo now; a second call does nothing.
    void run() {
        if (auto undo = std::exchange(undo_, nullptr)) undo();
    }

  private:
    std::function<void()> undo_;
};

}  // namespace zcrxlab
