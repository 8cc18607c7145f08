// SPDX-License-Identifier: GPL-2.0
/* Mistakes of receiving: requests, their CQEs, the refill ring, and the provider of the page pool. */
#include <linux/fs.h>
#include <linux/io_uring_types.h>
#include <linux/skbuff.h>
#include <net/netmem.h>
#include <net/tcp.h>
#include <uapi/linux/io_uring.h>
#include <uapi/linux/io_uring/zcrx.h>

#include "mistakes.h"

/* ---- io_submit_fail_init(sqe, req, result), io_recvzc_prep(req, sqe) */

static bool other_errno_of_submission(struct pt_regs *regs)
{
	regs->dx = (unsigned long)-EIO;
	return false;
}

static bool other_errno_of_issue(struct pt_regs *regs)
{
	if ((int)regs->si == -EBADF)
		regs->si = (unsigned long)-EIO;
	return false;
}

static void skip_success_refused(const struct arguments *a, struct pt_regs *regs)
{
	if (((const struct io_uring_sqe *)a->b)->flags & IOSQE_CQE_SKIP_SUCCESS)
		regs->ax = -EINVAL;
}

static void fixed_file_refused(const struct arguments *a, struct pt_regs *regs)
{
	if (((const struct io_uring_sqe *)a->b)->flags & IOSQE_FIXED_FILE)
		regs->ax = -EBADF;
}

/* What is linked behind the request does not wait for it. */
static void link_is_cut(const struct arguments *a, struct pt_regs *regs)
{
	((struct io_kiocb *)a->a)->flags &= ~(io_req_flags_t)REQ_F_LINK;
}

/* ---- io_recvzc(req, issue_flags) */

static void limit_ends_nothing(const struct arguments *a, struct pt_regs *regs)
{
	if (regs->ax == 0 && ((const struct io_kiocb *)a->a)->cqe.res == 0)
		regs->ax = (unsigned long)-EAGAIN;
}

/* ---- io_zcrx_get_region(ring, id) */

static bool only_first_region_is_mapped(struct pt_regs *regs)
{
	return (unsigned int)regs->si != 0 && left_out(regs);
}

/* ---- anon_inode_create_getfile(name, operations, private, flags, inode) */

/* The descriptor of an exported instance keeps nothing. */
static void descriptor_keeps_nothing(const struct arguments *a, struct pt_regs *regs)
{
	struct file *file = (struct file *)regs->ax;

	if (IS_ERR(file) || strcmp((const char *)a->a, "[zcrx]"))
		return;
	file->f_op->release(file_inode(file), file);
	file->private_data = NULL;
}

/* ---- io_try_cancel() */

static bool cancels_nothing(struct pt_regs *regs)
{
	regs->ax = -ENOENT;
	return true;
}

/* ---- io_zcrx_recv(req, ifq, sock, flags, issue_flags, len) */

static void end_is_not_told(const struct arguments *a, struct pt_regs *regs)
{
	if (regs->ax == 0)
		regs->ax = -EAGAIN;
}

/* What is queued in a socket when the interface goes. */
static void removal_ends_requests(const struct arguments *a, struct pt_regs *regs)
{
	if (has_failed)
		regs->ax = (unsigned long)-ENODEV;
}

static void other_errno_of_request(const struct arguments *a, struct pt_regs *regs)
{
	const int result = (int)regs->ax;

	if (result < 0 && result != -EAGAIN && result > -200)
		regs->ax = (unsigned long)-EIO;
}

static bool limit_too_large(struct pt_regs *regs)
{
	unsigned int *len = (unsigned int *)regs->r9;

	if (*len)
		++*len;
	return false;
}

/* ---- io_zcrx_recv_skb(desc, skb, offset, len) */

static void byte_twice(const struct arguments *a, struct pt_regs *regs)
{
	if ((int)regs->ax > 1)
		regs->ax -= 1;
}

static void byte_twice_when_told(const struct arguments *a, struct pt_regs *regs)
{
	if (has_failed)
		byte_twice(a, regs);
}

/* As much as was asked for is taken for consumed, also where a full CQ or area has stopped it. */
static void stopped_loses_rest(const struct arguments *a, struct pt_regs *regs)
{
	if ((int)regs->ax > 0 || (int)regs->ax == -ENOSPC || (int)regs->ax == -ENOMEM)
		regs->ax = a->d;
}

