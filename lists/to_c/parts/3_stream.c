//@ part 
// The peer's side, and waiting.
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

