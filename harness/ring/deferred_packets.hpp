// Packets that the kernel has consumed but not freed: they still hold their buffers.
//
// A packet that is read on another CPU than the one that received it is put on a list of the latter
// (skb_attempt_defer_free() in net/core/skbuff.c), which frees it when it next receives something:
// on an idle CPU never. Its buffer does not come back and its page pool does not go until then.
// The sysctl net.core.skb_defer_max=0 turns that off.
#pragma once

namespace zcrxlab {

// Lets every CPU that this thread may use receive one datagram over loopback. Does nothing where
// loopback is down.
void free_deferred_packets();

}  // namespace zcrxlab
