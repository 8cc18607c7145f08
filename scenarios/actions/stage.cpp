// Stage: the threads of a list, and which function does which action.
#include "scenarios/actions/stage.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>

#include "harness/base/errno_name.hpp"
#include "scenarios/form/device_state.hpp"
#include "scenarios/form/stream_progress.hpp"

namespace zcrxlab {

Stage::~Stage() {
    for (auto& [name, thread] : threads_)
        if (thread.joinable()) thread.join();
    while (!children_.empty()) kill_child(children_.begin()->first);
}

void Stage::perform(const ActionList& list) {
    may_depart_ = std::ranges::any_of(
        list.actions, [](const Action& action) { return action.verb == Verb::kRemove; });
    perform_lines_of("", list);
    for (auto& [name, thread] : threads_)
        if (thread.joinable()) thread.join();
    while (!children_.empty()) {
        const std::string name = children_.begin()->first;
        rules_of_children_.contains(name) ? reap(name) : kill_child(name);
    }
    bring_device_back();
}

void Stage::perform_lines_of(const std::string& thread, const ActionList& list) {
    for (const Action& action : list.actions) {
        if (action.thread != thread) continue;
        // Where it was, for whoever reads the trace of a hang or a panic.
        scene_.trace().add(ActionDone{to_text(action), true});
        perform(action, list);
    }
    close_rings_of(thread);
}

void Stage::perform(const Action& action, const ActionList& list) {
    switch (action.verb) {
        case Verb::kRing:
            return make_ring(action);
        case Verb::kRegister:
            return make_ifq(action);
        case Verb::kAddArea:
            return add_area(action);
        case Verb::kExport:
            return make_box(action);
        case Verb::kImport:
            return import_ifq(action);
        case Verb::kConnect:
            return connect(action);
        case Verb::kSend:
            if (StreamOnStage* found = stream(action.name)) {
                std::vector<uint32_t> cut;
                for (const uint64_t bytes : action.numbers("cut"))
                    cut.push_back(static_cast<uint32_t>(bytes));
                found->asked += action.number("bytes");
                found->peer->send_more(action.number("bytes"), std::move(cut));
            }
            return;
        case Verb::kEnd:
            if (StreamOnStage* found = stream(action.name))
                found->peer->end(action.word("how") == "fin" ? PeerEnd::kFin : PeerEnd::kReset);
            return;
        case Verb::kUrgent:
            return send_urgent(action);
        case Verb::kArm:
            return arm(action);
        case Verb::kRefuse:
            return refuse(action);
        case Verb::kCancel:
            return cancel(action);
        case Verb::kWait:
            return wait(action);
        case Verb::kRun:
            return run_until_quiet(action);
        case Verb::kSubmit:
            if (RingOnStage* found = ring(action.name)) {
                scene_.must(found->ring.submit());
                scene_.must(found->ring.poll());
            }
            return;
        case Verb::kNop:
            return submit_nops(action);
        case Verb::kPolicy:
            return set_policy(action);
        case Verb::kReturn:
            return give_back(action);
        case Verb::kFlush:
            if (IfqOnStage* found = ifq(action.name)) {
                RingOnStage* through = ring(found->ring);
                if (through == nullptr) return;
                const Result<void> flushed =
                    found->ifq->flush_through(through->ring, found->zcrx_id);
                returned(action, flushed ? 0 : flushed.error().code,
                         flushed ? "" : flushed.error().sentence);
            }
            return;
        case Verb::kEvents:
            return arm_event(action);
        case Verb::kAwait:
            return await_event(action);
        case Verb::kCount:
            return count(action);
        case Verb::kBuffers:
            return compare_buffers(action);
        case Verb::kCapacity:
            return count_capacity(action);
        case Verb::kNic:
            return change_nic(action);
        case Verb::kFault:
            return scene_.inject(action.text);
        case Verb::kLink:
            return set_link(scene_, action.yes("up"));
        case Verb::kReset:
            return reset_device();
        case Verb::kRemove:
            return remove_device(action);
        case Verb::kRescan:
            return bring_device_back();
        case Verb::kClose:
            return close_ring(action.name);
        case Verb::kFork:
            return fork_child(action.name);
        case Verb::kProcess:
            return start_process(action.name, list);
        case Verb::kReap:
            return reap(action.name);
        case Verb::kKill:
            return kill_child(action.name);
        case Verb::kThread:
            threads_[action.name] =
                std::thread([this, name = action.name, &list] { perform_lines_of(name, list); });
            return;
        case Verb::kJoin:
            if (threads_[action.name].joinable()) threads_[action.name].join();
            return;
        case Verb::kPause:
            std::this_thread::sleep_for(std::chrono::milliseconds(action.number("ms")));
            return;
    }
}

Stage::RingOnStage* Stage::ring(const std::string& name) {
    return find(rings_, name);
}

Stage::IfqOnStage* Stage::ifq(const std::string& name) {
    return find(ifqs_, name);
}

Stage::StreamOnStage* Stage::stream(const std::string& name) {
    return find(streams_, name);
}

bool Stage::returned(const Action& action, int code, const std::string& sentence) {
    const int expected = action.expected();
    if (expected != kAnyErrno) scene_.returned(to_text(action), expected, code);
    // Without what was to be there the rest of the list says nothing.
    if (expected == 0 && code != 0) give_up(sentence);
    return code == 0;
}

void Stage::give_up(const std::string& sentence) {
    // That the streams are not whole is what the sentence says.
    for (const auto& [name, stream] : streams_)
        scene_.trace().add(StreamFinished{stream->number, false});
    scene_.give_up(sentence);
}

std::chrono::milliseconds Stage::within(const Action& action) const {
    return std::min(std::chrono::milliseconds(action.number("within")), scene_.time_left());
}

}  // namespace zcrxlab
