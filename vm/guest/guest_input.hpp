// GuestInput: what goes from here to the program in the guest: its environment, our standard input,
// signals, the size of our terminal.
#pragma once

#include <termios.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "harness/trace/record.hpp"

namespace zcrxlab {

class GuestInput {
  public:
    // `terminal`: our terminal stands for the program's.
    static Result<std::unique_ptr<GuestInput>> create(bool terminal);
    GuestInput(const GuestInput&) = delete;
    GuestInput& operator=(const GuestInput&) = delete;
    // Stops, and gives the terminal back as it was.
    ~GuestInput();

    // From any thread; what is sent before start() goes first.
    void send(RecordType type, std::string_view bytes);
    // Forwards from now on to `guest`, a socket that does not block, in a thread of its own. Call
    // it when nothing is forked any more.
    void start(Fd guest);
    // The program runs: from now on what is typed is for it, Ctrl-C too.
    void program_started();
    // The program took so many bytes of its input; more of ours is read for it.
    void taken(uint64_t bytes);
    // Sends kTimeUp then. From any thread.
    void time_up_at(std::chrono::steady_clock::time_point when);
    // The program is over, or ours is.
    void stop();
    // Ctrl-C was typed three times in a row at a program that went on.
    bool given_up() const { return given_up_.load(); }

  private:
    GuestInput(Fd wake, bool terminal) : wake_(std::move(wake)), terminal_(terminal) {}
    void run();
    bool time_is_up();
    void read_input();
    void watch_interrupts(std::string_view typed);
    void write_queued();
    void send_window();
    void wake() const;

    Fd guest_, wake_, resized_;
    const bool terminal_;
    std::optional<termios> before_;
    std::mutex mutex_;  // of queue_ and time_up_
    std::string queue_;
    std::optional<std::chrono::steady_clock::time_point> time_up_;
    std::atomic<uint64_t> sent_{0}, taken_{0};
    std::atomic<bool> stopping_{false}, given_up_{false};
    bool input_ended_ = false;
    int interrupts_ = 0;
    std::chrono::steady_clock::time_point last_interrupt_;
    std::thread thread_;
};

// Whether we have a terminal on both sides and are the ones who may read it.
bool at_a_terminal();

}  // namespace zcrxlab
