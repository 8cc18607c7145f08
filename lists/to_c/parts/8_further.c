//@ part 
// What only some lists need.
//@ part need
/* Asks the kernel what it knows of zero-copy receive (Linux 6.19 and later). */
static void need(uint64_t register_flags, unsigned ctrl_opcodes)
{
	struct query_zcrx z = { 0 };
	struct query_hdr h = { .data = (uintptr_t)&z, .op = 1, .size = sizeof z };

	if (syscall(__NR_io_uring_register, -1, REGISTER_QUERY_, &h, 0) < 0 || h.result < 0)
		skip("this kernel cannot be asked about zero-copy receive", 0);
	if ((z.register_flags & register_flags) != register_flags)
		skip("this kernel has no ZCRX_REG_NODEV", 0);
	if (z.nr_ctrl_opcodes < ctrl_opcodes)
		skip("this kernel lacks an operation of IORING_REGISTER_ZCRX_CTRL", 0);
}

//@ part queued
static void wait_queued(struct stream *s, int bytes, int ms)
{
	int room = 4 << 20;
	int64_t end = now_ms() + ms;

	setsockopt(s->socket, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
	for (; queued(s) < bytes; usleep(1000)) {
		pump(s);
		if (now_ms() >= end)
			bug("only %d of %d bytes came to the socket in %d ms", queued(s), bytes, ms);
	}
}

//@ part run
/* Receives until no CQE has come for that long. */
static void run_until_quiet(struct ring *r, int ms)
{
	int64_t newest = now_ms();
	unsigned head = *r->cq_head;

	for (; now_ms() - newest < ms; turn(r))
		if (*r->cq_head != head) {
			head = *r->cq_head;
			newest = now_ms();
		}
}

//@ part cancel
static void stream_cancel(struct stream *s, int ms)
{
	int64_t end = now_ms() + ms;

	if (!s->armed)
		return;
	submit_cancel(s);
	while (s->armed && now_ms() < end)
		turn(s->q->ring);
	if (s->armed)
		bug("a cancelled request did not end in %d ms", ms);
}

//@ part urgent
/* One byte more of the stream, as urgent data. */
static void stream_urgent(struct stream *s)
{
	unsigned char byte = byte_at(s->to_send);
	int64_t end = now_ms() + 5000;
	int one = 1;

	setsockopt(s->socket, SOL_SOCKET, SO_OOBINLINE, &one, sizeof one);
	for (; s->sent < s->to_send && now_ms() < end; usleep(1000))
		pump(s);
	check(send(s->peer, &byte, 1, MSG_OOB | MSG_NOSIGNAL), "send");
	s->to_send++;
	s->sent++;
}

//@ part refuse
enum { ONE_SHOT, UNKNOWN_FLAG, MESSAGE_FLAGS, ADDRESS, ADDRESS_2, ADDRESS_3, UNKNOWN_IFQ,
       NO_DESCRIPTOR, BUFFER_SELECTION, RING };

/* A RECV_ZC that is wrong, whose only CQE has to say so. */
static void stream_refused(struct stream *s, int how, int expected)
{
	struct ring *r = s->q->ring;
	struct io_uring_sqe *e = next_sqe(r);
	uint64_t before = r->answers;
	int64_t end = now_ms() + 10000;

	e->opcode = OP_RECV_ZC_;
	e->fd = how == NO_DESCRIPTOR ? -1 : how == RING ? r->fd : s->socket;
	e->ioprio = how == ONE_SHOT ? 0 : RECV_MULTISHOT | (how == UNKNOWN_FLAG ? 1 << 15 : 0);
	e->msg_flags = how == MESSAGE_FLAGS ? MSG_PEEK : 0;
	e->addr = how == ADDRESS ? PAGE : 0;
	e->off = how == ADDRESS_2 ? PAGE : 0;
	e->addr3 = how == ADDRESS_3 ? PAGE : 0;
	e->splice_fd_in = how == UNKNOWN_IFQ ? -1 : (int)s->q->id; /* zcrx_ifq_idx */
	e->flags = how == BUFFER_SELECTION ? IOSQE_BUFFER_SELECT : 0;
	e->user_data = 3;
	r->asked++;
	while (r->answers == before && now_ms() < end)
		turn(r);
	if (r->answers != before + 1)
		bug("a request that is wrong has %u CQEs", (unsigned)(r->answers - before));
	if (r->answer.flags)
		bug("the CQE of a request that is wrong has the flags 0x%x", r->answer.flags);
	promised("RECV_ZC", -r->answer.res, expected);
}

//@ part count
/* Receives until that many are there, and then there must be no more; -1: it does not matter. */
static void count_cqes(struct stream *s, int requests, int finals, unsigned least, int ms)
{
	int64_t end = now_ms() + ms;

	while (((int)s->requests < requests || (int)s->all_finals < finals || s->data_cqes < least) &&
	       now_ms() < end)
		turn(s->q->ring);
	enter(s->q->ring, 0, 0);
	reap(s->q->ring);
	if ((requests >= 0 && (int)s->requests != requests) ||
	    (finals >= 0 && (int)s->all_finals != finals) || s->data_cqes < least)
		bug("%u requests have %u data CQEs and %u final ones", s->requests, s->data_cqes,
		    s->all_finals);
}

//@ part buffers
/* Compares what of the area is where; -1: it does not matter. */
static void compare_buffers(struct ifq *q, int64_t held, int64_t entries)
{
	uint32_t waiting = *q->tail - __atomic_load_n(q->head, __ATOMIC_ACQUIRE);
	int64_t distinct = 0;

	for (unsigned i = 0, j; i < q->ring->nr_held; i++) {
		struct held *h = q->ring->held;

		for (j = 0; j < i && (h[j].q != h[i].q || h[j].off / q->buffer != h[i].off / q->buffer); )
			j++;
		distinct += h[i].q == q && j == i;
	}
	if (held >= 0 && distinct != held)
		bug("the user has %lld different buffers, and not %lld", (long long)distinct,
		    (long long)held);
	if (entries >= 0 && waiting != entries)
		bug("the refill ring has %u entries that were not taken, and not %lld", waiting,
		    (long long)entries);
}

//@ part nop
/* Their CQEs stay in the CQ until somebody reads. */
static void submit_nops(struct ring *r, unsigned count)
{
	for (; count; count--, r->nops++) {
		struct io_uring_sqe *e = next_sqe(r);

		e->opcode = OP_NOP;
		e->user_data = 1;
	}
	submit(r);
}

//@ part senseless
/* Entries of the refill ring that name nothing. */
static void return_senseless(struct ifq *q, unsigned count, uint64_t off, uint32_t pad)
{
	for (count = count < 64 ? count : 64; count && give_back(q, off, pad); count--)
		;
}

//@ part add_area
static void ifq_add_area(struct ifq *q, uint64_t size, uint64_t repeat, int memory, int expected)
{
	struct zcrx_area_reg area = { .len = size };
	struct zcrx_ctrl c = { .op = CTRL_ADD_AREA, .area_ptr = (uintptr_t)&area };

	area.addr = (uintptr_t)area_memory(size, repeat, memory);
	if (!promised("ZCRX_CTRL_ADD_AREA", control(q, &c), expected))
		return;
	q->area[q->nr_areas] = (void *)(uintptr_t)area.addr;
	q->area_size[q->nr_areas++] = size;
}

//@ part box
static int ifq_export(struct ifq *q, int expected)
{
	struct zcrx_ctrl c = { .op = CTRL_EXPORT };

	return promised("ZCRX_CTRL_EXPORT", control(q, &c), expected) ? (int)c.fd : -1;
}

static struct ifq *ifq_import(struct ring *r, int box, struct ifq *exported, int expected)
{
	struct zcrx_ifq_reg reg = { .flags = ZCRX_IMPORT, .if_idx = box };
	struct ifq *q = malloc(sizeof *q);

	if (!promised("import", register_ifq(r, &reg, 1), expected))
		return NULL;
	*q = *exported; /* the same refill ring and areas */
	q->ring = r;
	q->id = reg.zcrx_id;
	r->ifqs[r->nr_ifqs++] = q;
	return q;
}

//@ part event
static void arm_event(struct ifq *q, unsigned type, int expected)
{
	struct zcrx_ctrl c = { .op = CTRL_ARM_EVENT, .type = type };

	promised("ZCRX_CTRL_ARM_EVENT", control(q, &c), expected);
}

static void await_event(struct ifq *q, unsigned type, int ms)
{
	int64_t end = now_ms() + ms;

	while (!q->ring->events[type] && now_ms() < end)
		turn(q->ring);
	if (!q->ring->events[type])
		bug("the event %u was not told in %d ms", type, ms);
	q->ring->events[type]--;
}

//@ part process
/* A child that inherits everything and does nothing. */
static pid_t fork_idle(void)
{
	pid_t child = check(fork(), "fork");

	while (child == 0)
		pause();
	return child;
}

static void kill_child(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

//@ part lines
/* A child that does lines of the list, and then ends. */
static pid_t fork_lines(void (*lines)(void))
{
	pid_t child = check(fork(), "fork");

	if (child == 0) {
		lines();
		fflush(stdout);
		_exit(0);
	}
	return child;
}

static void reap_child(pid_t child)
{
	int status;

	check(waitpid(child, &status, 0), "waitpid");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		_exit(77); /* it has said why */
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		bug("a child ended with the status 0x%x", status);
}

//@ part thread
#include <pthread.h>

