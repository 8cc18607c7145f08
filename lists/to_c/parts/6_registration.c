//@ part 
// Areas, registrations and connections.
//@ part registration
static int register_ifq(struct ring *r, void *reg, unsigned count)
{
	return syscall(__NR_io_uring_register, r->fd, REGISTER_ZCRX_IFQ_, reg, count) < 0 ? errno : 0;
}

/* Of a registration what differs; the rest has defaults. */
struct ifq_options {
	uint64_t area, repeat;
	unsigned rq, rx_buf_len, events, stats;
	int memory, device, kernel_rq, dirty, expected;
	/* The arguments of the call, where they are no good. */
	int other_argument, other_count;
	uint64_t argument;
	unsigned count;
	void (*bend)(struct zcrx_ifq_reg *, struct zcrx_area_reg *, struct region_desc *,
		     struct zcrx_event_desc *);
};

static struct ifq *ifq_register(struct ring *r, struct ifq_options o)
{
	struct ifq *q = calloc(1, sizeof *q);
	uint64_t page = o.memory == HUGE || o.memory == HUGE_MEMFD ? 2ULL << 20 : PAGE;
	uint64_t size = o.area ? (o.area + page - 1) / page * page : page, pages = size / PAGE;
	unsigned entries = 1;
	struct zcrx_area_reg area = { .len = page == PAGE ? o.area : size };
	struct region_desc region = { .flags = 1 };
	struct zcrx_event_desc event = { .user_data = 2, .type_mask = o.events };
	struct zcrx_ifq_reg reg = { .flags = ZCRX_NODEV, .rx_buf_len = o.rx_buf_len,
				    .area_ptr = (uintptr_t)&area, .region_ptr = (uintptr_t)&region,
				    .event_desc = o.events || o.stats ? (uintptr_t)&event : 0 };
	unsigned char *rq = NULL;

	while (entries < (o.rq ? o.rq : pages) && entries < 32768)
		entries *= 2;
	reg.rq_entries = o.rq ? o.rq : entries;
	region.size = (PAGE + entries * sizeof(struct zcrx_rqe) + PAGE - 1) / PAGE * PAGE;
	if (o.stats) { /* counters of the kernel behind the entries */
		event.flags = 1;
		event.stats_offset = region.size;
		region.size += PAGE;
	}
	area.addr = (uintptr_t)area_memory(size, o.repeat, o.memory);
	if (o.kernel_rq) {
		region.flags = 0;
	} else {
		rq = mmap(NULL, region.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		region.user_addr = (uintptr_t)rq;
		if (o.dirty)
			memset(rq, 0xff, region.size);
	}
	q->area[0] = (void *)(uintptr_t)area.addr;
	if (o.device)
		use_device(q, &reg);
	if (o.bend)
		o.bend(&reg, &area, &region, &event);
	if (!promised("IORING_REGISTER_ZCRX_IFQ",
		      register_ifq(r, o.other_argument ? (void *)(uintptr_t)o.argument : &reg,
				   o.other_count ? o.count : 1), o.expected))
		return NULL;
	if (!rq)
		rq = mmap(NULL, region.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, r->fd,
			  region.mmap_offset);
	q->ring = r;
	q->id = reg.zcrx_id;
	q->entries = reg.rq_entries;
	q->buffer = reg.rx_buf_len ? reg.rx_buf_len : PAGE;
	q->nodev = !o.device;
	q->area_size[q->nr_areas++] = size;
	q->head = (void *)(rq + reg.offsets.head);
	q->tail = (void *)(rq + reg.offsets.tail);
	q->rqes = (void *)(rq + reg.offsets.rqes);
	q->listener[0] = q->listener[1] = -1;
	r->ifqs[r->nr_ifqs++] = q;
	if (o.dirty && (*q->head || *q->tail))
		bug("head and tail of the refill ring are %u and %u after the registration", *q->head,
		    *q->tail);
	return q;
}

static struct stream *stream_connect(struct ifq *q, int family, int mss, int rcvbuf, int sndbuf)
{
	struct stream *s = calloc(1, sizeof *s);
	struct sockaddr_storage to = { 0 };
	socklen_t size = local_address(q, family, &to);
	int one = 1, *listener = &q->listener[family == 6];

	if (*listener < 0) {
		*listener = check(socket(to.ss_family, SOCK_STREAM, 0), "socket");
		setsockopt(*listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
		check(bind(*listener, (void *)&to, size), "bind");
		check(listen(*listener, 8), "listen");
	}
	if (mss)
		setsockopt(*listener, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof mss);
	if (rcvbuf)
		setsockopt(*listener, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof rcvbuf);
	getsockname(*listener, (void *)&to, &size);
	s->peer = peer_socket(q, to.ss_family);
	if (mss)
		setsockopt(s->peer, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof mss);
	if (sndbuf)
		setsockopt(s->peer, SOL_SOCKET, SO_SNDBUF, &sndbuf, sizeof sndbuf);
	setsockopt(s->peer, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	check(connect(s->peer, (void *)&to, size), "connect");
	s->socket = check(accept(*listener, NULL, NULL), "accept");
	s->q = q;
	s->cuts[0] = 65536;
	s->nr_cuts = 1;
	q->ring->streams[q->ring->nr_streams++] = s;
	s->number = q->ring->nr_streams;
	return s;
}

//@ part loopback
/* From this machine itself, past the NIC that the ifq may have. */
static struct stream *stream_connect_loopback(struct ifq *q, int family, int mss, int rcvbuf,
					      int sndbuf)
{
	int nodev = q->nodev, *listener = &q->listener[family == 6], there = *listener;
	struct stream *s;

	q->nodev = 1;
	*listener = -1;
	s = stream_connect(q, family, mss, rcvbuf, sndbuf);
	close(*listener);
	*listener = there;
	q->nodev = nodev;
	return s;
}

