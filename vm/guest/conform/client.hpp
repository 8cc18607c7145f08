// Client: the program's own client while it runs, a command of a shell in our network namespace.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "harness/base/result.hpp"
#include "harness/conform/peer_account.hpp"
#include "vm/guest/guest_plan.hpp"

namespace zcrxlab {

// How it is run.
struct ClientOrder {
    std::string command;
    std::chrono::seconds patience{60};  // it ends in this time, scaled, or is killed
    std::optional<GuestUser> user;      // root if empty
};

class Client {
  public:
    // It has our environment, folder and streams.
    static Result<Client> start(const ClientOrder& order);
    Client(Client&& other) noexcept;
    Client& operator=(Client&&) = delete;
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    // Ends whatever of it is left.
    ~Client();

    // False too once its time is over.
    bool runs();
    // How it ended, when it has, or its time is over; what it has started is ended as well.
    ClientRun wait();

  private:
    using Clock = std::chrono::steady_clock;
    Client(pid_t pid, Clock::time_point until) : pid_(pid), until_(until) {}

    pid_t pid_;
    Clock::time_point until_;
    std::optional<int> status_;  // of waitpid()
};

}  // namespace zcrxlab
