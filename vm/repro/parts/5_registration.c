//@ part 
// Areas, registrations and connections.
//@ part registration
static int register_ifq(struct ring *r, struct zcrx_ifq_reg *reg)
{
	return syscall(__NR_io_uring_register, r->fd, REGISTER_ZCRX_IFQ_, reg, 1) < 0 ? errno : 0;
}

static void *area_memory(uint64_t size, uint64_t repeat, int memfd)
{
	int fd = repeat || memfd ? check(memfd_create("area", 0), "memfd_create") : -1;
	unsigned char *m = mmap(NULL, size, PROT_READ | PROT_WRITE,
				fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED, fd, 0);
	uint64_t unit = repeat ? repeat : size;

	if (m == MAP_FAILED)
		skip("mmap of the area", errno);
	if (fd < 0)
		return m;
	check(ftruncate(fd, unit), "ftruncate");
	/* One memfd again and again: a large area that needs little memory. */
	for (uint64_t at = 0; repeat && at < size; at += repeat)
		if (mmap(m + at, repeat, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
			skip("mmap of the area", errno);
	return m;
}

/* Of a registration what differs; the rest has defaults. */
struct ifq_options {
	uint64_t area, repeat;
	unsigned rq, rx_buf_len, events;
	int memfd, device, kernel_rq, dirty, expected;
	void (*bend)(struct zcrx_ifq_reg *, struct zcrx_area_reg *, struct region_desc *);
};

static struct ifq *ifq_register(struct ring *r, struct ifq_options o)
{
	struct ifq *q = calloc(1, sizeof *q);
	uint64_t size = o.area ? (o.area + PAGE - 1) / PAGE * PAGE : PAGE, pages = size / PAGE;
	unsigned entries = 1;
	struct zcrx_area_reg area = { .len = o.area };
	struct region_desc region = { .flags = 1 };
	struct zcrx_event_desc event = { .user_data = 2, .type_mask = o.events };
	struct zcrx_ifq_reg reg = { .flags = ZCRX_NODEV, .rx_buf_len = o.rx_buf_len,
				    .area_ptr = (uintptr_t)&area, .region_ptr = (uintptr_t)&region,
				    .event_desc = o.events ? (uintptr_t)&event : 0 };
	unsigned char *rq = NULL;

	while (entries < (o.rq ? o.rq : pages) && entries < 32768)
		entries *= 2;
	reg.rq_entries = o.rq ? o.rq : entries;
	region.size = (PAGE + entries * sizeof(struct zcrx_rqe) + PAGE - 1) / PAGE * PAGE;
	area.addr = (uintptr_t)area_memory(size, o.repeat, o.memfd);
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
		o.bend(&reg, &area, &region);
	if (!promised("IORING_REGISTER_ZCRX_IFQ", register_ifq(r, &reg), o.expected))
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
	q->listener = -1;
	r->ifqs[r->nr_ifqs++] = q;
	if (o.dirty && (*q->head || *q->tail))
		bug("head and tail of the refill ring are %u and %u after the registration", *q->head,
		    *q->tail);
	return q;
}

static struct stream *stream_connect(struct ifq *q, int mss, int rcvbuf, int sndbuf)
{
	struct stream *s = calloc(1, sizeof *s);
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr = local_address(q),
				  .sin_port = htons(q->nodev ? 0 : local_port()) };
	socklen_t size = sizeof to;
	int one = 1;

	if (q->listener < 0) {
		q->listener = check(socket(AF_INET, SOCK_STREAM, 0), "socket");
		setsockopt(q->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
		check(bind(q->listener, (void *)&to, sizeof to), "bind");
		check(listen(q->listener, 8), "listen");
	}
	if (mss)
		setsockopt(q->listener, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof mss);
	if (rcvbuf)
		setsockopt(q->listener, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof rcvbuf);
	getsockname(q->listener, (void *)&to, &size);
	s->peer = peer_socket(q);
	if (mss)
		setsockopt(s->peer, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof mss);
	if (sndbuf)
		setsockopt(s->peer, SOL_SOCKET, SO_SNDBUF, &sndbuf, sizeof sndbuf);
	setsockopt(s->peer, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	check(connect(s->peer, (void *)&to, sizeof to), "connect");
	s->socket = check(accept(q->listener, NULL, NULL), "accept");
	s->q = q;
	s->cuts[0] = 65536;
	s->nr_cuts = 1;
	q->ring->streams[q->ring->nr_streams++] = s;
	s->number = q->ring->nr_streams;
	return s;
}

