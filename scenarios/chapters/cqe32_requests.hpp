// Requests that a scenario makes itself, beside those of a receiver, and their completions.
#pragma once

#include <cstdint>
#include <vector>

#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab {

// user_data that no request of a receiver has.
inline constexpr uint64_t kOwnRequest = 7;

inline io_uring_sqe& request_on(Scene& scene, ReceivePath& rx, int socket,
                                uint64_t user_data = kOwnRequest) {
    io_uring_sqe& sqe = *scene.must(rx.ring().next_sqe());
    sqe.opcode = uapi::kOpRecvZc;
    sqe.fd = socket;
    sqe.ioprio = uapi::kRecvMultishot;
    sqe.splice_fd_in = static_cast<int32_t>(rx.ifq().zcrx_id());
    sqe.user_data = user_data;
    rx.receiver().expect_other(user_data, "recv_zc");
    return sqe;
}

// Prepares an operation that does nothing, whose CQE has 16 bytes.
inline void nop_on(Scene& scene, ReceivePath& rx) {
    io_uring_sqe& nop = *scene.must(rx.ring().next_sqe());
    nop.opcode = uapi::kOpNop;
    nop.user_data = kOwnRequest;
    rx.receiver().expect_other(kOwnRequest, "nop");
}

// The next CQE of those.
inline Completion next_completion(Scene& scene, ReceivePath& rx) {
    const auto next = scene.must(rx.receiver().next_other(scene.time_left()));
    if (!next) scene.give_up("No CQE came for the request.");
    return *next;
}

}  // namespace zcrxlab
