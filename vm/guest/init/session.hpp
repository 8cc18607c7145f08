// Session: a program with streams while it runs in the guest: what goes in and comes out, its peer,
// and how it ends.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "vm/guest/guest_plan.hpp"
#include "vm/guest/init/launch.hpp"
#include "vm/guest/init/receive_probe.hpp"
#include "vm/guest/init/record_port.hpp"

namespace zcrxlab {

class Session {
  public:
    // All are borrowed. `environment` is the program's, "NAME=value"; `probe` may be null, and is
    // `round` where there are none.
    Session(const GuestPlan& plan, RecordPort& port, std::vector<std::string> environment,
            const ReceiveProbe* probe, const GuestRound* round = nullptr)
        : plan_(plan),
          port_(port),
          environment_(std::move(environment)),
          probe_(probe),
          round_(round) {}

    // From the program's start to its end; the exit code for the host. kProgram records tell of it:
    // {"event":"started"}; {"event":"taken","bytes"}: so much of its input was taken;
    // {"event":"refused","error"}: it could not be started; {"event":"ended", "exit", "signal"?,
    // "timed_out"?, "asked"? (it was ended because its peer was done), "left" (processes that still
    // ran), "seconds", "peer": {"exit"?, "started", "killed"?, "error"?}}; and with a probe, now
    // and then {"event":"zcrx-time","seconds", and what its sample() says}.
    Result<int> run();
    // The host said that its time was over.
    bool timed_out() const { return timed_out_; }

  private:
    using Clock = std::chrono::steady_clock;
    struct Source {
        Fd fd;
        RecordStream stream;
    };
    // What was started, and its end once that is there.
    struct Child {
        pid_t pid = -1;
        std::optional<Ended> ended;
        bool runs() const { return pid > 0 && !ended; }
    };

    Result<void> start();
    void start_peer();
    bool is_to_be_restarted(const Ended& ended) const;
    void restart_in_time(Clock::time_point now);
    Result<Fd> add_source(RecordStream stream);
    void loop();
    void turn(int timeout_milliseconds);
    void collect();
    void hear();
    void take_input();
    void drain();
    void send_signal(const Child& child, int number) const;
    void keep_time(Clock::time_point now);
    void sample(Clock::time_point now);
    int finish();

    const GuestPlan& plan_;
    RecordPort& port_;
    std::vector<std::string> environment_;
    const ReceiveProbe* probe_;
    const GuestRound* round_;
    Fd children_;  // readable when a child has died
    std::vector<Source> sources_;
    Fd input_;  // to the program; its terminal's other end is terminal_
    Fd terminal_;
    std::string waiting_input_;
    bool input_ended_ = false;
    Child program_, peer_;
    std::string peer_error_;
    bool timed_out_ = false, asked_ = false, peer_killed_ = false;
    Clock::time_point started_, last_look_, last_sample_;
    unsigned samples_ = 0;
    std::optional<Clock::time_point> peer_done_, asked_at_, killed_at_;
    bool restarted_ = false;
};

}  // namespace zcrxlab
