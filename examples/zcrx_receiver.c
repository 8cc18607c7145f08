// A receiver with io_uring zero-copy receive and nothing but system calls: one process for each
// receive queue, each with its own ring. Counts bytes. Meant to be read and copied.
//
// To compile it: cc -O2 -Wall -o zcrx_receiver zcrx_receiver.c
// To see it run without such a NIC:
//   zcrxlab exec --port 8080 --queues 2 --send connections=8,size=4M -- ./zcrx_receiver
// On a NIC of yours: header split on, RSS away from the queues, a flow rule to them; then
//   NETIF=eth0 ZCRX_QUEUES="14 15" ZCRX_PORT=8080 ./zcrx_receiver
//
// MIT licence, Copyright (c) the zcrxlab authors.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/io_uring.h>

// ---- What system headers may not have yet (linux/io_uring.h, linux/io_uring/zcrx.h) -------------
enum { OP_RECV_ZC = 58, REGISTER_ZCRX_IFQ = 32, REGION_USER = 1 };
#define AREA_SHIFT 48
#define OFFSET_MASK ((1ULL << AREA_SHIFT) - 1)

struct zcrx_area {  // memory that the NIC writes payload into
    uint64_t addr, len, token;
    uint32_t flags, dmabuf_fd;
    uint64_t reserved[2];
};
struct zcrx_region {  // memory shared with the kernel: the refill ring
    uint64_t user_addr, size;
    uint32_t flags, id;
    uint64_t mmap_offset, reserved[4];
};
struct zcrx_registration {
    uint32_t ifindex, queue, rq_entries, flags;
    uint64_t area, region;
    uint32_t head, tail, rqes, reserved1;  // out: where these lie in the region
    uint64_t reserved2[2];
    uint32_t id, buffer_length;  // out
    uint64_t reserved3[3];
};
struct zcrx_rqe {  // one reference to a buffer that goes back
    uint64_t offset;
    uint32_t length, padding;
};
_Static_assert(sizeof(struct zcrx_registration) == 96, "as the kernel has it");

// ---- The state of one queue's process ------------------------------------------------------------
enum { SQ_ENTRIES = 256, CQ_ENTRIES = 4096, BUFFERS = 4096, PAGE = 4096 };
// What a request is about: its kind above its file descriptor.
enum { ACCEPT = 1, RECEIVE = 2, STOP = 3 };

static struct {
    int ring, listener, queue;
    uint32_t *sq_tail, *sq_mask, *sq_array, *cq_head, *cq_tail, *cq_mask;
    uint32_t unsubmitted;
    struct io_uring_sqe *sqes;
    unsigned char *cqes;
    unsigned char *area;
    struct zcrx_registration zcrx;
    uint64_t area_token;
    uint32_t *rq_head, *rq_tail;
    struct zcrx_rqe *rqes;
    uint64_t bytes, pieces, connections, rearmed;
} me;

static volatile sig_atomic_t stopping;
static void stop(int number) { (void)number, stopping = 1; }

