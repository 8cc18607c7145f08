// Player: what does the actions of a list on the machine under test. lists/player implements it.
#pragma once

#include "lists/language/list.hpp"

namespace zcrxlab {

class Player {
  public:
    virtual ~Player() = default;

    // Rings, ifqs and streams: how they are made, and how they go.
    virtual void make_ring(const Action& action) = 0;
    virtual void make_ifq(const Action& action) = 0;
    virtual void add_area(const Action& action) = 0;
    virtual void make_box(const Action& action) = 0;
    virtual void import_ifq(const Action& action) = 0;
    virtual void connect(const Action& action) = 0;
    virtual void close(const Action& action) = 0;

    // The peer.
    virtual void send(const Action& action) = 0;
    virtual void send_urgent(const Action& action) = 0;
    virtual void end(const Action& action) = 0;

    // Requests, and receiving.
    virtual void arm(const Action& action) = 0;
    virtual void refuse(const Action& action) = 0;
    virtual void cancel(const Action& action) = 0;
    virtual void wait(const Action& action) = 0;
    virtual void run_until_quiet(const Action& action) = 0;
    virtual void submit(const Action& action) = 0;
    virtual void submit_nops(const Action& action) = 0;
    virtual void set_policy(const Action& action) = 0;

    // Buffers that go back, events, and what is counted.
    virtual void give_back(const Action& action) = 0;
    virtual void flush(const Action& action) = 0;
    virtual void arm_event(const Action& action) = 0;
    virtual void await_event(const Action& action) = 0;
    virtual void count(const Action& action) = 0;
    virtual void compare_buffers(const Action& action) = 0;
    virtual void count_capacity(const Action& action) = 0;

    // The NIC.
    virtual void change_nic(const Action& action) = 0;
    virtual void inject(const Action& action) = 0;
    virtual void switch_link(const Action& action) = 0;
    virtual void reset_device(const Action& action) = 0;
    virtual void remove_device(const Action& action) = 0;
    virtual void rescan(const Action& action) = 0;

    // Processes, threads and time.
    virtual void fork(const Action& action) = 0;
    virtual void start_process(const Action& action) = 0;
    virtual void reap(const Action& action) = 0;
    virtual void kill(const Action& action) = 0;
    virtual void start_thread(const Action& action) = 0;
    virtual void join(const Action& action) = 0;
    virtual void pause(const Action& action) = 0;
};

}  // namespace zcrxlab
