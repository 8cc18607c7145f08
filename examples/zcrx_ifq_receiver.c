// A receiver on zcrx_ifq.h: one queue, one thread, and a CQ of both sizes. Counts bytes. The
// receiver in zcrx_receiver.c does the same in one file, for several queues.
//
// To compile it: cc -O2 -Wall -o zcrx_ifq_receiver zcrx_ifq_receiver.c
// To see it run without such a NIC:
//   zcrxlab exec --port 8080 --send connections=8,size=512K -- ./zcrx_ifq_receiver
//
// MIT licence, Copyright (c) the zcrxlab authors.
#define _GNU_SOURCE
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include <linux/io_uring.h>

#include "zcrx_ifq.h"

// What system headers may not have yet.
enum { OP_RECV_ZC = 58, REGISTER_ZCRX_IFQ = 32, REGION_USER = 1, SETUP_CQE_MIXED = 1 << 18 };
struct zcrx_area {
    uint64_t addr, len, token;
    uint32_t flags, dmabuf_fd;
    uint64_t reserved[2];
};
struct zcrx_region {
    uint64_t user_addr, size;
    uint32_t flags, id;
    uint64_t mmap_offset, reserved[4];
};
struct zcrx_registration {
    uint32_t ifindex, queue, rq_entries, flags;
    uint64_t area, region;
    uint32_t head, tail, rqes, reserved1;
    uint64_t reserved2[2];
    uint32_t id, buffer_length;
    uint64_t reserved3[3];
};

enum { SQ_ENTRIES = 256, CQ_SLOTS = 8192, BUFFERS = 4096, PAGE = 4096 };
enum { ACCEPT = 1, STOP = 3 };  // user_data of our own requests: odd

static struct {
    int ring, listener;
    uint32_t *sq_tail, *sq_mask, *sq_array, unsubmitted, id;
    struct io_uring_sqe *sqes;
    struct zcrx_reactor reactor;
    uint64_t bytes, pieces, connections;
    // A piece that found the refill ring full waits here, held.
    struct {
        uint64_t off;
        uint32_t length;
    } kept[CQ_SLOTS];
    uint32_t kept_count;
    bool stopping;
} me;

