// Stream: one connection of the peer, from its first byte to its end.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "harness/conform/check.hpp"
#include "harness/conform/peer_account.hpp"
#include "harness/conform/sha256.hpp"
#include "harness/conform/situation.hpp"
#include "harness/ring/pattern.hpp"

namespace zcrxlab {

class Stream {
  public:
    // `seed` chooses the pattern. `check`: what the receiver is to send back.
    Stream(const Situation& situation, uint64_t seed, Check check)
        : situation_(situation), pattern_(seed), check_(check) {}

    // Everything. `begun` is called once the first write has arrived, or never can; it returns
    // when the rest is to be sent. An end that the situation does not want is in the account.
    void run(const std::string& address, uint16_t port, const std::function<void()>& begun);

    // For others while it runs.
    uint64_t sent_so_far() const { return sent_so_far_.load(); }
    bool done_sending() const { return done_sending_.load(); }
    // When it has run.
    const PeerStream& account() const { return account_; }
    void is_afterwards() { account_.afterwards = true; }
    // The receiver is started anew, and may need a while until it listens.
    void waits_for_listener() { waits_for_listener_ = true; }

  private:
    using Clock = std::chrono::steady_clock;
    Result<Fd> connect(const std::string& address, uint16_t port) const;
    // False: it ended before.
    bool send(uint64_t until);
    bool wait_for_acknowledgement();
    void end();
    // Takes what came; waits at most so long. False once nothing more can come.
    bool read(int timeout_milliseconds);
    void compare(const std::byte* bytes, size_t count);
    void read_answer(const std::byte* bytes, size_t count);

    const Situation& situation_;
    const Pattern pattern_;
    const Check check_;
    bool waits_for_listener_ = false;
    Sha256 hash_;         // of what was sent
    std::string answer_;  // the beginning of what came back
    Fd socket_;
    PeerStream account_;
    std::atomic<uint64_t> sent_so_far_{0};
    std::atomic<bool> done_sending_{false};
};

}  // namespace zcrxlab
