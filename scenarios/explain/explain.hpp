// Explain: lists the causes that an errno of zero-copy receive can have, and says which of them
// this machine shows.
//
// The kernel has an explanation of its own (the netlink extended ack), but io_uring throws it away.
// An application gets the errno only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/base/result.hpp"

namespace zcrxlab {

// What is known of the machine. An empty field is not known.
struct Facts {
    std::optional<bool> net_admin;            // CAP_NET_ADMIN is effective
    std::optional<bool> lock_unlimited;       // CAP_IPC_LOCK, or no limit
    std::optional<int> io_uring_disabled;     // /proc/sys/kernel/io_uring_disabled
    std::string interface;                    // empty: the user named none
    uint32_t queue = 0;                       // on that interface
    std::optional<bool> interface_there;      // an interface has that name
    std::optional<uint32_t> queues;           // receive queues in use
    std::optional<bool> header_split;         // tcp-data-split is on
    std::optional<uint32_t> split_threshold;  // hds-thresh, bytes
    std::optional<bool> io_uring_provider;    // another zcrx instance is on the queue
    std::optional<bool> dmabuf_provider;      // a dmabuf is bound to the queue
    std::optional<bool> xsk_pool;             // an AF_XDP pool is on the queue
};

// Reads these, and changes nothing. If `interface` is empty, its facts are not known.
Facts facts_of_this_machine(const std::string& interface, uint32_t queue);

struct Cause {
    std::string_view operation;  // "register", "import", "submit", "receive", "control", "ethtool"
    int code;                    // a positive errno
    std::string_view sentence;   // what can cause it, without a full stop
    std::string_view mend;       // what to type or to change; may be empty
    // Whether this machine shows the cause: true makes it likely, false rules it out. A null
    // pointer: nothing on the machine could show it.
    std::optional<bool> (*here)(const Facts&) = nullptr;
};
// All of them, by operation and in the order in which the kernel checks.
std::span<const Cause> causes();

// Empty or one of the operations.
bool is_operation(std::string_view text);

// The answer for people; several lines. `operation` empty: all operations.
std::string explain_errno(int code, std::string_view operation, const Facts& facts);

}  // namespace zcrxlab
