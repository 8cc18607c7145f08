// Explain: what can be behind an errno of zcrx, in sentences, and which of it this machine shows.
//
// io_uring throws the kernel's own explanation (the netlink extended ack) away, so that an errno is
// all that an application gets.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/base/result.hpp"

namespace zcrxlab {

// What is known of the machine; empty is unknown.
struct Facts {
    std::optional<bool> net_admin;            // CAP_NET_ADMIN is effective
    std::optional<bool> lock_unlimited;       // CAP_IPC_LOCK, or no limit
    std::optional<int> io_uring_disabled;     // /proc/sys/kernel/io_uring_disabled
    std::string interface;                    // empty: none was named
    uint32_t queue = 0;                       // on that interface
    std::optional<bool> interface_there;      // ...
    std::optional<uint32_t> queues;           // receive queues in use
    std::optional<bool> header_split;         // tcp-data-split is on
    std::optional<uint32_t> split_threshold;  // hds-thresh, bytes
    std::optional<bool> io_uring_provider;    // another zcrx instance is on the queue
    std::optional<bool> dmabuf_provider;      // a dmabuf is bound to the queue
    std::optional<bool> xsk_pool;             // an AF_XDP pool is on the queue
};

// Reads what can be read without changing anything. An empty interface is left out.
Facts facts_of_this_machine(const std::string& interface, uint32_t queue);

struct Cause {
    std::string_view operation;  // "register", "import", "submit", "receive", "control", "ethtool"
    int code;                    // a positive errno
    std::string_view sentence;   // what can cause it, without a full stop
    std::string_view mend;       // what to type or to change; may be empty
    // Whether it is so here: true is the likely cause, false rules it out. Null: cannot be known.
    std::optional<bool> (*here)(const Facts&) = nullptr;
};
// All of them, by operation and in the order in which the kernel checks.
std::span<const Cause> causes();

// "EEXIST", "-17", "17" or "eexist" as a positive errno.
std::optional<int> errno_from(std::string_view text);
// Empty or one of the operations.
bool is_operation(std::string_view text);

// The answer for people; several lines. `operation` empty: all operations.
std::string explain_errno(int code, std::string_view operation, const Facts& facts);

}  // namespace zcrxlab
