// SPDX-License-Identifier: GPL-2.0
/*
 * Mistakes put into a stock kernel as it runs, one at a time: a probe changes what a function is
 * given or returns, or leaves a function out. "zcrxlab.mistake=NAME" on the kernel's command line
 * says which; the table is at the end.
 *
 * ci/test-kernel-probes builds this into the driver gve, which each guest loads. A mistake begins
 * with the first scenario, so that what the kernel can do is found out on a sound one.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/skbuff.h>
#include <linux/uaccess.h>
#include <net/tcp.h>
#include <uapi/linux/io_uring.h>

struct arguments {
	unsigned long a, b, c, d, e, f;
};

static bool begun;

/* What a mistake does where a function returns, and before it is run. */
typedef void (*on_return_t)(const struct arguments *at_entry, struct pt_regs *regs);
/* True: the function is left out, and returns what regs->ax is. */
typedef bool (*on_entry_t)(struct pt_regs *regs);

/* ---- io_uring_register(): a = what the system call was given */

static unsigned long given(const struct arguments *at_entry, int number)
{
	const struct pt_regs *user = (const struct pt_regs *)at_entry->a;

	return number == 1 ? user->si : number == 2 ? user->dx : user->di;
}

static void other_errno(const struct arguments *at_entry, struct pt_regs *regs, unsigned int opcode)
{
	if (given(at_entry, 1) == opcode && (long)regs->ax < 0)
		regs->ax = -EIO;
}

static void other_errno_of_registration(const struct arguments *a, struct pt_regs *regs)
{
	other_errno(a, regs, IORING_REGISTER_ZCRX_IFQ);
}

static void refusal_says_success(const struct arguments *a, struct pt_regs *regs)
{
	if (given(a, 1) == IORING_REGISTER_ZCRX_IFQ && (long)regs->ax < 0)
		regs->ax = 0;
}

static void other_errno_of_control(const struct arguments *a, struct pt_regs *regs)
{
	other_errno(a, regs, 36 /* IORING_REGISTER_ZCRX_CTRL */);
}

static void control_takes_capability(const struct arguments *a, struct pt_regs *regs)
{
	if (given(a, 1) == 36 && !capable(CAP_NET_ADMIN))
		regs->ax = -EPERM;
}

/* The user's structure, 96 bytes: offsets at 32, zcrx_id at 64, rx_buf_len at 68. */
static void write_u32(const struct arguments *a, unsigned int at, u32 value)
{
	copy_to_user_nofault((void __user *)given(a, 2) + at, &value, sizeof(value));
}

static bool registered(const struct arguments *a, const struct pt_regs *regs)
{
	return given(a, 1) == IORING_REGISTER_ZCRX_IFQ && regs->ax == 0;
}

static void refusal_writes_id(const struct arguments *a, struct pt_regs *regs)
{
	if (given(a, 1) == IORING_REGISTER_ZCRX_IFQ && (long)regs->ax < 0)
		write_u32(a, 64, 7);
}

static void head_is_tail(const struct arguments *a, struct pt_regs *regs)
{
	if (registered(a, regs))
		write_u32(a, 36, 0);
}

static void always_id_zero(const struct arguments *a, struct pt_regs *regs)
{
	if (registered(a, regs))
		write_u32(a, 64, 0);
}

static void no_buffer_length(const struct arguments *a, struct pt_regs *regs)
{
	if (registered(a, regs))
		write_u32(a, 68, 0);
}

static void entries_not_rounded(const struct arguments *a, struct pt_regs *regs)
{
	u32 entries = 0;

	if (!registered(a, regs))
		return;
	copy_from_user_nofault(&entries, (void __user *)given(a, 2) + 8, sizeof(entries));
	write_u32(a, 8, entries + 1);
}

/* Of the structures that the registration points to. */
static void write_behind(const struct arguments *a, unsigned int pointer, unsigned int at, u64 value)
{
	u64 address = 0;

	copy_from_user_nofault(&address, (void __user *)given(a, 2) + pointer, sizeof(address));
	copy_to_user_nofault((void __user *)address + at, &value, sizeof(value));
}

static void token_not_written(const struct arguments *a, struct pt_regs *regs)
{
	if (registered(a, regs))
		write_behind(a, 16, 16, 0x1234);
}

static void region_offset_not_written(const struct arguments *a, struct pt_regs *regs)
{
	if (registered(a, regs))
		write_behind(a, 24, 24, 0);
}

static void file_areas_refused(const struct arguments *a, struct pt_regs *regs)
{
	struct vm_area_struct *area;
	u64 at = 0, address = 0;

	if (!registered(a, regs))
		return;
	copy_from_user_nofault(&at, (void __user *)given(a, 2) + 16, sizeof(at));
	copy_from_user_nofault(&address, (void __user *)at, sizeof(address));
	if (!mmap_read_trylock(current->mm))
		return;
	area = find_vma(current->mm, address);
	if (area && (area->vm_file || area->vm_flags & VM_HUGEPAGE))
		regs->ax = -EOPNOTSUPP;
	mmap_read_unlock(current->mm);
}

