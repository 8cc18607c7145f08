// ListPlayer: changes the NIC and its link, and starts and ends processes and threads.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "harness/base/pipe.hpp"
#include "harness/faults/fault_rule_json.hpp"
#include "lists/player/list_player.hpp"
#include "scenarios/framework/process.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"

namespace zcrxlab {

namespace {

constexpr uint32_t kThingsOfAProcess = 1000;

}  // namespace

void ListPlayer::change_nic(const Action& action) {
    const auto judge = [&](const Result<void>& changed) {
        returned(action, changed ? 0 : changed.error().code,
                 changed ? "" : changed.error().sentence);
    };
    Nic& nic = scene_.nic();
    if (action.has("mtu")) judge(nic.set_mtu(static_cast<uint32_t>(action.number("mtu"))));
    if (action.has("rx")) judge(nic.set_ring_sizes(static_cast<uint32_t>(action.number("rx")), 0));
    if (action.has("queues")) judge(nic.set_queues(static_cast<uint32_t>(action.number("queues"))));
    if (!action.has("split")) return;
    split_off_ = action.word("split") == "off";
    judge(split_off_ ? nic.disable_header_split() : nic.enable_header_split());
}

void ListPlayer::inject(const Action& action) {
    scene_.inject(scene_.must(read_fault_rule(action.text)));
}

void ListPlayer::switch_link(const Action& action) {
    set_link(scene_, action.yes("up"));
}

void ListPlayer::reset_device(const Action&) {
    const uint64_t before = device_counters(scene_)["resets"];
    scene_.must(scene_.control(R"({"do":"reset","port":0})"));
    while (device_counters(scene_)["resets"] == before) {
        if (scene_.time_left() == std::chrono::milliseconds(0))
            give_up("The driver did not reset its device in time.");
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

void ListPlayer::remove_device(const Action& action) {
    if (removal_) return scene_.note("left out: it is away already");
    scene_.read_dma_log();
    removal_ = std::make_unique<DeviceRemoval>(scene_, action.word("how") == "device"
                                                           ? DeviceRemoval::How::kRemoved
                                                           : DeviceRemoval::How::kUnbound);
    ++*removals_;
    removal_->leave();
}

void ListPlayer::rescan(const Action&) {
    bring_device_back();
}

void ListPlayer::bring_device_back() {
    if (!removal_) return;
    removal_->come_back();
    removal_.reset();
}

void ListPlayer::steer(const FlowRule& rule) {
    if (!may_be_removed_ && !parent_) return scene_.steer(rule);
    const uint32_t location = scene_.must(scene_.nic().steering().add_rule(rule));
    tell_parent({.what = Told::What::kRule, .location = location});
    scene_.undo_later("flow rule " + std::to_string(location),
                      [&scene = scene_, location, departures = removals_,
                       then = removals_->load()]() -> Result<void> {
                          if (*departures != then) return {};
                          return scene.nic().steering().remove_rule(location);
                      });
}

void ListPlayer::fork(const Action& action) {
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) give_up(error_from_errno("fork").sentence);
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) ::_exit(0);
        for (;;) ::pause();
    }
    children_[action.name] = child;
}

void ListPlayer::start_process(const Action& action) {
    const std::string& name = action.name;
    Result<Pipe> pipe = Pipe::create();
    if (!pipe) give_up(pipe.error().sentence);
    if (scene_.has_device()) prepare_nic();  // its undo is the parent's
    const auto queues = std::ranges::count_if(list_->actions, [&name](const Action& line) {
        return line.thread == name && line.verb == Verb::kRegister && line.yes("device") &&
               !line.has("queue");
    });
    uint32_t first_queue = 0;
    for (int64_t queue = 0; scene_.has_device() && queue < queues; ++queue) {
        const uint32_t reserved = scene_.next_queue();
        if (queue == 0) first_queue = reserved;
    }
    const uint32_t number = ++processes_;

    const std::lock_guard lock(mutex_);
    const pid_t child = fork_scene([&](Scene& scene) {
        // Beyond all numbers of the parent and of its other children.
        while (scene.next_ifq() < number * kThingsOfAProcess) {
        }
        while (scene.next_stream() < number * kThingsOfAProcess) {
        }
        for (uint32_t queue = scene.endpoints().first_queue; queue < first_queue; ++queue)
            scene.next_queue();
        ListPlayer player(scene);
        player.parent_ = std::move(pipe->writing);
        for (const auto& [box, fd] : boxes_) {
            player.boxes_[box] = std::make_unique<Fd>(::fcntl(fd->get(), F_DUPFD_CLOEXEC, 0));
            player.ifqs_["box " + box] = std::make_unique<PlayedIfq>();
            player.ifqs_["box " + box]->ifq = ifqs_.at("box " + box)->ifq;
            player.ifqs_["box " + box]->queue = ifqs_.at("box " + box)->queue;
            player.inherited_.insert(ifqs_.at("box " + box)->ifq->number());
        }
        player.list_ = list_;
        player.perform_lines_of(name);
    });
    if (child < 0) give_up(error_from_errno("fork").sentence);
    children_[name] = child;
    told_by_children_[name] = std::move(pipe->reading);
    const auto streams = std::ranges::count_if(list_->actions, [&name](const Action& line) {
        return line.thread == name && (line.verb == Verb::kConnect || line.verb == Verb::kCapacity);
    });
    for (uint32_t stream = 1; stream <= streams; ++stream)
        streams_of_children_[name].push_back(number * kThingsOfAProcess + stream);
    const auto ifqs = std::ranges::count_if(list_->actions, [&name](const Action& line) {
        return line.thread == name && line.verb == Verb::kRegister;
    });
    for (uint32_t ifq = 1; ifq <= ifqs; ++ifq)
        ifqs_of_children_[name].push_back(number * kThingsOfAProcess + ifq);
}

