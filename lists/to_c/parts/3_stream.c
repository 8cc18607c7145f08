//@ part 
// The peer's side, waiting, and the end of a ring.
//@ part base
/* The peer's side: sends what it was told to, as far as the socket takes it. */
static void pump(struct stream *s)
{
	static __thread unsigned char bytes[1 << 16];
	ssize_t taken;

	while (s->sent < s->to_send) {
		uint64_t left = s->to_send - s->sent;
		unsigned n = s->cuts[s->writes % s->nr_cuts], i;

		n = n > sizeof bytes ? sizeof bytes : n > left ? left : n;
		for (i = 0; i < n; i++)
			bytes[i] = byte_at(s->sent + i);
		taken = send(s->peer, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (taken <= 0)
			return;
		s->writes++;
		s->sent += taken;
	}
	if (s->end == FIN)
		shutdown(s->peer, SHUT_WR);
	if (s->end == RESET) {
		setsockopt(s->peer, SOL_SOCKET, SO_LINGER, &(struct linger){ 1, 0 }, sizeof(struct linger));
		close(s->peer);
	}
	if (s->end != OPEN)
		s->end = ENDED;
}

static void turn(struct ring *r)
{
	for (unsigned i = 0; i < r->nr_streams; i++)
		pump(r->streams[i]);
	submit(r);
	if (*r->cq_head == __atomic_load_n(r->cq_tail, __ATOMIC_ACQUIRE))
		enter(r, 1, 5);
	reap(r);
}

static int queued(struct stream *s)
{
	int bytes = 0;

	ioctl(s->socket, FIONREAD, &bytes);
	return bytes;
}

static void stream_send(struct stream *s, uint64_t bytes, const unsigned *cuts)
{
	s->to_send += bytes;
	s->writes = 0;
	for (s->nr_cuts = 0; s->nr_cuts < MOST && cuts[s->nr_cuts]; s->nr_cuts++)
		s->cuts[s->nr_cuts] = cuts[s->nr_cuts];
	pump(s);
}

static void stream_arm(struct stream *s, int limit, int poll_first)
{
	s->limit = limit;
	s->poll_first = poll_first;
	s->finals = s->no_slots = s->no_buffers = 0;
	if (!s->armed)
		submit_recv(s);
	submit(s->q->ring);
}

#define ANY 1   /* of `final`: whatever it is */
#define NONE 2  /* it is not waited for */

/* Receives until that many bytes are there, and the request has ended like this. */
static void stream_wait(struct stream *s, uint64_t bytes, int final, int eof, int ms)
{
	int64_t end = now_ms() + ms;

	for (;;) {
		int have = s->received >= bytes &&
			   (final == NONE || (final == -ENOSPC && s->no_slots) ||
			    (final == -ENOMEM && s->no_buffers) ||
			    (s->finals && (final == ANY || s->final == final))) &&
			   (!eof || (s->ended && s->final == 0 && s->received == s->to_send));

		if (have)
			return;
		if (now_ms() >= end || (s->ended && !s->armed && s->sent == s->to_send))
			break;
		turn(s->q->ring);
	}
	bug("%llu of %llu bytes were received within %d ms; %d bytes wait in the socket; the request "
	    "%s, last final CQE: %d", (unsigned long long)s->received,
	    (unsigned long long)(bytes ? bytes : s->to_send), ms, queued(s),
	    s->armed ? "is armed" : "has ended", s->final);
}

//@ part base
static void submit_cancel(struct stream *s)
{
	struct io_uring_sqe *e = next_sqe(s->q->ring);

	e->opcode = OP_ASYNC_CANCEL_;
	e->fd = -1;
	e->addr = (uint64_t)s->number << 32 | s->requests;
	e->user_data = 3;
	s->cancelled = 1;
	s->q->ring->asked++;
}

//@ part close
#define CANCEL 1 /* what is under way: it must end */
#define LEAVE 0

/*
 * Closes a ring with its connections. Until then each NOP must have its CQE, and what is held its
 * bytes. A mapped ring lives on after its descriptor is closed.
 */
static void ring_close(struct ring *r, int under_way)
{
	int64_t end = now_ms() + 10000;
	unsigned armed;

	for (unsigned i = 0; i < r->nr_streams; i++) {
		struct stream *s = r->streams[i];

		close(s->socket);
		if (s->end != ENDED)
			close(s->peer);
		s->to_send = s->sent;
		s->end = ENDED;
	}
	for (unsigned i = 0; i < r->nr_ifqs; i++)
		flush(r->ifqs[i]);
	read_cq(r);
	/* Those that a full CQ has kept back come as its slots are free again. */
	for (uint64_t before = r->nops + 1; r->nops && r->nops < before; ) {
		before = r->nops;
		enter(r, 0, 0);
		read_cq(r);
	}
	if (r->nops)
		bug("%llu NOPs never got their CQE", (unsigned long long)r->nops);
	for (unsigned i = 0; under_way == CANCEL && i < r->nr_streams; i++)
		if (r->streams[i]->armed)
			submit_cancel(r->streams[i]);
	do {
		for (unsigned i = armed = 0; under_way == CANCEL && i < r->nr_streams; i++)
			armed += r->streams[i]->armed;
		if (armed && now_ms() >= end)
			bug("a cancelled request did not end in 10 s");
		if (armed)
			turn(r);
	} while (armed);
	for (unsigned i = 0; i < r->nr_held; i++)
		if (r->held[i].q)
			compare(r->held[i].q, r->held[i].off, r->held[i].len, r->held[i].position,
				"when its ring is closed");
	munmap(r->maps[0], r->map_sizes[0]);
	munmap(r->maps[1], r->map_sizes[1]);
	close(r->fd);
}
