// ListPlayer: runs the lines of a list, each by the function that the row of its verb names.
#include "lists/player/list_player.hpp"

#include <algorithm>

#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

ListPlayer::~ListPlayer() {
    for (auto& [name, thread] : threads_)
        if (thread.joinable()) thread.join();
    while (!children_.empty()) kill_child(children_.begin()->first);
}

void ListPlayer::perform(const ActionList& list) {
    list_ = &list;
    may_be_removed_ = std::ranges::any_of(
        list.actions, [](const Action& action) { return action.verb == Verb::kRemove; });
    perform_lines_of("");
    for (auto& [name, thread] : threads_)
        if (thread.joinable()) thread.join();
    while (!children_.empty()) {
        const std::string name = children_.begin()->first;
        told_by_children_.contains(name) ? reap_child(name) : kill_child(name);
    }
    bring_device_back();
}

void ListPlayer::perform_lines_of(const std::string& thread) {
    for (const Action& action : list_->actions) {
        if (action.thread != thread) continue;
        // Where it was, for whoever reads the trace of a hang or a panic.
        scene_.trace().add(ActionDone{to_text(action), true});
        const Column<PlayedBy>& player = row_of(action.verb).player;
        if (player.how() == nullptr)
            give_up("\"" + to_text(action) + "\" is not played: " + std::string(player.why_not()));
        (this->**player.how())(action);
    }
    close_rings_of(thread);
}

ListPlayer::PlayedRing* ListPlayer::ring(const std::string& name) {
    return find(rings_, name);
}

ListPlayer::PlayedIfq* ListPlayer::ifq(const std::string& name) {
    return find(ifqs_, name);
}

ListPlayer::PlayedStream* ListPlayer::stream(const std::string& name) {
    return find(streams_, name);
}

bool ListPlayer::returned(const Action& action, int code, const std::string& sentence) {
    const int expected = action.expected();
    if (expected != kAnyErrno) scene_.returned(to_text(action), expected, code);
    // Without what was to be there the rest of the list says nothing.
    if (expected == 0 && code != 0) give_up(sentence);
    return code == 0;
}

void ListPlayer::give_up(const std::string& sentence) {
    // That the streams are not whole is what the sentence says.
    for (const auto& [name, stream] : streams_)
        scene_.trace().add(StreamFinished{stream->number, false});
    scene_.give_up(sentence);
}

std::chrono::milliseconds ListPlayer::within(const Action& action) const {
    return std::min(std::chrono::milliseconds(action.number("within")), scene_.time_left());
}

}  // namespace zcrxlab