void ListPlayer::reap(const Action& action) {
    reap_child(action.name);
}

void ListPlayer::reap_child(const std::string& name) {
    const auto child = children_.find(name);
    if (child == children_.end()) return;
    int status = 0;
    for (;;) {
        const pid_t ended = ::waitpid(child->second, &status, WNOHANG);
        if (ended == child->second) break;
        if (scene_.time_left() == std::chrono::milliseconds(0)) {
            kill_child(name);
            give_up("The process " + name + " did not end in time.");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    children_.erase(child);
    told_by_children_.erase(name);
    close_left_to_children();
    if (WIFSIGNALED(status))
        give_up("The process " + name + " was ended by signal " + std::to_string(WTERMSIG(status)) +
                ".");
    // What it said is on the tape.
    if (WEXITSTATUS(status) != 0) give_up("The process " + name + " failed.");
}

void ListPlayer::kill(const Action& action) {
    kill_child(action.name);
}

void ListPlayer::kill_child(const std::string& name) {
    const auto child = children_.find(name);
    if (child == children_.end()) return;
    ::kill(child->second, SIGKILL);
    int status = 0;
    ::waitpid(child->second, &status, 0);
    children_.erase(child);
    clear_up_after(name, WIFSIGNALED(status));
    // Nobody is there any more to say so.
    if (WIFSIGNALED(status)) {
        for (const uint32_t stream : streams_of_children_[name])
            scene_.trace().add(StreamFinished{stream, false});
        for (const uint32_t ifq : ifqs_of_children_[name])
            scene_.trace().add(RingClosed{ifq, true});
        for (const auto& [ifq, ring] : left_to_children_) interrupted_.insert(ifq);
    }
    close_left_to_children();
}

void ListPlayer::close_left_to_children() {
    if (!told_by_children_.empty()) return;
    for (const auto& [ifq, ring] : std::exchange(left_to_children_, {}))
        scene_.trace().add(RingClosed{ifq, interrupted_.contains(ifq), ring});
}

void ListPlayer::start_thread(const Action& action) {
    threads_[action.name] = std::thread([this, name = action.name] { perform_lines_of(name); });
}

void ListPlayer::join(const Action& action) {
    if (threads_[action.name].joinable()) threads_[action.name].join();
}

void ListPlayer::pause(const Action& action) {
    std::this_thread::sleep_for(std::chrono::milliseconds(action.number("ms")));
}

void ListPlayer::tell_parent(const Told& told) {
    if (parent_ && ::write(parent_.get(), &told, sizeof told) != sizeof told)
        give_up(error_from_errno("tell the parent").sentence);
}

void ListPlayer::clear_up_after(const std::string& name, bool killed) {
    const auto from = told_by_children_.find(name);
    if (from == told_by_children_.end()) return;
    std::set<std::pair<uint32_t, uint32_t>> open;  // ring and ifq
    Told told;
    while (::read(from->second.get(), &told, sizeof told) == sizeof told) {
        if (told.what == Told::What::kRule)
            // One that it had taken out itself is not there any more.
            [[maybe_unused]]
            const auto gone = scene_.nic().steering().remove_rule(told.location);
        else if (told.what == Told::What::kImported)
            open.emplace(told.ring, told.ifq);
        else
            open.erase({told.ring, told.ifq});
    }
    if (killed)
        for (const auto& [ring, ifq] : open) scene_.trace().add(RingClosed{ifq, true, ring, true});
    told_by_children_.erase(from);
}

}  // namespace zcrxlab
