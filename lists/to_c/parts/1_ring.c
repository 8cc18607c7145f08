//@ part 
// The beginning of an exported C file: the ABI, how it ends, and rings.
//@ part include
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/io_uring.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <fcntl.h>

/* Headers of distributions lag: as in <linux/io_uring.h> and <linux/io_uring/zcrx.h>. */
enum {
	SETUP_CQSIZE = 1 << 3, SETUP_CQE32 = 1 << 11, SETUP_SINGLE_ISSUER = 1 << 12,
	SETUP_DEFER_TASKRUN = 1 << 13, SETUP_CQE_MIXED = 1 << 18,
	CQE_F_MORE_ = 1 << 1, CQE_F_SKIP_ = 1 << 5, CQE_F_32_ = 1 << 15,
	OP_NOP = 0, OP_ASYNC_CANCEL_ = 14, OP_RECV_ZC_ = 58,
	RECV_POLL_FIRST = 1 << 0, RECV_MULTISHOT = 1 << 1,
	REGISTER_ZCRX_IFQ_ = 32, REGISTER_QUERY_ = 35, REGISTER_ZCRX_CTRL_ = 36,
	ZCRX_IMPORT = 1, ZCRX_NODEV = 2,
	CTRL_FLUSH_RQ = 0, CTRL_EXPORT = 1, CTRL_ARM_EVENT = 2, CTRL_ADD_AREA = 3,
};

struct zcrx_rqe { uint64_t off; uint32_t len, pad; };
struct zcrx_offsets { uint32_t head, tail, rqes, resv2; uint64_t resv[2]; };
struct zcrx_area_reg {
	uint64_t addr, len, rq_area_token;
	uint32_t flags, dmabuf_fd;
	uint64_t resv[2];
};
struct zcrx_event_desc {
	uint64_t user_data;
	uint32_t type_mask, flags;
	uint64_t stats_offset, resv[9];
};
struct zcrx_ifq_reg {
	uint32_t if_idx, if_rxq, rq_entries, flags;
	uint64_t area_ptr, region_ptr;
	struct zcrx_offsets offsets;
	uint32_t zcrx_id, rx_buf_len;
	uint64_t event_desc, resv[2];
};
struct region_desc {
	uint64_t user_addr, size;
	uint32_t flags, id;
	uint64_t mmap_offset, resv[4];
};
struct zcrx_ctrl {
	uint32_t zcrx_id, op;
	uint64_t resv[2];
	union { uint64_t area_ptr; uint32_t fd, type; uint64_t all[6]; };
};
struct query_hdr { uint64_t next, data; uint32_t op, size; int32_t result; uint32_t resv[3]; };
struct query_zcrx {
	uint64_t register_flags, area_flags;
	uint32_t nr_ctrl_opcodes, features, rq_hdr_size, rq_hdr_alignment;
	uint64_t resv;
};

//@ part base
#define PAGE 4096ULL
#define MOST 16 /* ifqs and streams of a ring, areas of an ifq */

/* The kernel breaks its promise: exit code 1. */
static void bug(const char *format, ...)
{
	va_list list;

	printf("BUG: ");
	va_start(list, format);
	vprintf(format, list);
	va_end(list);
	printf("\n");
	fflush(stdout);
	_exit(1);
}

/* It cannot be tried here: exit code 77. */
static void skip(const char *what, int code)
{
	printf("SKIP: %s%s%s\n", what, code ? ": " : "", code ? strerror(code) : "");
	fflush(stdout);
	_exit(77);
}

static int check(int result, const char *what)
{
	if (result < 0)
		skip(what, errno);
	return result;
}

