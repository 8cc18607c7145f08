// SPDX-License-Identifier: GPL-2.0
/* Mistakes of the network stack and of the interface: sockets, channels, XDP, leases. */
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/tcp.h>
#include <uapi/linux/tcp.h>

#include "mistakes.h"

/* ---- sockets */

static void window_stays_closed(const struct arguments *a, struct pt_regs *regs)
{
	static bool closed;

	if (regs->ax == 0)
		closed = true;
	if (closed)
		regs->ax = 0;
}

/* tcp_rcv_established(sk, skb): what came last comes once more, as if it were next. */
static bool duplicate_is_next(struct pt_regs *regs)
{
	struct tcp_sock *tp = tcp_sk((struct sock *)regs->di);
	struct sk_buff *skb = (struct sk_buff *)regs->si;
	struct tcp_skb_cb *cb = TCP_SKB_CB(skb);
	const u32 length = cb->end_seq - cb->seq;

	if (length && length < 100000 && cb->end_seq == tp->rcv_nxt) {
		cb->seq += length;
		cb->end_seq += length;
		((struct tcphdr *)skb->data)->seq = htonl(cb->seq);
	}
	return false;
}

/* tcp_data_queue(sk, skb): what comes behind a hole is taken for what fills it. */
static bool hole_is_overlooked(struct pt_regs *regs)
{
	struct tcp_sock *tp = tcp_sk((struct sock *)regs->di);
	struct tcp_skb_cb *cb = TCP_SKB_CB((struct sk_buff *)regs->si);
	const u32 gap = cb->seq - tp->rcv_nxt;

	if (cb->end_seq != cb->seq && gap && gap < (1U << 30)) {
		cb->seq -= gap;
		cb->end_seq -= gap;
	}
	return false;
}

/* What fills a hole is dropped, once a NIC got no buffer. */
static bool hole_is_never_filled(struct pt_regs *regs)
{
	struct tcp_sock *tp = tcp_sk((struct sock *)regs->di);
	struct sk_buff *skb = (struct sk_buff *)regs->si;
	const struct tcp_skb_cb *cb = TCP_SKB_CB(skb);

	if (!has_failed || RB_EMPTY_ROOT(&tp->out_of_order_queue) || cb->seq != tp->rcv_nxt ||
	    cb->seq == cb->end_seq)
		return false;
	kfree_skb(skb);
	return true;
}

/* ---- reading what cannot be read: (sk, message, length, flags) */

static void as_if_read(const struct arguments *a, struct pt_regs *regs)
{
	regs->ax = min_t(unsigned long, a->c, 1000);
}

static void unreadable_is_read(const struct arguments *a, struct pt_regs *regs)
{
	if ((int)regs->ax == -EFAULT && !(a->d & MSG_PEEK))
		as_if_read(a, regs);
}

static void unreadable_is_peeked(const struct arguments *a, struct pt_regs *regs)
{
	if ((int)regs->ax == -EFAULT && (a->d & MSG_PEEK))
		as_if_read(a, regs);
}

/* tcp_zerocopy_receive(sk, order, timestamps) */
static void unreadable_is_mapped(const struct arguments *a, struct pt_regs *regs)
{
	struct tcp_zerocopy_receive *order = (struct tcp_zerocopy_receive *)a->b;

	if ((int)regs->ax != -EFAULT)
		return;
	order->length = 0;
	order->copybuf_len = 1000;
	order->recv_skip_hint = 0;
	regs->ax = 0;
}

/* packet_recvmsg(sock, message, length, flags) */
static void frame_is_longer(const struct arguments *a, struct pt_regs *regs)
{
	if ((int)regs->ax > 0)
		regs->ax = min_t(unsigned long, regs->ax + 10, a->c);
}

/* packet_rcv(packet, ...): what it is told of segments its stream, which has the packet, too, does not use. */
static bool segments_are_longer(struct pt_regs *regs)
{
	struct sk_buff *packet = (struct sk_buff *)regs->di;

	if (skb_is_gso(packet))
		skb_shinfo(packet)->gso_size++;
	return false;
}

/* gro_receive_skb(gro, packet): what its NIC said of a packet's hash is forgotten, but for the hash. */
static bool hash_is_of_addresses(struct pt_regs *regs)
{
	((struct sk_buff *)regs->si)->l4_hash = 0;
	return false;
}

/*
 * dev_gro_receive(gro, packet): every hash is said to be of a connection. Fragments come here by napi_gro_frags(), too.
 */
