// SharedLaboratory: a laboratory for several threads, of which one at a time has its turn. Who
// waits for a run leaves the turn to the others.
#pragma once

#include <mutex>
#include <string>
#include <utility>

#include "cli/coverage/laboratory.hpp"

namespace zcrxlab {

class SharedLaboratory : public Laboratory {
  public:
    // The laboratory has to live as long, and to stand several runs at once.
    explicit SharedLaboratory(Laboratory& laboratory) : laboratory_(laboratory) {}

    // A thread calls nothing here without it. It guards all else that the threads share, too, but
    // not while a run goes on: what was read before it may have changed behind it.
    std::unique_lock<std::mutex> turn() { return std::unique_lock(mutex_); }

    Result<std::string> read(const std::string& source) override {
        return laboratory_.read(source);
    }
    Result<void> write(const std::string& source, const std::string& text) override {
        return laboratory_.write(source, text);
    }
    Result<std::string> compile(const std::string& source) override {
        return laboratory_.compile(source);
    }
    Result<std::filesystem::path> build(const std::string& what) override {
        return laboratory_.build(what);
    }
    Result<std::filesystem::path> keep_kernel(const std::string& name) override {
        return laboratory_.keep_kernel(name);
    }
    Result<RunSummary> run(const ScenarioRun& order) override {
        mutex_.unlock();
        auto ran = laboratory_.run(order);
        mutex_.lock();
        return ran;
    }
    Result<ReachedMistakes> reach_of(const std::string& name) override {
        return laboratory_.reach_of(name);
    }

  private:
    Laboratory& laboratory_;
    std::mutex mutex_;
};

}  // namespace zcrxlab
