"""A binding to io_uring zero-copy receive in system calls alone: what any runtime has to do for it.

Python loads and stores aligned words in one piece and x86 keeps their order; where the machine does
not, a binding needs an acquire load of the heads and tails that the kernel writes, and a release
store of its own.
"""

import ctypes
import errno
import mmap
import os
import socket
import struct

SETUP, ENTER, REGISTER = 425, 426, 427  # of x86-64 and nearly every other machine
CQE32, SINGLE_ISSUER, DEFER_TASKRUN, CQSIZE = 1 << 11, 1 << 12, 1 << 13, 1 << 3
ACCEPT, RECV_ZC, MULTISHOT, MORE = 13, 58, 1, 2
REGISTER_ZCRX_IFQ, REGION_USER, GETEVENTS = 32, 1, 1
RECV_MULTISHOT = 2
OFFSET_MASK = (1 << 48) - 1
PAGE = 4096

libc = ctypes.CDLL(None, use_errno=True)


def call(what, number, *arguments):
    while True:
        result = libc.syscall(ctypes.c_long(number), *map(ctypes.c_void_p, arguments))
        if result >= 0:
            return result
        code = ctypes.get_errno()
        # A process that stood still and goes on is told so where it waits.
        if code != errno.EINTR:
            raise OSError(code, f"{what}: {os.strerror(code)}")


def anonymous(size):
    # Private: a shared mapping would be a file in memory, which is pinned page by page as well, but
    # is not what most programs have.
    return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def address(memory):
    return ctypes.addressof(ctypes.c_char.from_buffer(memory))


def words(memory):
    return memoryview(memory).cast("B").cast("I")


class Receiver:
    """One queue of one interface, and a listener: accepts, receives, gives buffers back."""

    def __init__(self, interface, queue, port, buffers=4096, completions=4096, entries=None):
        self.buffers = buffers
        self.entries = entries or buffers  # of the refill ring; a power of two
        parameters = bytearray(120)
        flags = CQE32 | SINGLE_ISSUER | DEFER_TASKRUN | CQSIZE
        struct.pack_into("<3I", parameters, 0, 0, completions, flags)
        entries = min(completions, 256)
        self.ring = call("io_uring_setup", SETUP, entries, address(parameters))
        sq_entries, cq_entries = struct.unpack_from("<2I", parameters, 0)
        sq = struct.unpack_from("<7I", parameters, 40)  # head, tail, mask, ..., array
        cq = struct.unpack_from("<6I", parameters, 80)  # head, tail, mask, entries, ..., CQEs
        size = max(sq[6] + 4 * sq_entries, cq[5] + 32 * cq_entries)
        self.rings = mmap.mmap(self.ring, size, offset=0)
        self.sqes = mmap.mmap(self.ring, 64 * sq_entries, offset=0x10000000)
        self.word = words(self.rings)
        self.sq_tail, self.sq_mask, self.sq_array = sq[1] // 4, sq_entries - 1, sq[6] // 4
        self.cq_head, self.cq_tail, self.cq_mask = cq[0] // 4, cq[1] // 4, cq_entries - 1
        self.cqes = cq[5]
        self.unsubmitted = 0
        self.register(interface, queue)
        self.sockets = {}
        self.waiting = []  # buffers for which the refill ring had no room
        # Only now: what comes before the queue is ours would be copied.
        self.listener = socket.create_server(("::", port), family=socket.AF_INET6, backlog=128, dualstack_ipv6=True)
        self.submit(ACCEPT, self.listener.fileno(), MULTISHOT)

    def register(self, interface, queue):
        """Gives the queue an area to receive into, and shares a refill ring with the kernel."""
        self.area = anonymous(self.buffers * PAGE)
        self.shared = anonymous(PAGE + (16 * self.entries + PAGE - 1) // PAGE * PAGE)
        area = bytearray(struct.pack("<QQ32x", address(self.area), len(self.area)))
        region = bytearray(
            struct.pack("<QQI44x", address(self.shared), len(self.shared), REGION_USER)
        )
        registration = bytearray(96)
        index = socket.if_nametoindex(interface)
        struct.pack_into(
            "<4I2Q", registration, 0, index, queue, self.entries, 0, address(area), address(region)
        )
        call("register", REGISTER, self.ring, REGISTER_ZCRX_IFQ, address(registration), 1)
        (self.token,) = struct.unpack_from("<Q", area, 16)
        # The places differ between kernels, so those that came back are used.
        head, tail, self.refills = struct.unpack_from("<3I", registration, 32)
        self.refill = words(self.shared)
        self.refill_head, self.refill_tail = head // 4, tail // 4
        (self.zcrx_id,) = struct.unpack_from("<I", registration, 64)

    def submit(self, opcode, fd, ioprio, zcrx_id=0):
        tail = self.word[self.sq_tail]
        slot = tail & self.sq_mask
        # opcode, flags, ioprio, fd, offset, address, length, flags, user_data, buffer, personality,
        # the index of the registration
        struct.pack_into(
            "<BBHiQQIIQHHI16x", self.sqes, 64 * slot,
            opcode, 0, ioprio, fd, 0, 0, 0, 0, opcode << 32 | fd, 0, 0, zcrx_id,
        )  # fmt: skip
        self.word[self.sq_array + slot] = slot
        self.word[self.sq_tail] = (tail + 1) & 0xFFFFFFFF
        self.unsubmitted += 1

    def give_back(self, offset, length):
        self.waiting.append((offset & OFFSET_MASK | self.token, length))
        tail = self.refill[self.refill_tail]
        used = (tail - self.refill[self.refill_head]) & 0xFFFFFFFF
        for _ in range(min(self.entries - used, len(self.waiting))):
            at = self.refills + 16 * (tail & self.entries - 1)
            struct.pack_into("<QII", self.shared, at, *self.waiting.pop(), 0)
            tail = (tail + 1) & 0xFFFFFFFF
        self.refill[self.refill_tail] = tail

    def events(self):
        """What happens, for ever: (socket, bytes where the NIC wrote them; empty at the end).

        The bytes are gone when the next event is asked for.
        """
        view = memoryview(self.area)
        while True:
            done = call("io_uring_enter", ENTER, self.ring, self.unsubmitted, 1, GETEVENTS, 0, 0)
            self.unsubmitted -= done
            while (head := self.word[self.cq_head]) != self.word[self.cq_tail]:
                at = self.cqes + 32 * (head & self.cq_mask)
                data, result, flags, offset = struct.unpack_from("<QiIQ", self.rings, at)
                self.word[self.cq_head] = (head + 1) & 0xFFFFFFFF
                kind, fd = data >> 32, data & 0xFFFFFFFF
                if kind == ACCEPT:
                    if result >= 0:
                        self.sockets[result] = socket.socket(fileno=result)
                        self.submit(RECV_ZC, result, RECV_MULTISHOT, self.zcrx_id)
                    if not flags & MORE:
                        self.submit(ACCEPT, fd, MULTISHOT)
                    continue
                if result > 0:
                    place = offset & OFFSET_MASK
                    yield self.sockets[fd], view[place : place + result]
                    self.give_back(offset, result)
                if flags & MORE:
                    continue
                if result in (-28, -12):  # ENOSPC, ENOMEM: nothing is lost; go on
                    self.submit(RECV_ZC, fd, RECV_MULTISHOT, self.zcrx_id)
                    continue
                yield self.sockets[fd], b""
                self.sockets.pop(fd).close()