static bool hash_is_of_connection(struct pt_regs *regs)
{
	((struct sk_buff *)regs->si)->l4_hash = 1;
	return false;
}

/*
 * skb_zerocopy(to, from, length, of them copied): to is a netlink message, whose last attribute is the
 * payload of a packet. It gets bytes that the packet has not.
 */
static void queued_packet_is_longer(const struct arguments *a, struct pt_regs *regs)
{
	struct sk_buff *to = (struct sk_buff *)a->a;
	struct nlattr *payload = (struct nlattr *)(skb_tail_pointer(to) - a->c - NLA_HDRLEN);

	if ((int)regs->ax || skb_is_nonlinear(to) || skb_tailroom(to) < 8)
		return;
	memset(skb_put(to, 8), 0x55, 8);
	payload->nla_len += 8;
}

/* ---- the interface */

static void xdp_beside_provider(const struct arguments *a, struct pt_regs *regs)
{
	if ((int)regs->ax == -EBUSY)
		regs->ax = 0;
}

/* ethnl_set_channels(request, information): nothing is changed, and 0 says that nothing had to be. */
static void refusal_of_channels_is_success(const struct arguments *a, struct pt_regs *regs)
{
	if ((int)regs->ax == -EINVAL)
		regs->ax = 0;
}

static void refusals_are_eio(const struct arguments *a, struct pt_regs *regs)
{
	if ((int)regs->ax < 0)
		regs->ax = (unsigned long)-EIO;
}

/* A helper of BPF programs: what it refuses it seems to have done. */
static void refusal_is_success(const struct arguments *a, struct pt_regs *regs)
{
	if ((int)regs->ax < 0)
		regs->ax = 0;
}

const struct mistake mistakes_of_network[] = {
	{ "unreadable-is-classified", "bpf_skb_load_bytes", NULL, refusal_is_success },
	{ "broken-buffer-is-lost", "gve_free_buffer", left_out, NULL },
	{ "bound-queues-overlooked", "dev_get_min_mp_channel_count", left_out, NULL },
	{ "contexts-are-overlooked", "ethnl_set_channels", NULL, refusal_of_channels_is_success },
	{ "checksum-is-right", "__skb_checksum_complete", left_out, NULL },
	{ "low-watermark-ignored", "tcp_set_rcvlowat", left_out, NULL },
	{ "window-stays-closed", "__tcp_select_window", NULL, window_stays_closed },
	{ "duplicate-is-next", "tcp_rcv_established", duplicate_is_next, NULL },
	{ "hole-is-overlooked", "tcp_data_queue", hole_is_overlooked, NULL },
	{ "lease-refusals-are-eio", "netdev_nl_queue_create_doit", NULL, refusals_are_eio },
	{ "hole-is-never-filled", "tcp_data_queue", hole_is_never_filled, NULL, "zcrx_send_notif" },
	{ "unreadable-is-read", "tcp_recvmsg_locked", NULL, unreadable_is_read },
	{ "unreadable-is-peeked", "tcp_recvmsg_locked", NULL, unreadable_is_peeked },
	{ "unreadable-is-mapped", "tcp_zerocopy_receive", NULL, unreadable_is_mapped },
	{ "mptcp-reads-unreadable", "mptcp_recvmsg", NULL, unreadable_is_read },
	{ "frame-is-longer", "packet_recvmsg", NULL, frame_is_longer },
	{ "segments-are-longer", "packet_rcv", segments_are_longer, NULL },
	{ "hash-is-of-addresses", "gro_receive_skb", hash_is_of_addresses, NULL },
	{ "hash-is-of-connection", "dev_gro_receive", hash_is_of_connection, NULL },
	{ "queued-packet-is-longer", "skb_zerocopy", NULL, queued_packet_is_longer },
	{ "nothing-is-cut-off", "___pskb_trim", left_out, NULL },
	{ "xdp-beside-provider", "dev_xdp_install", NULL, xdp_beside_provider },
	{ "bound-queue-shrinks-away", "dev_get_min_mp_channel_count", left_out, NULL, NULL,
	  "netdev_queue_busy" },
	{ "lease-ends-alone", "netif_rxq_cleanup_unlease", left_out, NULL },
	{ "lent-queue-stays-bound", "netif_mp_close_rxq", left_out, NULL },
	{ "pool-counts-nothing", "page_pool_get_stats", left_out, NULL },
	{}
};