static void die(const char *what)
{
    fprintf(stderr, "zcrx_receiver: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void *map(size_t size, int fd, off_t offset)
{
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED | MAP_POPULATE;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, offset);
    if (memory == MAP_FAILED) die("mmap");
    return memory;
}

// Step 1: a ring. Zero-copy receive wants CQEs of 32 bytes, and its completions run in the process
// that owns the ring, when it enters the kernel (DEFER_TASKRUN needs SINGLE_ISSUER).
static void make_ring(void)
{
    struct io_uring_params p = {.flags = IORING_SETUP_CQE32 | IORING_SETUP_SINGLE_ISSUER |
                                         IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE,
                                .cq_entries = CQ_ENTRIES};
    me.ring = (int)syscall(__NR_io_uring_setup, SQ_ENTRIES, &p);
    if (me.ring < 0) die("io_uring_setup");
    size_t sq = p.sq_off.array + p.sq_entries * sizeof(uint32_t);
    size_t cq = p.cq_off.cqes + p.cq_entries * 32UL;
    unsigned char *rings = map(sq > cq ? sq : cq, me.ring, IORING_OFF_SQ_RING);
    me.sqes = map(p.sq_entries * sizeof(struct io_uring_sqe), me.ring, IORING_OFF_SQES);
    me.sq_tail = (uint32_t *)(rings + p.sq_off.tail);
    me.sq_mask = (uint32_t *)(rings + p.sq_off.ring_mask);
    me.sq_array = (uint32_t *)(rings + p.sq_off.array);
    me.cq_head = (uint32_t *)(rings + p.cq_off.head);
    me.cq_tail = (uint32_t *)(rings + p.cq_off.tail);
    me.cq_mask = (uint32_t *)(rings + p.cq_off.ring_mask);
    me.cqes = rings + p.cq_off.cqes;
}

// Step 2: give the queue an area to receive into, and share a refill ring with the kernel. From now
// on, payload of packets on this queue lands in the area, whoever its socket belongs to; so nothing
// but our connections may be steered here. Needs CAP_NET_ADMIN, header split, and a queue that is
// free. The queue is ours until the ring is closed.
static void register_queue(const char *interface)
{
    size_t area_size = (size_t)BUFFERS * PAGE;
    size_t region_size = PAGE + BUFFERS * sizeof(struct zcrx_rqe);  // its head and tail, entries
    unsigned char *shared = map(region_size, -1, 0);
    me.area = map(area_size, -1, 0);
    struct zcrx_area area = {.addr = (uintptr_t)me.area, .len = area_size};
    struct zcrx_region region = {
        .user_addr = (uintptr_t)shared, .size = region_size, .flags = REGION_USER};
    me.zcrx = (struct zcrx_registration){.ifindex = if_nametoindex(interface),
                                         .queue = (uint32_t)me.queue,
                                         .rq_entries = BUFFERS,
                                         .area = (uintptr_t)&area,
                                         .region = (uintptr_t)&region};
    if (syscall(__NR_io_uring_register, me.ring, REGISTER_ZCRX_IFQ, &me.zcrx, 1) != 0) {
        fprintf(stderr, "queue %d of %s; for what can be behind it: zcrxlab explain %d register\n",
                me.queue, interface, errno);
        die("IORING_REGISTER_ZCRX_IFQ");
    }
    me.area_token = area.token;
    // The places differ between kernels, so those that came back are used.
    me.rq_head = (uint32_t *)(shared + me.zcrx.head);
    me.rq_tail = (uint32_t *)(shared + me.zcrx.tail);
    me.rqes = (struct zcrx_rqe *)(shared + me.zcrx.rqes);
}

// ---- Requests ------------------------------------------------------------------------------------
static void enter(unsigned wait_for)
{
    long done = syscall(__NR_io_uring_enter, me.ring, me.unsubmitted, wait_for,
                        IORING_ENTER_GETEVENTS, NULL, 0);
    if (done >= 0) me.unsubmitted -= (uint32_t)done;
    if (done < 0 && errno != EINTR) die("io_uring_enter");
}

static struct io_uring_sqe *next_sqe(uint8_t opcode, int fd, uint64_t kind)
{
    if (me.unsubmitted == SQ_ENTRIES) enter(0);
    uint32_t tail = *me.sq_tail, slot = tail & *me.sq_mask;
    struct io_uring_sqe *sqe = &me.sqes[slot];
    memset(sqe, 0, sizeof *sqe);
    sqe->opcode = opcode;
    sqe->fd = fd;
    sqe->user_data = kind << 32 | (uint32_t)fd;
    me.sq_array[slot] = slot;
    __atomic_store_n(me.sq_tail, tail + 1, __ATOMIC_RELEASE);
    me.unsubmitted++;
    return sqe;
}

static void arm_accept(void)
{
    next_sqe(IORING_OP_ACCEPT, me.listener, ACCEPT)->ioprio = IORING_ACCEPT_MULTISHOT;
}

// Step 3: one request receives a whole stream; each piece is a CQE. It is always multishot.
static void arm_receive(int fd)
{
    struct io_uring_sqe *sqe = next_sqe(OP_RECV_ZC, fd, RECEIVE);
    sqe->ioprio = IORING_RECV_MULTISHOT;
    sqe->file_index = me.zcrx.id;  // called zcrx_ifq_idx in newer headers; the same place
}

// Step 5: give the piece back when it is done with. A buffer of which several pieces were received
// is free when all of them are back. The ring has an entry for each buffer; the kernel looks at it
// only when it runs out, so with small pieces it can be full. Then a piece waits here.
static struct zcrx_rqe waiting[CQ_ENTRIES * 16];
static uint32_t waiting_count;

static void give_back(uint64_t offset, uint32_t length)
{
    if (waiting_count == sizeof waiting / sizeof *waiting) {
        fprintf(stderr, "zcrx_receiver: the kernel takes no buffers back\n");
        exit(1);
    }
    waiting[waiting_count++] =
        (struct zcrx_rqe){.offset = (offset & OFFSET_MASK) | me.area_token, .length = length};
    uint32_t tail = *me.rq_tail;
    uint32_t used = tail - __atomic_load_n(me.rq_head, __ATOMIC_ACQUIRE);
    for (; waiting_count > 0 && used < me.zcrx.rq_entries; used++)
        me.rqes[tail++ & (me.zcrx.rq_entries - 1)] = waiting[--waiting_count];
    // Entries first, then the tail that shows them: release.
    __atomic_store_n(me.rq_tail, tail, __ATOMIC_RELEASE);
}

// ---- Completions ---------------------------------------------------------------------------------
static void accepted(int result, uint32_t flags)
{
    if (result >= 0) {
        me.connections++;
        arm_receive(result);
    }
    if (!(flags & IORING_CQE_F_MORE)) arm_accept();
}

// Step 4: a piece of payload. The second half of the CQE says where in the area it is.
static void received(int fd, int result, uint32_t flags, uint64_t offset)
{
    if (result > 0) {
        // Here is the payload, where the NIC wrote it: `result` bytes, never more than one buffer.
        unsigned char *payload = me.area + (offset & OFFSET_MASK);
        (void)payload;  // This example only counts.
        me.bytes += (uint64_t)result;
        me.pieces++;
        give_back(offset, (uint32_t)result);
    }
    if (flags & IORING_CQE_F_MORE) return;  // the request goes on
    // The request has ended, for one of these reasons:
    if (result == -ENOSPC || result == -ENOMEM) {
        // The CQ was full, or no buffer was free to copy into: nothing is lost, data waits in the
        // socket. What we hold is back by now, so go on with a new request.
        me.rearmed++;
        arm_receive(fd);
        return;
    }
    if (result < 0 && result != -ECONNRESET)
        fprintf(stderr, "zcrx_receiver: receive: %s\n", strerror(-result));
    close(fd);  // 0: the end of the stream
}

static void reap(void)
{
    uint32_t head = *me.cq_head;
    while (head != __atomic_load_n(me.cq_tail, __ATOMIC_ACQUIRE)) {
        // 32 bytes each: user_data, res, flags; then, for a piece, offset and padding.
        const unsigned char *at = me.cqes + (head & *me.cq_mask) * 32UL;
        struct io_uring_cqe cqe;
        uint64_t offset;
        memcpy(&cqe, at, 16);
        memcpy(&offset, at + 16, sizeof offset);
        // Its slot is the kernel's again. What comes next may be a long time in the making.
        __atomic_store_n(me.cq_head, ++head, __ATOMIC_RELEASE);
        int fd = (int)(uint32_t)cqe.user_data;
        if (cqe.user_data >> 32 == ACCEPT) accepted(cqe.res, cqe.flags);
        if (cqe.user_data >> 32 == RECEIVE) received(fd, cqe.res, cqe.flags, offset);
        if (cqe.user_data >> 32 == STOP) stopping = 1;
    }
}

static void serve(const char *interface, int registered, int listening)
{
    // Signals come as completions, too, so that none is missed.
    sigset_t stops;
    sigemptyset(&stops);
    sigaddset(&stops, SIGTERM);
    sigaddset(&stops, SIGINT);
    sigprocmask(SIG_BLOCK, &stops, NULL);
    int signals = signalfd(-1, &stops, SFD_CLOEXEC);
    if (signals < 0) die("signalfd");
    make_ring();
    register_queue(interface);
    // What comes before all queues are registered would be copied, so nobody listens until then.
    char byte = 0;
    if (write(registered, &byte, 1) != 1 || close(registered)) die("tell of the queue");
    if (read(listening, &byte, 1) != 1) exit(1);  // another one could not
    next_sqe(IORING_OP_POLL_ADD, signals, STOP)->poll32_events = POLLIN;
    arm_accept();
    while (!stopping) {
        enter(1);
        reap();
    }
    printf("queue %d: %llu connections, %llu bytes in %llu pieces (%u kept), "
           "%llu requests armed again\n",
           me.queue, (unsigned long long)me.connections, (unsigned long long)me.bytes,
           (unsigned long long)me.pieces, waiting_count, (unsigned long long)me.rearmed);
}

// ---- One reactor for each queue ------------------------------------------------------------------
// All listen on the same port. A connection has to be accepted by the process whose queue its
// packets come through, or all of them are copied: a classic BPF program answers with the number of
// the listener, counted in the order in which they began to listen, for the queue of the SYN. The
// queues follow one another.
static int listen_on(uint16_t port)
{
    int one = 1, fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) ||
        setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof one) ||
        bind(fd, (struct sockaddr *)&address, sizeof address))
        die("listen");
    return fd;
}

