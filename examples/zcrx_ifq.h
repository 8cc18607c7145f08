// What is easy to get wrong in a receiver with io_uring zero-copy receive, in one header to be
// copied: the refill ring, reading CQEs of 32 bytes and of both sizes, the ends of a request, and
// one reactor for the interface queue (ifq). It makes no system call but gettid; the ring, the
// registration and the requests stay yours. examples/zcrx_ifq_receiver.c uses it.
//
// C11 or C++20, no library. A function returns 0 or a count, or a negative errno.
//
// MIT licence, Copyright (c) the zcrxlab authors.
#ifndef ZCRX_IFQ_H
#define ZCRX_IFQ_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- What system headers may not have yet (linux/io_uring.h, linux/io_uring/zcrx.h) -------------
enum { ZCRX_CQE_MORE = 1 << 1, ZCRX_CQE_SKIP = 1 << 5, ZCRX_CQE_32 = 1 << 15 };
#define ZCRX_AREA_SHIFT 48
#define ZCRX_OFFSET_MASK ((1ULL << ZCRX_AREA_SHIFT) - 1)

struct zcrx_rqe {  // one reference to a buffer that goes back
    uint64_t off;
    uint32_t len, pad;
};

// ---- The refill ring -----------------------------------------------------------------------------
// Everything in the area is the kernel's from the start: nothing is put into the ring before it was
// received. A buffer may hold several pieces, and goes back with as many entries.
struct zcrx_refill {
    uint32_t *head, *tail;  // shared with the kernel, which moves the head
    struct zcrx_rqe *rqes;
    uint32_t entries;        // a power of two
    uint64_t area_token;     // of the registration
    uint64_t area_length;    // bytes
    uint32_t buffer_length;  // bytes
    uint16_t *held;          // yours, zeroed: for each buffer, how many pieces of it you hold
    uint64_t pieces_held;    // in all buffers
    uint64_t given_back;     // pieces, ever
};

// Call it when the queue is registered, and fill in all but the last two members before.
// -EUCLEAN: the ring is not empty. Kernels before 7.0.4 take what the memory held for head and tail,
// so a region that was used before has to be zeroed before it is registered.
static inline int zcrx_refill_init(struct zcrx_refill *refill)
{
    refill->pieces_held = refill->given_back = 0;
    if (refill->entries == 0 || (refill->entries & (refill->entries - 1)) != 0 ||
        refill->buffer_length == 0 || !refill->held)
        return -EINVAL;
    return *refill->head == 0 && *refill->tail == 0 ? 0 : -EUCLEAN;
}

// Entries that can be written now.
static inline uint32_t zcrx_refill_room(const struct zcrx_refill *refill)
{
    // The entries that the kernel has read are ours again: acquire. Both run on over 2^32.
    uint32_t used = *refill->tail - __atomic_load_n(refill->head, __ATOMIC_ACQUIRE);
    return used > refill->entries ? 0 : refill->entries - used;
}

// A piece that was received. -ERANGE: it is not inside one buffer of the area.
static inline int zcrx_refill_hold(struct zcrx_refill *refill, uint64_t off, uint32_t length)
{
    uint64_t at = off & ZCRX_OFFSET_MASK;
    uint64_t buffer = at / refill->buffer_length;
    if (length == 0 || at >= refill->area_length || length > refill->area_length - at ||
        (at + length - 1) / refill->buffer_length != buffer || refill->held[buffer] == UINT16_MAX)
        return -ERANGE;
    refill->held[buffer]++;
    refill->pieces_held++;
    return 0;
}

// The piece at `off` goes back. -ENOENT: no piece of that buffer is held: it never was, or it is
// back already. -EAGAIN: the ring is full, nothing was written, and the piece is still held. The
// kernel reads the ring when it runs out of buffers, so try again after the next completions.
static inline int zcrx_refill_give_back(struct zcrx_refill *refill, uint64_t off, uint32_t length)
{
    uint64_t at = off & ZCRX_OFFSET_MASK;
    uint64_t buffer = at / refill->buffer_length;
    if (at >= refill->area_length || refill->held[buffer] == 0) return -ENOENT;
    if (zcrx_refill_room(refill) == 0) return -EAGAIN;
    uint32_t tail = *refill->tail;
    struct zcrx_rqe *rqe = &refill->rqes[tail & (refill->entries - 1)];
    rqe->off = at | refill->area_token;
    rqe->len = length;
    rqe->pad = 0;
    refill->held[buffer]--;
    refill->pieces_held--;
    refill->given_back++;
    // The entry first, then the tail that shows it: release.
    __atomic_store_n(refill->tail, tail + 1, __ATOMIC_RELEASE);
    return 0;
}