/* What a call returned, 0 or a positive errno, against what is promised; -1: nothing is. */
static int promised(const char *call, int seen, int expected)
{
	if (expected >= 0 && seen != expected)
		bug("%s: %s, but %s is promised", call, seen ? strerrorname_np(seen) : "success",
		    expected ? strerrorname_np(expected) : "success");
	return seen == 0;
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* Byte `position` of every stream: no shift or swap of bytes goes unseen. */
static unsigned char byte_at(uint64_t position)
{
	uint64_t x = (position / 8 + 1) * 0x9e3779b97f4a7c15ULL;

	return (x ^ x >> 29) >> position % 8 * 8;
}

struct ring {
	int fd, mixed, slot;            /* bytes of a CQ slot */
	unsigned *sq_head, *sq_tail, *sq_array, sq_entries, filled;
	struct io_uring_sqe *sqes;
	unsigned *cq_head, *cq_tail, cq_entries;
	unsigned char *cqes;
	void *maps[2];
	size_t map_sizes[2];
	/* What the receiving loop does with buffers and ended requests. */
	enum { AT_ONCE, HOLD, REVERSE, NEVER } returns;
	unsigned hold;
	int rearm;
	struct ifq *ifqs[MOST];
	struct stream *streams[MOST];
	unsigned nr_ifqs, nr_streams;
	struct held { struct ifq *q; struct stream *s; uint64_t off, position; uint32_t len; } *held;
	unsigned nr_held;
	uint64_t nops, events[2], asked, answers;
	struct io_uring_cqe answer; /* the newest that is not a request's */
};

struct ifq {
	struct ring *ring;
	uint32_t id, entries, buffer, port;
	int nodev, listener[2]; /* IPv4, IPv6 */
	unsigned char *area[MOST];
	uint64_t area_size[MOST];
	unsigned nr_areas;
	uint32_t *head, *tail;
	struct zcrx_rqe *rqes;
};

struct stream {
	struct ifq *q;
	int socket, peer, number;
	uint64_t to_send, sent, received;
	unsigned cuts[16], nr_cuts, writes;
	enum { OPEN, FIN, RESET, ENDED } end;
	/* The request. */
	int armed, ended, cancelled, final, limit, poll_first;
	unsigned requests, finals, no_slots, no_buffers;
	unsigned all_finals, data_cqes; /* of all requests */
	uint64_t of_request;
};

static struct ring *ring_open(unsigned sq, unsigned cq, unsigned flags, int expected)
{
	struct io_uring_params p = { .flags = SETUP_SINGLE_ISSUER | SETUP_CQSIZE | flags,
				     .cq_entries = cq };
	struct ring *r = calloc(1, sizeof *r);
	unsigned char *m;

	r->fd = syscall(__NR_io_uring_setup, sq, &p);
	if (r->fd < 0 && expected == 0)
		skip("io_uring_setup", errno);
	if (!promised("io_uring_setup", r->fd < 0 ? errno : 0, expected))
		return NULL;
	r->mixed = flags & SETUP_CQE_MIXED;
	r->slot = flags & SETUP_CQE32 ? 32 : 16;
	r->map_sizes[0] = p.cq_off.cqes + (size_t)p.cq_entries * r->slot;
	if (p.sq_off.array + p.sq_entries * 4 > r->map_sizes[0])
		r->map_sizes[0] = p.sq_off.array + p.sq_entries * 4;
	r->map_sizes[1] = p.sq_entries * sizeof(struct io_uring_sqe);
	m = r->maps[0] = mmap(NULL, r->map_sizes[0], PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_POPULATE, r->fd, IORING_OFF_SQ_RING);
	r->sqes = r->maps[1] = mmap(NULL, r->map_sizes[1], PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_POPULATE, r->fd, IORING_OFF_SQES);
	if (r->maps[0] == MAP_FAILED || r->maps[1] == MAP_FAILED)
		skip("mmap of the ring", errno);
	r->sq_head = (void *)(m + p.sq_off.head);
	r->sq_tail = (void *)(m + p.sq_off.tail);
	r->sq_array = (void *)(m + p.sq_off.array);
	r->sq_entries = p.sq_entries;
	r->cq_head = (void *)(m + p.cq_off.head);
	r->cq_tail = (void *)(m + p.cq_off.tail);
	r->cqes = m + p.cq_off.cqes;
	r->cq_entries = p.cq_entries;
	r->rearm = 1;
	return r;
}

/* Hands requests to the kernel; with DEFER_TASKRUN it does nothing else meanwhile. */
static void submit(struct ring *r)
{
	if (syscall(__NR_io_uring_enter, r->fd, r->filled, 0, 0, NULL, 0) < 0 && errno != EINTR &&
	    errno != EBUSY)
		bug("io_uring_enter: %s", strerrorname_np(errno));
	r->filled = *r->sq_tail - __atomic_load_n(r->sq_head, __ATOMIC_ACQUIRE);
}

/* Submits, lets the kernel work, and waits for CQEs. */
static void enter(struct ring *r, unsigned at_least, int ms)
{
	struct __kernel_timespec t = { ms / 1000, ms % 1000 * 1000000 };
	struct io_uring_getevents_arg arg = { .ts = (uintptr_t)&t };
	unsigned filled = r->filled;
	int n = syscall(__NR_io_uring_enter, r->fd, filled, at_least,
			IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &arg, sizeof arg);

	if (n < 0 && errno != ETIME && errno != EINTR && errno != EBUSY)
		bug("io_uring_enter: %s", strerrorname_np(errno));
	r->filled = *r->sq_tail - __atomic_load_n(r->sq_head, __ATOMIC_ACQUIRE);
}

static struct io_uring_sqe *next_sqe(struct ring *r)
{
	unsigned tail = *r->sq_tail, at = tail & (r->sq_entries - 1);

	if (tail - __atomic_load_n(r->sq_head, __ATOMIC_ACQUIRE) == r->sq_entries) {
		submit(r);
		tail = *r->sq_tail;
		at = tail & (r->sq_entries - 1);
	}
	memset(&r->sqes[at], 0, sizeof r->sqes[at]);
	r->sq_array[at] = at;
	__atomic_store_n(r->sq_tail, tail + 1, __ATOMIC_RELEASE);
	r->filled++;
	return &r->sqes[at];
}

