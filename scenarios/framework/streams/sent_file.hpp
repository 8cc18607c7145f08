// SentFile: a stream as a file in memory, which senders hand to the kernel with sendfile().
//
// They neither make nor copy a byte, so that what is measured is the receiver.
#pragma once

#include <cstdint>

#include "harness/base/fd.hpp"
#include "harness/ring/pattern.hpp"
#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

class SentFile {
  public:
    // Of `bytes`, filled with the pattern of the scene's seed. Ends the scenario if there is no
    // memory for it.
    SentFile(Scene& scene, uint64_t bytes);

    const Pattern& pattern() const { return pattern_; }
    // Sends the first `bytes` of it and the end of the stream; false if the receiver went away.
    bool send(int socket, uint64_t bytes) const;

  private:
    Fd file_;
    Pattern pattern_;
};

}  // namespace zcrxlab