static void choose_by_queue(int listener, int first, int count)
{
    struct sock_filter code[] = {
        // The kernel counts recorded queues from 1.
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(SKF_AD_OFF + SKF_AD_QUEUE)),
        BPF_STMT(BPF_ALU | BPF_SUB | BPF_K, (uint32_t)first + 1),
        BPF_STMT(BPF_ALU | BPF_MOD | BPF_K, (uint32_t)count),
        BPF_STMT(BPF_RET | BPF_A, 0),
    };
    struct sock_fprog program = {.len = 4, .filter = code};
    if (setsockopt(listener, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program, sizeof program))
        die("choose listeners by queue");
}

int main(void)
{
    const char *interface = getenv("NETIF"), *queues = getenv("ZCRX_QUEUES");
    const char *port = getenv("ZCRX_PORT");
    if (!interface || !queues || !port) {
        fprintf(stderr, "zcrx_receiver: set NETIF, ZCRX_QUEUES (\"2 3\") and ZCRX_PORT\n");
        return 64;
    }
    int numbers[64], listeners[64], count = 0;
    for (char *end; count < 64; queues = end, count++) {
        numbers[count] = (int)strtol(queues, &end, 10);
        if (end == queues) break;
    }
    for (int i = 0; i < count; i++) listeners[i] = listen_on((uint16_t)atoi(port));
    if (count > 1) choose_by_queue(listeners[0], numbers[0], count);
    // No SA_RESTART: the wait is to end.
    struct sigaction action = {.sa_handler = stop};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    int registered[2], listening[2];  // pipes: a byte from each process, and one to it
    if (pipe(registered) || pipe(listening)) die("pipe");
    for (int i = 0; i < count; i++) {
        if (fork()) continue;
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        close(registered[0]);
        close(listening[1]);
        me.queue = numbers[i];
        me.listener = listeners[i];
        serve(interface, registered[1], listening[0]);
        return 0;
    }
    close(registered[1]);
    int status, failed = 0, told = 0, ready = 0;
    for (char byte; ready < count && read(registered[0], &byte, 1) == 1;) ready++;
    failed = ready < count;
    for (int i = 0; i < count && !failed; i++)
        if (listen(listeners[i], 128)) die("listen");
    if (!failed && write(listening[1], numbers, (size_t)count) != count) die("write");
    close(listening[1]);
    for (int left = count; left > 0;) {
        if (wait(&status) > 0) {
            left--;
            failed |= status != 0;
        }
        // One that fails takes the others along.
        if ((stopping || failed) && !told++) kill(0, SIGTERM);
    }
    return failed;
}