// ---- Completions ---------------------------------------------------------------------------------
struct zcrx_cq {
    uint32_t *head, *tail;
    uint32_t mask;
    const unsigned char *cqes;
    bool mixed;  // made with IORING_SETUP_CQE_MIXED; else with IORING_SETUP_CQE32
};

struct zcrx_cqe {
    uint64_t user_data;
    int32_t res;
    uint32_t flags;
    uint64_t off;  // of a piece; 0 in a CQE of 16 bytes
};

// Takes the next completion, and gives its slot back at once: what you do with it may take long, and
// a full CQ ends requests. 1 if there was one, 0 if not. -EBADMSG: the second half of a CQE is not
// there.
static inline int zcrx_cq_next(struct zcrx_cq *cq, struct zcrx_cqe *cqe)
{
    for (uint32_t head = *cq->head;;) {
        uint32_t ready = __atomic_load_n(cq->tail, __ATOMIC_ACQUIRE) - head;
        if (ready == 0) return 0;
        // In a ring of both sizes a slot has 16 bytes, and a CQE of 32 takes two of them.
        const unsigned char *at = cq->cqes + (size_t)(head & cq->mask) * (cq->mixed ? 16 : 32);
        memcpy(&cqe->user_data, at, 8);
        memcpy(&cqe->res, at + 8, 4);
        memcpy(&cqe->flags, at + 12, 4);
        bool large = !cq->mixed || (cqe->flags & ZCRX_CQE_32) != 0;
        uint32_t slots = cq->mixed && large ? 2 : 1;
        if (ready < slots || (slots == 2 && (head & cq->mask) == cq->mask)) return -EBADMSG;
        cqe->off = 0;
        if (large) memcpy(&cqe->off, at + 16, 8);
        head += slots;
        __atomic_store_n(cq->head, head, __ATOMIC_RELEASE);
        // The last slot of the ring, where a CQE of 32 bytes did not fit.
        if ((cqe->flags & ZCRX_CQE_SKIP) == 0) return 1;
    }
}

// What has to follow a completion of a RECV_ZC request.
enum zcrx_next {
    ZCRX_GOES_ON,              // it is a piece, and more will come
    ZCRX_ARM_AGAIN,            // the CQ was full; nothing is lost, the rest waits in the socket
    ZCRX_RETURN_AND_ARM,       // no buffer was free; the same, as soon as one is back
    ZCRX_END_OF_STREAM,        // or the length of the request was reached
    ZCRX_GIVE_UP,              // the connection, or the steering of its packets, is broken
};

static inline enum zcrx_next zcrx_next_of(const struct zcrx_cqe *cqe)
{
    if ((cqe->flags & ZCRX_CQE_MORE) != 0) return cqe->res > 0 ? ZCRX_GOES_ON : ZCRX_GIVE_UP;
    switch (cqe->res) {
        case 0: return ZCRX_END_OF_STREAM;
        case -ENOSPC: return ZCRX_ARM_AGAIN;
        case -ENOMEM: return ZCRX_RETURN_AND_ARM;
        // -ECONNRESET and what else the socket has to tell. -EFAULT: packets of this connection came
        // through another ifq. -ECANCELED: it was you.
        default: return ZCRX_GIVE_UP;
    }
}

// ---- One reactor for each queue ------------------------------------------------------------------
// The thread that made the ring is the only one that may use it (IORING_SETUP_SINGLE_ISSUER), and
// the refill ring has one writer. So a queue has one reactor, and a reactor one thread.
enum zcrx_state { ZCRX_IDLE, ZCRX_ARMED, ZCRX_TO_ARM, ZCRX_TO_ARM_WITH_BUFFERS, ZCRX_OVER };

struct zcrx_stream {
    int fd;  // yours
    enum zcrx_state state;
    uint64_t given_back;       // of the refill ring, when the request was made
    struct zcrx_stream *next;  // of those that wait to be armed
};

struct zcrx_reactor {
    struct zcrx_refill refill;
    struct zcrx_cq cq;
    const unsigned char *area;
    // Makes a RECV_ZC request for the stream, with the address of the stream as its user_data, which
    // is even. 0, or a negative errno: then it is asked again. It adds no stream.
    int (*arm)(void *user, struct zcrx_stream *stream);
    // A piece of payload, where the NIC wrote it. It is yours until zcrx_refill_give_back() with this
    // `off` and `length`.
    void (*piece)(void *user, struct zcrx_stream *stream, const unsigned char *payload,
                  uint32_t length, uint64_t off);
    // The stream is over: 0 at its end, else a negative errno. It is not used any more.
    void (*over)(void *user, struct zcrx_stream *stream, int result);
    // A completion with an odd user_data: one of your own requests.
    void (*other)(void *user, const struct zcrx_cqe *cqe);
    void *user;
    struct zcrx_stream *waiting;
    uint64_t armed_again;
    long thread;
};

