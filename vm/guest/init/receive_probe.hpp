// ReceiveProbe: asks the kernel to count what zero-copy receive does for programs, by probes on its
// functions: no program has to help.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zcrxlab {

class ReceiveProbe {
  public:
    // Counts from now on. To be called while only one CPU runs: a kernel with several that is
    // emulated may stumble over code that is changed beneath it.
    void start();
    // Counts from nothing again.
    void clear();
    // Everything that was counted, as the fields of a JSON object: "counts", by name of the probe
    // the text of the kernel's histograms; "failed", by name why there is none; "missed", how often
    // a probe was hit while it could not count.
    std::string take() const;
    // What changes while a program runs: the same with nothing but "counts" of the probes that cost
    // little to read.
    std::string sample() const;
    // Page pools of zero-copy receive that are there: 0 once every ring has given back its queue.
    uint64_t providers() const;

  private:
    struct Failure {
        std::string_view name;
        std::string why;
    };
    std::vector<Failure> failures_;
};

}  // namespace zcrxlab
