// FaultAttributes: the files in debugfs by which one kind of failure is asked for.
//
// Source: Documentation/fault-injection/fault-injection.rst, "debugfs entries".
#pragma once

#include <cstdint>
#include <string>

#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

class FaultAttributes {
  public:
    // `folder` is that of the kind in debugfs, with a slash at its end. Nothing is written yet.
    FaultAttributes(Scene& scene, std::string folder) : scene_(scene), folder_(std::move(folder)) {}

    // Every call counts, whoever makes it, and nothing fails yet. The scenario ends if the kernel
    // does not take that.
    void prepare();
    // From now on so many of 100 calls fail, `times` in all (0: without an end).
    void fail(uint32_t percent, uint32_t times);
    void stop() { set("probability", "0"); }
    // How many more would fail, after fail() with a number of times.
    uint32_t left() const;
    // Ends the scenario if the kernel does not take it.
    void set(const std::string& knob, const std::string& value);

  private:
    Scene& scene_;
    std::string folder_;
};

}  // namespace zcrxlab