/* ENODEV comes before whatever else is wrong. */
static void interface_judged_first(const struct arguments *a, struct pt_regs *regs)
{
	u32 index = 0;

	if (given(a, 1) != IORING_REGISTER_ZCRX_IFQ || (long)regs->ax >= 0)
		return;
	copy_from_user_nofault(&index, (void __user *)given(a, 2), sizeof(index));
	rcu_read_lock();
	if (!dev_get_by_index_rcu(&init_net, index))
		regs->ax = -ENODEV;
	rcu_read_unlock();
}

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

/* ---- functions that are left out */

static bool left_out(struct pt_regs *regs)
{
	regs->ax = 0;
	return true;
}

static bool cancels_nothing(struct pt_regs *regs)
{
	regs->ax = -ENOENT;
	return true;
}

static bool query_refused(struct pt_regs *regs)
{
	regs->ax = -EINVAL;
	return true;
}

static bool not_close_on_exec(struct pt_regs *regs)
{
	regs->di &= ~(unsigned long)O_CLOEXEC;
	return false;
}

/* ---- io_zcrx_recv(req, ifq, sock, flags, issue_flags, len) */

static void end_is_not_told(const struct arguments *a, struct pt_regs *regs)
{
	if (regs->ax == 0)
		regs->ax = -EAGAIN;
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

/* Set by a call of struct mistake::also, or by a mistake itself. */
static bool has_failed;

static int told(struct kprobe *probe, struct pt_regs *regs)
{
	if (READ_ONCE(begun))
		has_failed = true;
	return 0;
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

static const struct mistake {
	const char *name;
	const char *function;
	on_entry_t entry;
	on_return_t end;
	/* Where it begins, if that is not with the first scenario. */
	const char *also;
} mistakes[] = {
	{ "other-errno-of-registration", "__x64_sys_io_uring_register", NULL, other_errno_of_registration },
	{ "other-errno-of-control", "__x64_sys_io_uring_register", NULL, other_errno_of_control },
	{ "control-takes-capability", "__x64_sys_io_uring_register", NULL, control_takes_capability },
	{ "refusal-writes-id", "__x64_sys_io_uring_register", NULL, refusal_writes_id },
	{ "head-is-tail", "__x64_sys_io_uring_register", NULL, head_is_tail },
	{ "always-id-zero", "__x64_sys_io_uring_register", NULL, always_id_zero },
	{ "no-buffer-length", "__x64_sys_io_uring_register", NULL, no_buffer_length },
	{ "entries-not-rounded", "__x64_sys_io_uring_register", NULL, entries_not_rounded },
	{ "token-not-written", "__x64_sys_io_uring_register", NULL, token_not_written },
	{ "region-offset-not-written", "__x64_sys_io_uring_register", NULL, region_offset_not_written },
	{ "file-areas-refused", "__x64_sys_io_uring_register", NULL, file_areas_refused },
	{ "refusal-says-success", "__x64_sys_io_uring_register", NULL, refusal_says_success },
	{ "interface-judged-first", "__x64_sys_io_uring_register", NULL, interface_judged_first },
	{ "other-errno-of-submission", "io_submit_fail_init", other_errno_of_submission, NULL },
	{ "other-errno-of-issue", "io_req_defer_failed", other_errno_of_issue, NULL },
	{ "skip-success-refused", "io_recvzc_prep", NULL, skip_success_refused },
	{ "other-errno-of-receiving", "io_zcrx_recv", NULL, other_errno_of_request },
	{ "end-is-not-told", "io_zcrx_recv", NULL, end_is_not_told },
	{ "limit-too-large", "io_zcrx_recv", limit_too_large, NULL },
	{ "byte-twice", "io_zcrx_recv_skb", NULL, byte_twice },
	{ "datagram-disturbs", "io_zcrx_recv_skb", NULL, byte_twice_when_told, "udp_rcv" },
	{ "stopped-loses-rest", "io_zcrx_recv_skb", NULL, stopped_loses_rest },
	{ "fin-swallows-data", "io_zcrx_recv_skb", fin_swallows_data, NULL },
	{ "offset-off-by-one", "io_zcrx_queue_cqe", offset_off_by_one, NULL },
	{ "across-buffers", "io_zcrx_queue_cqe", across_buffers, NULL },
	{ "no-result", "io_zcrx_queue_cqe", no_result, NULL },
	{ "tiny-from-elsewhere", "io_zcrx_queue_cqe", tiny_from_elsewhere, NULL },
	{ "more-than-a-page", "io_zcrx_queue_cqe", more_than_a_page, NULL },
	{ "copies-from-elsewhere", "io_zcrx_copy_chunk", copies_from_elsewhere, NULL },
	{ "entry-returns-two", "zcrx_put_refill_niov", entry_returns_two, NULL },
	{ "empty-for-ever", "io_pp_zc_alloc_netmems", NULL, empty_for_ever },
	{ "exporter-takes-buffers", "io_pp_zc_alloc_netmems", NULL, empty_when_told, "io_unregister_zcrx" },
	{ "refill-forgets", "zcrx_put_refill_niov", left_out, NULL },
	{ "released-and-lost", "io_pp_zc_release_netmem", left_out, NULL },
	{ "no-event", "zcrx_send_notif", left_out, NULL },
	{ "flush-does-nothing", "zcrx_flush_rq.isra.0", left_out, NULL },
	{ "queue-is-kept", "io_terminate_zcrx", left_out, NULL },
	{ "area-is-kept", "io_zcrx_free_area", left_out, NULL },
	{ "memory-stays-charged", "io_unaccount_mem", left_out, NULL },
	{ "region-is-kept", "io_free_region", left_out, NULL },
	{ "cancels-nothing", "io_try_cancel", cancels_nothing, NULL },
	{ "query-refused", "io_query", query_refused, NULL },
	{ "not-close-on-exec", "get_unused_fd_flags", not_close_on_exec, NULL },
	{ "bound-queues-overlooked", "dev_get_min_mp_channel_count", left_out, NULL },
	{ "checksum-is-right", "__skb_checksum_complete", left_out, NULL },
	{ "window-stays-closed", "__tcp_select_window", NULL, window_stays_closed },
	{ "duplicate-is-next", "tcp_rcv_established", duplicate_is_next, NULL },
	{ "hole-is-overlooked", "tcp_data_queue", hole_is_overlooked, NULL },
	{ "lease-refusals-are-eio", "netdev_nl_queue_create_doit", NULL, other_errno_of_request },
};

static const struct mistake *chosen;

/* What runs in place of a function that is left out. */
static noinline notrace void returns(void)
{
	barrier();
}

static int in_front(struct kprobe *probe, struct pt_regs *regs)
{
	if (!READ_ONCE(begun) || !chosen->entry(regs))
		return 0;
	regs->ip = (unsigned long)returns;
	return 1;
}

static int keep_arguments(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	*(struct arguments *)instance->data = (struct arguments){ regs->di, regs->si, regs->dx,
								   regs->cx, regs->r8, regs->r9 };
	return 0;
}

static int at_end(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	if (READ_ONCE(begun))
		chosen->end((const struct arguments *)instance->data, regs);
	return 0;
}

/* Each scenario is announced in the kernel log, by the program that runs it. */
static int announced(struct kprobe *probe, struct pt_regs *regs)
{
	if (!strncmp(current->comm, "zcrx-scen", 9) && !READ_ONCE(begun)) {
		WRITE_ONCE(begun, true);
		pr_info("the mistake %s begins\n", chosen->name);
	}
	return 0;
}

static struct kprobe start = { .symbol_name = "devkmsg_write", .pre_handler = announced };
static struct kprobe also = { .pre_handler = told };
static struct kprobe entry = { .pre_handler = in_front };
static struct kretprobe end = { .handler = at_end,
				.entry_handler = keep_arguments,
				.data_size = sizeof(struct arguments),
				.maxactive = 64 };

/* The word behind "zcrxlab.mistake=" of /proc/cmdline; empty without it. */
static void read_name(char *name, size_t room)
{
	static char line[2048];
	struct file *file = filp_open("/proc/cmdline", O_RDONLY, 0);
	loff_t at = 0;
	ssize_t length;
	char *word;

	name[0] = '\0';
	if (IS_ERR(file))
		return;
	length = kernel_read(file, line, sizeof(line) - 1, &at);
	filp_close(file, NULL);
	word = length > 0 ? strstr(line, "zcrxlab.mistake=") : NULL;
	if (word)
		strscpy(name, word + strlen("zcrxlab.mistake="), room);
	name[strcspn(name, " \n")] = '\0';
}

int mistakes_begin(void);
int mistakes_begin(void)
{
	static char name[64];
	size_t i;
	int code;

	read_name(name, sizeof(name));
	if (!name[0])
		return 0;
	for (i = 0; i < ARRAY_SIZE(mistakes); i++)
		if (!strcmp(mistakes[i].name, name))
			chosen = &mistakes[i];
	if (!chosen)
		return -EINVAL;
	entry.symbol_name = chosen->function;
	end.kp.symbol_name = chosen->function;
	also.symbol_name = chosen->also;
	code = chosen->also ? register_kprobe(&also) : 0;
	if (code)
		return code;
	code = chosen->entry ? register_kprobe(&entry) : register_kretprobe(&end);
	return code ? code : register_kprobe(&start);
}