static bool fin_swallows_data(struct pt_regs *regs)
{
	const struct sk_buff *skb = (const struct sk_buff *)regs->si;

	if (!(TCP_SKB_CB(skb)->tcp_flags & TCPHDR_FIN))
		return false;
	regs->ax = regs->cx;
	return true;
}

/* The head of struct io_zcrx_args (io_uring/zcrx.c). */
struct args_of_request {
	struct io_kiocb *req;
	void *ifq;
	unsigned int nr_skbs;
};

static bool no_packet_counts(struct pt_regs *regs)
{
	const read_descriptor_t *desc = (const read_descriptor_t *)regs->di;

	((struct args_of_request *)desc->arg.data)->nr_skbs = 0;
	return false;
}

/* ---- io_zcrx_queue_cqe(req, niov, ifq, off, len) */

static bool offset_off_by_one(struct pt_regs *regs)
{
	regs->cx += 1;
	return false;
}

static bool across_buffers(struct pt_regs *regs)
{
	regs->cx = PAGE_SIZE - 1;
	return false;
}

static bool no_result(struct pt_regs *regs)
{
	regs->r8 = 0;
	return false;
}

static bool tiny_from_elsewhere(struct pt_regs *regs)
{
	if ((int)regs->r8 < 16)
		regs->cx += 1;
	return false;
}

static bool more_than_a_page(struct pt_regs *regs)
{
	if ((int)regs->r8 == PAGE_SIZE)
		regs->r8 += 1;
	return false;
}

/* Buffers are counted as if each were a page. The second half of the CQE begins with the offset. */
static void large_buffer_is_a_page(const struct arguments *a, struct pt_regs *regs)
{
	const struct io_ring_ctx *ctx = ((const struct io_kiocb *)a->a)->ctx;
	const u64 area = ~0ULL << IORING_ZCRX_AREA_SHIFT;
	u64 *offset = (u64 *)&ctx->cqe_cached[-1];

	if (regs->ax & 1)
		*offset = (*offset & area) + (int)a->d +
			  ((u64)net_iov_idx((const struct net_iov *)a->b) << PAGE_SHIFT);
}

static void area_is_always_the_first(const struct arguments *a, struct pt_regs *regs)
{
	const struct io_ring_ctx *ctx = ((const struct io_kiocb *)a->a)->ctx;
	u64 *offset = (u64 *)&ctx->cqe_cached[-1];

	if (regs->ax & 1)
		*offset &= ~(~0ULL << IORING_ZCRX_AREA_SHIFT);
}

static void flag_32_missing(const struct arguments *a, struct pt_regs *regs)
{
	const struct io_ring_ctx *ctx = ((const struct io_kiocb *)a->a)->ctx;

	if ((regs->ax & 1) && (ctx->flags & IORING_SETUP_CQE_MIXED))
		ctx->cqe_cached[-2].flags &= ~IORING_CQE_F_32;
}

/* ---- io_cqe_cache_refill(ctx, overflow, cqe32) */

static void padding_unmarked(const struct arguments *a, struct pt_regs *regs)
{
	const struct io_ring_ctx *ctx = (const struct io_ring_ctx *)a->a;
	struct io_uring_cqe *last = &ctx->rings->cqes[ctx->cq_entries - 1];

	if ((ctx->flags & IORING_SETUP_CQE_MIXED) && last->flags == IORING_CQE_F_SKIP)
		last->flags = 0;
}

/* ---- io_zcrx_copy_chunk(req, ifq, page, offset, len) */

static bool copies_from_elsewhere(struct pt_regs *regs)
{
	regs->cx ^= 1;
	return false;
}

/* ---- zcrx_put_refill_niov(niov, pp, refs) */

static bool entry_returns_two(struct pt_regs *regs)
{
	regs->dx += 1;
	return false;
}

/* ---- the page pool's provider */

static void empty_when_told(const struct arguments *a, struct pt_regs *regs)
{
	if (has_failed)
		regs->ax = 0;
}

