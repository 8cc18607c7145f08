// Stage: the NIC, its link, and other processes.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scenarios/actions/stage.hpp"
#include "scenarios/form/device_state.hpp"

namespace zcrxlab {

void Stage::change_nic(const Action& action) {
    const auto judge = [&](const Result<void>& changed) {
        returned(action, changed ? 0 : changed.error().code,
                 changed ? "" : changed.error().sentence);
    };
    Nic& nic = scene_.nic();
    if (action.has("mtu")) judge(nic.set_mtu(static_cast<uint32_t>(action.number("mtu"))));
    if (action.has("rx")) judge(nic.set_ring_sizes(static_cast<uint32_t>(action.number("rx")), 0));
    if (action.has("queues")) judge(nic.set_queues(static_cast<uint32_t>(action.number("queues"))));
    if (action.has("split"))
        judge(action.word("split") == "on" ? nic.enable_header_split()
                                           : nic.disable_header_split());
}

void Stage::change_link(bool up) {
    scene_.must(scene_.target().control(std::string(R"({"do":"link","port":0,"up":)") +
                                        (up ? "true}" : "false}")));
    if (up) return;
    scene_.undo_later("link", [&scene = scene_]() -> Result<void> {
        auto again = scene.target().control(R"({"do":"link","port":0,"up":true})");
        if (!again) return again.error();
        return {};
    });
}

void Stage::reset_device() {
    const uint64_t before = device_counters(scene_)["resets"];
    scene_.must(scene_.target().control(R"({"do":"reset","port":0})"));
    while (device_counters(scene_)["resets"] == before) {
        if (scene_.time_left() == std::chrono::milliseconds(0))
            give_up("The driver did not reset its device in time.");
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

void Stage::fork_child(const std::string& name) {
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) give_up(error_from_errno("fork").sentence);
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) ::_exit(0);
        for (;;) ::pause();
    }
    children_[name] = child;
}

void Stage::kill_child(const std::string& name) {
    const auto child = children_.find(name);
    if (child == children_.end()) return;
    ::kill(child->second, SIGKILL);
    ::waitpid(child->second, nullptr, 0);
    children_.erase(child);
}

}  // namespace zcrxlab
