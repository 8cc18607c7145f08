// Joint: a port joined with a stream; what comes out of the one goes into the other, both ways.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "harness/lab/far/ethernet_port.hpp"

namespace zcrxlab {

class Joint {
  public:
    // `from` and `to` are the stream's two directions, maybe one descriptor; they stay the caller's
    // and become non-blocking. Two threads do it until the stream ends or this goes.
    static Result<std::unique_ptr<Joint>> make(std::unique_ptr<EthernetPort> port, int from,
                                               int to);
    Joint(const Joint&) = delete;
    Joint& operator=(const Joint&) = delete;
    ~Joint();

    // Why it has ended; nothing while it goes on. EPIPE where the other side went.
    std::optional<Error> end() const;
    // Readable once it has ended.
    int ended() const { return ended_.get(); }

  private:
    Joint(std::unique_ptr<EthernetPort> port, int from, int to);
    Result<void> out_of_port();
    Result<void> into_port();
    void run(Result<void> (Joint::*way)());
    // False when it is to stop.
    bool wait_for(int fd, short events) const;

    std::unique_ptr<EthernetPort> port_;
    int from_, to_;
    Fd stop_, ended_;
    mutable std::mutex mutex_;
    std::optional<Error> end_;
    std::thread out_, in_;
};

}  // namespace zcrxlab