// In the thread that has made the ring; all members down to `user` are set, and the rest is zero.
static inline int zcrx_reactor_init(struct zcrx_reactor *reactor)
{
    reactor->thread = syscall(SYS_gettid);
    if (!reactor->arm || !reactor->piece || !reactor->over || !reactor->other || reactor->waiting)
        return -EINVAL;
    return zcrx_refill_init(&reactor->refill);
}

// A new stream. -EALREADY: it has a request, or waits for one; two would share its bytes.
static inline int zcrx_reactor_add(struct zcrx_reactor *reactor, struct zcrx_stream *stream, int fd)
{
    if (syscall(SYS_gettid) != reactor->thread) return -EPERM;
    if (stream->state == ZCRX_ARMED || stream->state == ZCRX_TO_ARM ||
        stream->state == ZCRX_TO_ARM_WITH_BUFFERS)
        return -EALREADY;
    stream->fd = fd;
    stream->state = ZCRX_TO_ARM;
    stream->next = reactor->waiting;
    reactor->waiting = stream;
    return 0;
}

static inline void zcrx_reactor_completed(struct zcrx_reactor *reactor, const struct zcrx_cqe *cqe)
{
    struct zcrx_stream *stream = (struct zcrx_stream *)(uintptr_t)cqe->user_data;
    enum zcrx_next next = zcrx_next_of(cqe);
    int result = cqe->res > 0 || (cqe->flags & ZCRX_CQE_MORE) != 0 ? -EBADMSG : cqe->res;
    if (next == ZCRX_GOES_ON) {
        uint32_t length = (uint32_t)cqe->res;
        if (zcrx_refill_hold(&reactor->refill, cqe->off, length) == 0)
            reactor->piece(reactor->user, stream, reactor->area + (cqe->off & ZCRX_OFFSET_MASK),
                           length, cqe->off);
        // Its bytes are missing now, so what follows is no stream; its request still ends.
        else if (stream->state != ZCRX_OVER)
            stream->state = ZCRX_OVER, reactor->over(reactor->user, stream, -ERANGE);
        return;
    }
    if (stream->state == ZCRX_OVER) return;
    if (next == ZCRX_ARM_AGAIN || next == ZCRX_RETURN_AND_ARM) {
        stream->state = next == ZCRX_ARM_AGAIN ? ZCRX_TO_ARM : ZCRX_TO_ARM_WITH_BUFFERS;
        stream->next = reactor->waiting;
        reactor->waiting = stream;
        reactor->armed_again++;
        return;
    }
    stream->state = ZCRX_OVER;
    reactor->over(reactor->user, stream, result);
}

// Takes all completions, then arms what has to be armed: new streams, and those whose request has
// ended for want of room or buffers. Call it after each io_uring_enter(), and enter again at once if
// it is above 0: then requests were made that the kernel has not seen. -EPERM: another thread's.
static inline int zcrx_reactor_run(struct zcrx_reactor *reactor)
{
    if (syscall(SYS_gettid) != reactor->thread) return -EPERM;
    struct zcrx_cqe cqe;
    int got;
    while ((got = zcrx_cq_next(&reactor->cq, &cqe)) > 0) {
        if ((cqe.user_data & 1) != 0)
            reactor->other(reactor->user, &cqe);
        else
            zcrx_reactor_completed(reactor, &cqe);
    }
    if (got < 0) return got;
    int armed = 0;
    for (struct zcrx_stream **at = &reactor->waiting; *at;) {
        struct zcrx_stream *stream = *at;
        // If none has come back since its last request, it would end in the same way. If none is
        // held, the kernel has them all, and there will be one.
        bool can = stream->state == ZCRX_TO_ARM || reactor->refill.pieces_held == 0 ||
                   reactor->refill.given_back != stream->given_back;
        if (can && reactor->arm(reactor->user, stream) == 0) {
            *at = stream->next;
            stream->state = ZCRX_ARMED;
            stream->given_back = reactor->refill.given_back;
            armed++;
        } else {
            at = &stream->next;
        }
    }
    return armed;
}

#ifdef __cplusplus
}
#endif
#endif
