//@ part 
// How many buffers of an ifq can be had.
//@ part capacity
/* Marks the buffers of what is held from `first` on; whether one was there before is a bug. */
static uint64_t count_held(struct ring *r, struct ifq *q, unsigned first, unsigned char *seen)
{
	uint64_t distinct = 0;

	for (unsigned i = first; i < r->nr_held; i++) {
		uint64_t area = r->held[i].off >> 48, at = r->held[i].off & ((1ULL << 48) - 1);

		for (at /= q->buffer; area; area--)
			at += q->area_size[area - 1] / q->buffer;
		distinct += !seen[at];
		seen[at] = 1;
	}
	return distinct;
}

/*
 * Sends more than the areas hold, gives nothing back, and counts the buffers that come. A copy ends
 * the request with -ENOMEM when there is no buffer left; a NIC only drops, and keeps some buffers
 * for itself, which have to be pushed through: then some of those that were counted go back.
 */
static void capacity(struct ifq *q)
{
	struct ring *r = q->ring;
	struct ring before = *r;
	struct stream *s = stream_connect(q, 4, 0, 0, 0);
	uint64_t total = 0, distinct = 0;
	unsigned char *seen;
	int64_t newest;

	for (unsigned i = 0; i < q->nr_areas; i++)
		total += q->area_size[i] / q->buffer;
	seen = calloc(total, 1);
	return_held(r, q, ~0U, 0, 0);
	r->returns = NEVER;
	r->rearm = 0;
	stream_send(s, 1ULL << 40, (unsigned[]){ 65536, 0 });
	stream_arm(s, 0, 0);
	for (int round = 0; round < 48 && distinct < total; round++) {
		for (newest = now_ms(); now_ms() - newest < 500 && distinct < total && s->armed; ) {
			unsigned held = r->nr_held;

			turn(r);
			if (r->nr_held != held)
				newest = now_ms();
			distinct += count_held(r, q, held, seen);
		}
		if (q->nodev || distinct == total)
			break;
		return_held(r, q, 64, 0, 0);
		if (!s->armed)
			submit_recv(s);
	}
	s->to_send = s->sent;
	if (distinct != total)
		bug("only %llu of %llu buffers can be had", (unsigned long long)distinct,
		    (unsigned long long)total);
	r->returns = before.returns;
	return_held(r, q, ~0U, 0, 0);
	flush(q);
	shutdown(s->socket, SHUT_RDWR);
	for (newest = now_ms(); s->armed && now_ms() - newest < 5000; ) {
		turn(r);
		return_held(r, q, ~0U, 0, 0);
	}
	r->rearm = before.rearm;
	free(seen);
}

