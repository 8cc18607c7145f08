// SPDX-License-Identifier: GPL-2.0
/* Mistakes of io_uring_register(): errnos, and what is written back to the user. */
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/io_uring_types.h>
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <net/net_namespace.h>
#include <uapi/linux/io_uring.h>

#include "mistakes.h"

/* ---- io_uring_register(): a = what the system call was given */

static unsigned long given(const struct arguments *at_entry, int number)
{
	const struct pt_regs *user = (const struct pt_regs *)at_entry->a;

	return number == 1 ? user->si : number == 2 ? user->dx : user->di;
}

/* One that another check of the same call could have given, which no reader would wonder about. */
static void other_errno(const struct arguments *at_entry, struct pt_regs *regs, unsigned int opcode)
{
	if (given(at_entry, 1) == opcode && (long)regs->ax < 0)
		regs->ax = (long)regs->ax == -EINVAL ? -EFAULT : -EINVAL;
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

static void success_is_one(const struct arguments *a, struct pt_regs *regs)
{
	unsigned int opcode = given(a, 1);

	if ((opcode == IORING_REGISTER_ZCRX_IFQ || opcode == 36) && regs->ax == 0)
		regs->ax = 1;
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

static void dmabuf_areas_refused(const struct arguments *a, struct pt_regs *regs)
{
	u64 at = 0;
	u32 flags = 0;

	if (!registered(a, regs))
		return;
	copy_from_user_nofault(&at, (void __user *)given(a, 2) + 16, sizeof(at));
	copy_from_user_nofault(&flags, (void __user *)at + 24, sizeof(flags));
	if (flags & IORING_ZCRX_AREA_DMABUF)
		regs->ax = -EOPNOTSUPP;
}

/* The user's head and tail of the refill ring that was registered last; it is memory of the user. */
static u64 refill_head, refill_tail;

static void remember_refill_ring(const struct arguments *a)
{
	u64 region = 0, address = 0;
	u32 head = 0, tail = 0;

	copy_from_user_nofault(&region, (void __user *)given(a, 2) + 24, sizeof(region));
	copy_from_user_nofault(&address, (void __user *)region, sizeof(address));
	copy_from_user_nofault(&head, (void __user *)given(a, 2) + 32, sizeof(head));
	copy_from_user_nofault(&tail, (void __user *)given(a, 2) + 36, sizeof(tail));
	refill_head = address + head;
	refill_tail = address + tail;
}

static bool flushed(const struct arguments *a, const struct pt_regs *regs)
{
	if (registered(a, regs))
		remember_refill_ring(a);
	return given(a, 1) == 36 && regs->ax == 0 && refill_head;
}

static void head_passes_tail(const struct arguments *a, struct pt_regs *regs)
{
	u32 index = 0;

	if (!flushed(a, regs))
		return;
	copy_from_user_nofault(&index, (void __user *)refill_tail, sizeof(index));
	++index;
	copy_to_user_nofault((void __user *)refill_head, &index, sizeof(index));
}

static void head_of_16_bits(const struct arguments *a, struct pt_regs *regs)
{
	u32 index = 0;

	if (!flushed(a, regs))
		return;
	copy_from_user_nofault(&index, (void __user *)refill_head, sizeof(index));
	index &= 0xffff;
	copy_to_user_nofault((void __user *)refill_head, &index, sizeof(index));
}

/* The first CQE that lies in a CQ when it gets another size. */
static void resize_loses_cqe(const struct arguments *a, struct pt_regs *regs)
{
	struct io_ring_ctx *ring;
	struct file *file;

	if (given(a, 1) != 33 /* IORING_REGISTER_RESIZE_RINGS */ || regs->ax)
		return;
	file = fget(given(a, 0));
	if (!file)
		return;
	ring = file->private_data;
	if (ring->rings->cq.head != ring->rings->cq.tail)
		ring->rings->cq.head += ring->flags & IORING_SETUP_CQE_MIXED ? 2 : 1;
	fput(file);
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

/* ---- io_register_zcrx(ring, user), io_query(), get_unused_fd_flags(flags) */

static bool clamps_unasked(struct pt_regs *regs)
{
	((struct io_ring_ctx *)regs->di)->flags |= IORING_SETUP_CLAMP;
	return false;
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

const struct mistake mistakes_of_registration[] = {
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
	{ "dmabuf-areas-refused", "__x64_sys_io_uring_register", NULL, dmabuf_areas_refused },
	{ "refusal-says-success", "__x64_sys_io_uring_register", NULL, refusal_says_success },
	{ "success-is-one", "__x64_sys_io_uring_register", NULL, success_is_one },
	{ "head-passes-tail", "__x64_sys_io_uring_register", NULL, head_passes_tail },
	{ "head-of-16-bits", "__x64_sys_io_uring_register", NULL, head_of_16_bits },
	{ "resize-loses-cqe", "__x64_sys_io_uring_register", NULL, resize_loses_cqe },
	{ "interface-judged-first", "__x64_sys_io_uring_register", NULL, interface_judged_first },
	{ "clamps-unasked", "io_register_zcrx", clamps_unasked, NULL },
	{ "query-refused", "io_query", query_refused, NULL },
	{ "not-close-on-exec", "get_unused_fd_flags", not_close_on_exec, NULL },
	{}
};