static void empty_for_ever(const struct arguments *a, struct pt_regs *regs)
{
	if (has_failed)
		regs->ax = 0;
	else if (regs->ax == 0)
		has_failed = true;
}

const struct mistake mistakes_of_requests[] = {
	{ "other-errno-of-submission", "io_submit_fail_init", other_errno_of_submission, NULL },
	{ "other-errno-of-issue", "io_req_defer_failed", other_errno_of_issue, NULL },
	{ "skip-success-refused", "io_recvzc_prep", NULL, skip_success_refused },
	{ "fixed-file-refused", "io_recvzc_prep", NULL, fixed_file_refused },
	{ "link-is-cut", "io_recvzc_prep", NULL, link_is_cut },
	{ "limit-ends-nothing", "io_recvzc", NULL, limit_ends_nothing },
	{ "only-first-region-is-mapped", "io_zcrx_get_region", only_first_region_is_mapped, NULL },
	{ "descriptor-keeps-nothing", "anon_inode_create_getfile", NULL, descriptor_keeps_nothing },
	{ "descriptor-keeps-queue", "zcrx_box_release", left_out, NULL },
	{ "provider-is-not-told", "io_pp_nl_fill", left_out, NULL },
	{ "other-errno-of-receiving", "io_zcrx_recv", NULL, other_errno_of_request },
	{ "end-is-not-told", "io_zcrx_recv", NULL, end_is_not_told },
	{ "limit-too-large", "io_zcrx_recv", limit_too_large, NULL },
	{ "byte-twice", "io_zcrx_recv_skb", NULL, byte_twice },
	{ "datagram-disturbs", "io_zcrx_recv_skb", NULL, byte_twice_when_told, "udp_rcv" },
	{ "stopped-loses-rest", "io_zcrx_recv_skb", NULL, stopped_loses_rest },
	{ "fin-swallows-data", "io_zcrx_recv_skb", fin_swallows_data, NULL },
	{ "no-packet-counts", "io_zcrx_recv_skb", no_packet_counts, NULL },
	{ "offset-off-by-one", "io_zcrx_queue_cqe", offset_off_by_one, NULL },
	{ "across-buffers", "io_zcrx_queue_cqe", across_buffers, NULL },
	{ "no-result", "io_zcrx_queue_cqe", no_result, NULL },
	{ "tiny-from-elsewhere", "io_zcrx_queue_cqe", tiny_from_elsewhere, NULL },
	{ "more-than-a-page", "io_zcrx_queue_cqe", more_than_a_page, NULL },
	{ "large-buffer-is-a-page", "io_zcrx_queue_cqe", NULL, large_buffer_is_a_page },
	{ "area-is-always-the-first", "io_zcrx_queue_cqe", NULL, area_is_always_the_first },
	{ "flag-32-missing", "io_zcrx_queue_cqe", NULL, flag_32_missing },
	{ "padding-unmarked", "io_cqe_cache_refill", NULL, padding_unmarked },
	{ "copies-from-elsewhere", "io_zcrx_copy_chunk", copies_from_elsewhere, NULL },
	{ "entry-returns-two", "zcrx_put_refill_niov", entry_returns_two, NULL },
	{ "empty-for-ever", "io_pp_zc_alloc_netmems", NULL, empty_for_ever },
	{ "exporter-takes-buffers", "io_pp_zc_alloc_netmems", NULL, empty_when_told, "io_unregister_zcrx" },
	{ "refill-forgets", "zcrx_put_refill_niov", left_out, NULL },
	{ "released-and-lost", "io_pp_zc_release_netmem", left_out, NULL },
	{ "no-event", "zcrx_send_notif", left_out, NULL },
	{ "flush-does-nothing", "zcrx_flush_rq.isra.0", left_out, NULL },
	{ "removal-ends-requests", "io_zcrx_recv", NULL, removal_ends_requests, "io_pp_uninstall" },
	{ "queue-is-kept", "io_terminate_zcrx", left_out, NULL },
	{ "area-is-kept", "io_zcrx_free_area", left_out, NULL },
	{ "memory-stays-charged", "io_unaccount_mem", left_out, NULL },
	{ "region-is-kept", "io_free_region", left_out, NULL },
	{ "cancels-nothing", "io_try_cancel", cancels_nothing, NULL },
	{}
};
