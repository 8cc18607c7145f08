// Connection: one connection of zcrx-send, from its first byte to its end.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "vm/guest/send/http_answer.hpp"
#include "vm/guest/send/send_spec.hpp"

namespace zcrxlab {

class Connection {
  public:
    // `number` counts from 0 and chooses the seed. `host` is for HTTP.
    Connection(const SendSpec& spec, unsigned number, std::string host)
        : spec_(spec), seed_(spec.seed + number), host_(std::move(host)) {}

    // Connects, sends everything, and waits for the other side to be done. An Error says what of
    // it went wrong, and where in the stream.
    Result<void> run(const std::string& address);

    uint64_t sent() const { return sent_; }          // bytes, as the socket took them
    uint64_t received() const { return received_; }  // bytes
    unsigned requests() const { return requests_; }  // complete ones

  private:
    using Clock = std::chrono::steady_clock;
    Result<void> connect(const std::string& address);
    Result<void> request();
    Result<void> send_body();
    Result<void> write(std::string_view bytes);
    // Reads what is there; waits for it at most so long. False once the other side has closed.
    Result<bool> read(int timeout_milliseconds);
    Result<void> wait_for_answer();
    Result<void> end();
    void fill(std::vector<std::byte>& chunk, uint64_t position) const;

    const SendSpec& spec_;
    const uint64_t seed_;
    const std::string host_;
    Fd socket_;
    HttpAnswer answer_;
    Clock::time_point paced_from_;
    uint64_t sent_ = 0, received_ = 0;
    uint64_t position_ = 0;  // in the pattern
    unsigned requests_ = 0;
    bool closed_ = false;
};

}  // namespace zcrxlab
