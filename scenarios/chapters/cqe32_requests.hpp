// Requests that a scenario makes itself, beside those of a receiver, and their completions.
#pragma once

#include <cstdint>
#include <vector>

#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab {

// user_data that no request of a receiver has.
inline constexpr uint64_t kOwnRequest = 7;

inline io_uring_sqe& request_on(Scene& scene, ReceivePath& rx, int socket) {
    io_uring_sqe& sqe = *scene.must(rx.ring().next_sqe());
    sqe.opcode = uapi::kOpRecvZc;
    sqe.fd = socket;
    sqe.ioprio = uapi::kRecvMultishot;
    sqe.splice_fd_in = static_cast<int32_t>(rx.ifq().zcrx_id());
    sqe.user_data = kOwnRequest;
    return sqe;
}

// The next CQE, whatever it belongs to.
inline Completion next_completion(Scene& scene, ReceivePath& rx) {
    std::vector<Completion> completions;
    if (!scene.must(rx.ring().wait(scene.time_left())))
        scene.give_up("No CQE came for the request.");
    rx.ring().reap(completions, 1);
    if (completions.empty()) scene.give_up("The CQ had nothing but skip entries.");
    return completions.front();
}

}  // namespace zcrxlab