static void die(const char *what)
{
    fprintf(stderr, "zcrx_ifq_receiver: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void *map(size_t size, int fd, off_t offset)
{
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED | MAP_POPULATE;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, offset);
    if (memory == MAP_FAILED) die("mmap");
    return memory;
}

static void enter(unsigned wait_for)
{
    long done = syscall(__NR_io_uring_enter, me.ring, me.unsubmitted, wait_for,
                        IORING_ENTER_GETEVENTS, NULL, 0);
    if (done >= 0) me.unsubmitted -= (uint32_t)done;
    if (done < 0 && errno != EINTR) die("io_uring_enter");
}

static struct io_uring_sqe *next_sqe(uint8_t opcode, int fd, uint64_t user_data)
{
    if (me.unsubmitted == SQ_ENTRIES) enter(0);
    if (me.unsubmitted == SQ_ENTRIES) return NULL;
    uint32_t tail = *me.sq_tail, slot = tail & *me.sq_mask;
    struct io_uring_sqe *sqe = &me.sqes[slot];
    memset(sqe, 0, sizeof *sqe);
    sqe->opcode = opcode;
    sqe->fd = fd;
    sqe->user_data = user_data;
    me.sq_array[slot] = slot;
    __atomic_store_n(me.sq_tail, tail + 1, __ATOMIC_RELEASE);
    me.unsubmitted++;
    return sqe;
}

// ---- What the reactor asks of us -----------------------------------------------------------------
static int arm(void *user, struct zcrx_stream *stream)
{
    (void)user;
    struct io_uring_sqe *sqe = next_sqe(OP_RECV_ZC, stream->fd, (uintptr_t)stream);
    if (!sqe) return -EAGAIN;
    sqe->ioprio = IORING_RECV_MULTISHOT;
    sqe->file_index = me.id;
    return 0;
}

static void piece(void *user, struct zcrx_stream *stream, const unsigned char *payload,
                  uint32_t length, uint64_t off)
{
    (void)user, (void)stream, (void)payload;  // This example only counts.
    me.bytes += length;
    me.pieces++;
    if (zcrx_refill_give_back(&me.reactor.refill, off, length) == 0) return;
    if (me.kept_count == CQ_SLOTS) errno = ENOBUFS, die("the kernel takes no buffers back");
    me.kept[me.kept_count].off = off;
    me.kept[me.kept_count++].length = length;
}

static void over(void *user, struct zcrx_stream *stream, int result)
{
    (void)user;
    if (result < 0 && result != -ECONNRESET)
        fprintf(stderr, "zcrx_ifq_receiver: receive: %s\n", strerror(-result));
    close(stream->fd);
    free(stream);
}

static void arm_accept(void)
{
    struct io_uring_sqe *sqe = next_sqe(IORING_OP_ACCEPT, me.listener, ACCEPT);
    if (!sqe) die("accept");
    sqe->ioprio = IORING_ACCEPT_MULTISHOT;
}

static void other(void *user, const struct zcrx_cqe *cqe)
{
    (void)user;
    if (cqe->user_data == STOP) me.stopping = true;
    if (cqe->user_data != ACCEPT) return;
    if (cqe->res >= 0) {
        struct zcrx_stream *stream = calloc(1, sizeof *stream);
        if (!stream) die("calloc");
        me.connections++;
        zcrx_reactor_add(&me.reactor, stream, cqe->res);
    }
    if (!(cqe->flags & ZCRX_CQE_MORE)) arm_accept();
}

// ---- The ring, the queue and the port ------------------------------------------------------------
static void make_ring(void)
{
    struct io_uring_params p = {.flags = SETUP_CQE_MIXED | IORING_SETUP_SINGLE_ISSUER |
                                         IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE,
                                .cq_entries = CQ_SLOTS};
    me.ring = (int)syscall(__NR_io_uring_setup, SQ_ENTRIES, &p);
    size_t slot = 16;
    if (me.ring < 0 && errno == EINVAL) {  // before 6.18
        p.flags = (p.flags & ~(uint32_t)SETUP_CQE_MIXED) | IORING_SETUP_CQE32;
        me.ring = (int)syscall(__NR_io_uring_setup, SQ_ENTRIES, &p);
        slot = 32;
    }
    if (me.ring < 0) die("io_uring_setup");
    size_t sq = p.sq_off.array + p.sq_entries * sizeof(uint32_t);
    size_t cq = p.cq_off.cqes + p.cq_entries * slot;
    unsigned char *rings = map(sq > cq ? sq : cq, me.ring, IORING_OFF_SQ_RING);
    me.sqes = map(p.sq_entries * sizeof(struct io_uring_sqe), me.ring, IORING_OFF_SQES);
    me.sq_tail = (uint32_t *)(rings + p.sq_off.tail);
    me.sq_mask = (uint32_t *)(rings + p.sq_off.ring_mask);
    me.sq_array = (uint32_t *)(rings + p.sq_off.array);
    me.reactor.cq = (struct zcrx_cq){.head = (uint32_t *)(rings + p.cq_off.head),
                                     .tail = (uint32_t *)(rings + p.cq_off.tail),
                                     .mask = *(uint32_t *)(rings + p.cq_off.ring_mask),
                                     .cqes = rings + p.cq_off.cqes,
                                     .mixed = slot == 16};
}

static void register_queue(const char *interface, int queue)
{
    static uint16_t held[BUFFERS];
    size_t area_size = (size_t)BUFFERS * PAGE;
    size_t region_size = PAGE + BUFFERS * sizeof(struct zcrx_rqe);
    unsigned char *shared = map(region_size, -1, 0), *memory = map(area_size, -1, 0);
    struct zcrx_area area = {.addr = (uintptr_t)memory, .len = area_size};
    struct zcrx_region region = {
        .user_addr = (uintptr_t)shared, .size = region_size, .flags = REGION_USER};
    struct zcrx_registration zcrx = {.ifindex = if_nametoindex(interface),
                                     .queue = (uint32_t)queue,
                                     .rq_entries = BUFFERS,
                                     .area = (uintptr_t)&area,
                                     .region = (uintptr_t)&region};
    if (syscall(__NR_io_uring_register, me.ring, REGISTER_ZCRX_IFQ, &zcrx, 1) != 0)
        die("IORING_REGISTER_ZCRX_IFQ");
    me.id = zcrx.id;
    me.reactor.area = memory;
    me.reactor.refill = (struct zcrx_refill){.head = (uint32_t *)(shared + zcrx.head),
                                             .tail = (uint32_t *)(shared + zcrx.tail),
                                             .rqes = (struct zcrx_rqe *)(shared + zcrx.rqes),
                                             .entries = zcrx.rq_entries,
                                             .area_token = area.token,
                                             .area_length = area_size,
                                             // Kernels before 7.0 leave it 0.
                                             .buffer_length = zcrx.buffer_length != 0
                                                                  ? zcrx.buffer_length
                                                                  : PAGE,
                                             .held = held};
}

static void listen_on(uint16_t port)
{
    int one = 1;
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    me.listener = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (me.listener < 0 ||
        setsockopt(me.listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) ||
        bind(me.listener, (struct sockaddr *)&address, sizeof address) || listen(me.listener, 128))
        die("listen");
}

int main(void)
{
    const char *interface = getenv("NETIF"), *queue = getenv("ZCRX_QUEUE");
    const char *port = getenv("ZCRX_PORT");
    if (!interface || !queue || !port) {
        fprintf(stderr, "zcrx_ifq_receiver: set NETIF, ZCRX_QUEUE and ZCRX_PORT\n");
        return 64;
    }
    sigset_t stops;
    sigemptyset(&stops);
    sigaddset(&stops, SIGTERM);
    sigaddset(&stops, SIGINT);
    sigprocmask(SIG_BLOCK, &stops, NULL);
    int signals = signalfd(-1, &stops, SFD_CLOEXEC);
    if (signals < 0) die("signalfd");
    me.reactor.arm = arm;
    me.reactor.piece = piece;
    me.reactor.over = over;
    me.reactor.other = other;
    make_ring();
    register_queue(interface, atoi(queue));
    errno = -zcrx_reactor_init(&me.reactor);
    if (errno) die("the refill ring");
    // What comes before the queue is registered would be copied, so nobody listens until now.
    listen_on((uint16_t)atoi(port));
    struct io_uring_sqe *sqe = next_sqe(IORING_OP_POLL_ADD, signals, STOP);
    if (!sqe) die("poll");
    sqe->poll32_events = POLLIN;
    arm_accept();
    for (int armed = 0; !me.stopping;) {
        // Requests that the kernel has not seen are shown to it before anything is waited for.
        enter(armed > 0 ? 0 : 1);
        armed = zcrx_reactor_run(&me.reactor);
        if (armed < 0) errno = -armed, die("completions");
        while (me.kept_count > 0 &&
               zcrx_refill_give_back(&me.reactor.refill, me.kept[me.kept_count - 1].off,
                                     me.kept[me.kept_count - 1].length) == 0)
            me.kept_count--;
    }
    printf("queue %s: %llu connections, %llu bytes in %llu pieces (%u kept), "
           "%llu requests armed again\n",
           queue, (unsigned long long)me.connections, (unsigned long long)me.bytes,
           (unsigned long long)me.pieces, me.kept_count,
           (unsigned long long)me.reactor.armed_again);
    return 0;
}
