//@ part 
// CQEs, buffers that are held, and how they go back.
//@ part base
/* Arms RECV_ZC. user_data says which request of which stream. */
static void submit_recv(struct stream *s)
{
	struct io_uring_sqe *e = next_sqe(s->q->ring);

	e->opcode = OP_RECV_ZC_;
	e->fd = s->socket;
	e->ioprio = RECV_MULTISHOT | (s->poll_first ? RECV_POLL_FIRST : 0);
	e->len = s->limit;
	e->splice_fd_in = s->q->id; /* zcrx_ifq_idx */
	e->user_data = (uint64_t)s->number << 32 | ++s->requests;
	s->armed = 1;
	s->ended = s->cancelled = 0;
	s->of_request = 0;
}

static int control(struct ifq *q, struct zcrx_ctrl *c)
{
	c->zcrx_id = q->id;
	return syscall(__NR_io_uring_register, q->ring->fd, REGISTER_ZCRX_CTRL_, c, 0) < 0 ? errno : 0;
}

static int flush(struct ifq *q)
{
	struct zcrx_ctrl c = { .op = CTRL_FLUSH_RQ };

	return control(q, &c);
}

/* Gives one reference back through the refill ring; 0 if that is full. */
static int give_back(struct ifq *q, uint64_t off, uint32_t pad)
{
	if (*q->tail - __atomic_load_n(q->head, __ATOMIC_ACQUIRE) >= q->entries) {
		flush(q);
		if (*q->tail - __atomic_load_n(q->head, __ATOMIC_ACQUIRE) >= q->entries)
			return 0;
	}
	q->rqes[*q->tail & (q->entries - 1)] = (struct zcrx_rqe){ off, 0, pad };
	__atomic_store_n(q->tail, *q->tail + 1, __ATOMIC_RELEASE);
	return 1;
}

static unsigned char *payload(struct ifq *q, uint64_t off, uint32_t len)
{
	uint64_t area = off >> 48, inside = off & ((1ULL << 48) - 1);

	if (area >= q->nr_areas || inside > q->area_size[area] || len > q->area_size[area] - inside)
		bug("a CQE names bytes outside of every area: offset 0x%llx, %u bytes",
		    (unsigned long long)off, len);
	if (inside % q->buffer + len > q->buffer)
		bug("a CQE goes beyond its buffer: offset 0x%llx, %u bytes", (unsigned long long)off, len);
	return q->area[area] + inside;
}

static void compare(struct ifq *q, uint64_t off, uint32_t len, uint64_t position, const char *when)
{
	unsigned char *bytes = payload(q, off, len);

	for (uint32_t i = 0; i < len; i++)
		if (bytes[i] != byte_at(position + i))
			bug("byte %llu of the stream is 0x%02x instead of 0x%02x %s; its CQE has the offset "
			    "0x%llx, %u bytes", (unsigned long long)(position + i), bytes[i],
			    byte_at(position + i), when, (unsigned long long)off, len);
}

/* Gives back `count` of what is held of an ifq (NULL: of all), as far as there is room. */
static void return_held(struct ring *r, struct ifq *q, unsigned count, int newest, int twice)
{
	struct held *h;
	unsigned i, n = r->nr_held;

	for (i = 0; i < n && count; i++) {
		h = &r->held[newest ? n - 1 - i : i];
		if (!h->q || (q && h->q != q))
			continue;
		compare(h->q, h->off, h->len, h->position, "when it goes back");
		if (!give_back(h->q, h->off, 0))
			break;
		if (twice)
			give_back(h->q, h->off, 0);
		h->q = NULL;
		count--;
	}
	for (i = r->nr_held = 0; i < n; i++)
		if (r->held[i].q)
			r->held[r->nr_held++] = r->held[i];
}

