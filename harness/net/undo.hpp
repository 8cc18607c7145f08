// UndoStack: what was changed, to be put back in reverse order.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/result.hpp"

namespace zcrxlab {

class UndoStack {
  public:
    UndoStack() = default;
    UndoStack(UndoStack&&) = default;
    UndoStack& operator=(UndoStack&& other) noexcept {
        if (this != &other) {
            run();
            undos_ = std::exchange(other.undos_, {});
        }
        return *this;
    }
    UndoStack(const UndoStack&) = delete;
    UndoStack& operator=(const UndoStack&) = delete;
    ~UndoStack() { run(); }

    // `what` names the change for people: "header split of eth1".
    void push(std::string what, std::function<Result<void>()> undo) {
        undos_.push_back({std::move(what), std::move(undo)});
    }
    // The newest change is to stay.
    void dismiss_newest() {
        if (!undos_.empty()) undos_.pop_back();
    }
    size_t size() const { return undos_.size(); }
    // Undoes everything, newest first, also where one fails; what failed.
    std::vector<Error> run() {
        std::vector<Error> failed;
        while (!undos_.empty()) {
            Undo undo = std::move(undos_.back());
            undos_.pop_back();
            if (auto done = undo.run(); !done) {
                failed.push_back(
                    {done.error().code, "undo " + undo.what + ": " + done.error().sentence});
            }
        }
        return failed;
    }

  private:
    struct Undo {
        std::string what;
        std::function<Result<void>()> run;
    };
    std::vector<Undo> undos_;
};

}  // namespace zcrxlab