static void take_data(struct ring *r, struct stream *s, uint64_t off, uint32_t len)
{
	struct held *h;

	compare(s->q, off, len, s->received, "at its CQE");
	r->held = realloc(r->held, (r->nr_held + 1) * sizeof *r->held);
	h = &r->held[r->nr_held++];
	*h = (struct held){ s->q, s, off, s->received, len };
	s->received += len;
	s->of_request += len;
	s->data_cqes++;
}

static void take_final(struct ring *r, struct stream *s, int result)
{
	int limit = s->limit && s->of_request >= (unsigned)s->limit;

	s->armed = 0;
	s->final = result;
	s->finals++;
	s->all_finals++;
	s->ended = 1;
	s->no_slots += result == -ENOSPC;
	s->no_buffers += result == -ENOMEM;
	if (!r->rearm || s->cancelled) /* it may end for another reason before it can be cancelled */
		return;
	if (result == -ENOMEM && r->returns != NEVER) { /* no buffer for a copy: copies take none from the refill ring */
		return_held(r, s->q, ~0U, 0, 0);
		flush(s->q);
		submit_recv(s);
	} else if (result == -ENOSPC || (result >= 0 && limit)) {
		submit_recv(s);
	}
}

static void take_cqe(struct ring *r, struct io_uring_cqe *c, int big)
{
	uint64_t off = big ? ((uint64_t *)(c + 1))[0] : 0;
	unsigned number = c->user_data >> 32;
	struct stream *s = number - 1 < r->nr_streams ? r->streams[number - 1] : NULL;

	if (c->user_data == 1 && r->nops) { /* a NOP */
		r->nops--;
	} else if (c->user_data == 2 && c->res >= 0 && c->res < 2) { /* an event */
		r->events[c->res]++;
	} else if (c->user_data == 3 && r->answers < r->asked) { /* a cancellation, or a wrong request */
		r->answers++;
		r->answer = *c;
	} else if (!s || !s->armed || (uint32_t)c->user_data != s->requests) {
		bug("a CQE came that belongs to no request: user_data 0x%llx, result %d, flags 0x%x",
		    (unsigned long long)c->user_data, c->res, c->flags);
	} else {
		if (c->res > 0 && !big)
			bug("a data CQE of 16 bytes: result %d, flags 0x%x", c->res, c->flags);
		if (c->res > 0)
			take_data(r, s, off, c->res);
		if (!(c->flags & CQE_F_MORE_))
			take_final(r, s, c->res);
	}
}

/* Takes what the CQ has, and no more: nothing goes back. */
static void read_cq(struct ring *r)
{
	unsigned slots = __atomic_load_n(r->cq_tail, __ATOMIC_ACQUIRE) - *r->cq_head;

	if (slots > r->cq_entries)
		bug("the CQ has %u slots, and CQEs in %u", r->cq_entries, slots);
	while (*r->cq_head != __atomic_load_n(r->cq_tail, __ATOMIC_ACQUIRE)) {
		unsigned at = *r->cq_head & (r->cq_entries - 1);
		struct io_uring_cqe *c = (void *)(r->cqes + (size_t)at * r->slot);
		int big = r->slot == 32 || (r->mixed && c->flags & CQE_F_32_);

		if (!(c->flags & CQE_F_SKIP_))
			take_cqe(r, c, big);
		__atomic_store_n(r->cq_head, *r->cq_head + (r->mixed && big ? 2 : 1), __ATOMIC_RELEASE);
	}
}

static void reap(struct ring *r)
{
	read_cq(r);
	if (r->returns == AT_ONCE)
		return_held(r, NULL, ~0U, 0, 0);
	else if (r->returns == HOLD && r->nr_held > r->hold)
		return_held(r, NULL, r->nr_held - r->hold, 0, 0);
	else if (r->returns == REVERSE && r->nr_held >= (r->hold ? r->hold : 1))
		return_held(r, NULL, ~0U, 1, 0);
	for (unsigned i = 0; i < r->nr_ifqs; i++) /* without a NIC nothing else takes them up */
		if (r->ifqs[i]->nodev && r->returns != NEVER)
			flush(r->ifqs[i]);
}

