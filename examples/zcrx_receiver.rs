// A receiver with io_uring zero-copy receive in Rust: system calls, std, and no crate. One queue, one
// thread. Counts bytes. It has the shape of zcrx_ifq.h; what that header refuses, types refuse here:
// a Piece comes from a completion only, and goes back once.
//
// To compile it: rustc --edition 2021 -O -o zcrx_receiver_rs zcrx_receiver.rs   (1.63 will do)
// To see it run without such a NIC:
//   zcrxlab exec --port 8080 --send connections=8,size=512K -- ./zcrx_receiver_rs
//
// MIT licence, Copyright (c) the zcrxlab authors.
use std::collections::HashMap;
use std::ffi::{c_void, CString};
use std::io::Error;
use std::net::TcpListener;
use std::os::unix::io::AsRawFd;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

// ---- System calls, and structures that the kernel has (linux/io_uring.h, linux/io_uring/zcrx.h) ---
extern "C" {
    fn syscall(number: i64, ...) -> i64;
    fn mmap(at: *mut c_void, size: usize, prot: i32, flags: i32, fd: i32, at: i64) -> *mut c_void;
    fn close(fd: i32) -> i32;
    fn if_nametoindex(name: *const i8) -> u32;
    fn sigprocmask(how: i32, set: *const u64, old: *mut u64) -> i32;
    fn signalfd(fd: i32, set: *const u64, flags: i32) -> i32;
}
const SETUP: i64 = 425; // x86-64 and arm64
const ENTER: i64 = 426;
const REGISTER: i64 = 427;
const PROT_READ_WRITE: i32 = 3;
const MAP_SHARED_POPULATE: i32 = 0x8001;
const MAP_PRIVATE_ANONYMOUS: i32 = 0x22;
// SINGLE_ISSUER and DEFER_TASKRUN, as zero-copy receive wants it; CQSIZE; CQEs of 32 bytes.
const SETUP_FLAGS: u32 = 1 << 12 | 1 << 13 | 1 << 3 | 1 << 11;
const OFF_SQ_RING: i64 = 0;
const OFF_SQES: i64 = 0x1000_0000;
const ENTER_GETEVENTS: i64 = 1;
const REGISTER_ZCRX_IFQ: i64 = 32;
const REGION_USER: u32 = 1;
const OP_POLL_ADD: u8 = 6;
const OP_ACCEPT: u8 = 13;
const OP_RECV_ZC: u8 = 58;
const MULTISHOT_ACCEPT: u16 = 1;
const MULTISHOT_RECEIVE: u16 = 2;
const CQE_MORE: u32 = 1 << 1;
const OFFSET_MASK: u64 = (1 << 48) - 1;
const ENOMEM: i32 = 12;
const EINTR: i32 = 4;
const ENOSPC: i32 = 28;
const ECONNRESET: i32 = 104;

#[repr(C)]
#[derive(Default)]
struct RingParams {
    sq_entries: u32,
    cq_entries: u32,
    flags: u32,
    other: [u32; 7],
    // head, tail, ring_mask, ring_entries, flags, dropped, array (of the CQ: overflow, cqes, flags)
    sq_off: [u32; 10],
    cq_off: [u32; 10],
}
#[repr(C)]
#[derive(Default)]
struct Area {
    addr: u64,
    len: u64,
    token: u64,
    flags: u32,
    dmabuf_fd: u32,
    reserved: [u64; 2],
}
#[repr(C)]
#[derive(Default)]
struct Region {
    user_addr: u64,
    size: u64,
    flags: u32,
    id: u32,
    mmap_offset: u64,
    reserved: [u64; 4],
}
#[repr(C)]
#[derive(Default)]
struct Registration {
    ifindex: u32,
    queue: u32,
    rq_entries: u32,
    flags: u32,
    area: u64,
    region: u64,
    head: u32,
    tail: u32,
    rqes: u32,
    reserved1: u32,
    reserved2: [u64; 2],
    id: u32,
    buffer_length: u32,
    reserved3: [u64; 3],
}
#[repr(C)]
struct Rqe {
    off: u64,
    len: u32,
    pad: u32,
}

fn die(what: &str) -> ! {
    eprintln!("zcrx_receiver: {}: {}", what, Error::last_os_error());
    std::process::exit(1)
}

fn map(size: usize, fd: i32, offset: i64) -> *mut u8 {
    let flags = if fd < 0 { MAP_PRIVATE_ANONYMOUS } else { MAP_SHARED_POPULATE };
    let memory = unsafe { mmap(ptr::null_mut(), size, PROT_READ_WRITE, flags, fd, offset) };
    if memory as isize == -1 {
        die("mmap")
    }
    memory as *mut u8
}

// A number that the kernel reads and writes, too. `at` is in memory that is never unmapped.
unsafe fn shared(at: *mut u8) -> &'static AtomicU32 {
    &*(at as *const AtomicU32)
}

// ---- The refill ring -----------------------------------------------------------------------------
// Payload that was received: yours until it is given back. Only a completion makes one, and it
// cannot be copied, so nothing goes back that was not received, and nothing twice.
struct Piece {
    off: u64,
    length: u32,
}

struct Refill {
    head: &'static AtomicU32,
    tail: &'static AtomicU32,
    rqes: *mut Rqe,
    entries: u32, // a power of two
    token: u64,
}

impl Refill {
    // Err has the piece again: the ring is full, and nothing was written. The kernel reads the ring
    // when it runs out of buffers; try again after the next completions.
    fn give_back(&mut self, piece: Piece) -> Result<(), Piece> {
        let tail = self.tail.load(Ordering::Relaxed);
        if tail.wrapping_sub(self.head.load(Ordering::Acquire)) >= self.entries {
            return Err(piece);
        }
        let off = (piece.off & OFFSET_MASK) | self.token;
        let slot = (tail & (self.entries - 1)) as usize;
        unsafe { self.rqes.add(slot).write(Rqe { off, len: piece.length, pad: 0 }) };
        // The entry first, then the tail that shows it.
        self.tail.store(tail.wrapping_add(1), Ordering::Release);
        Ok(())
    }
}

// ---- Completions ---------------------------------------------------------------------------------
struct Cqe {
    user_data: u64,
    res: i32,
    flags: u32,
    off: u64,
}

// What has to follow a completion of a request to receive.
#[must_use]
enum Next {
    GoesOn(Piece),
    ArmAgain,     // the CQ was full; nothing is lost, the rest waits in the socket
    ReturnAndArm, // no buffer was free; the same, as soon as one is back
    EndOfStream,  // or the length of the request was reached
    GiveUp(i32),  // the connection, or the steering of its packets, is broken
}

impl Cqe {
    fn next(&self) -> Next {
        match (self.flags & CQE_MORE != 0, self.res) {
            (true, length) if length > 0 => {
                Next::GoesOn(Piece { off: self.off, length: length as u32 })
            }
            (false, 0) => Next::EndOfStream,
            (false, error) if error == -ENOSPC => Next::ArmAgain,
            (false, error) if error == -ENOMEM => Next::ReturnAndArm,
            (_, error) => Next::GiveUp(error),
        }
    }
}

// ---- A ring, and one queue in it -----------------------------------------------------------------
const SQ_ENTRIES: u32 = 256;
const CQ_ENTRIES: u32 = 4096;
const BUFFERS: usize = 4096;
const PAGE: usize = 4096;
// What a request is about, above its descriptor in user_data.
const ACCEPT: u64 = 1;
const RECEIVE: u64 = 2;
const STOP: u64 = 3;

struct Ring {
    fd: i32,
    sq_tail: &'static AtomicU32,
    sq_mask: u32,
    sq_array: *mut u32,
    sqes: *mut u8,
    cq_head: &'static AtomicU32,
    cq_tail: &'static AtomicU32,
    cq_mask: u32,
    cqes: *const u8,
    unsubmitted: u32,
}

impl Ring {
    fn new() -> Ring {
        let mut p = RingParams { flags: SETUP_FLAGS, cq_entries: CQ_ENTRIES, ..Default::default() };
        let fd = unsafe { syscall(SETUP, SQ_ENTRIES as i64, &mut p as *mut RingParams) } as i32;
        if fd < 0 {
            die("io_uring_setup")
        }
        let sq_size = p.sq_off[6] as usize + p.sq_entries as usize * 4;
        let cq_size = p.cq_off[5] as usize + p.cq_entries as usize * 32;
        let rings = map(sq_size.max(cq_size), fd, OFF_SQ_RING);
        let at = |offset: u32| unsafe { rings.add(offset as usize) };
        unsafe {
            Ring {
                fd,
                sq_tail: shared(at(p.sq_off[1])),
                sq_mask: shared(at(p.sq_off[2])).load(Ordering::Relaxed),
                sq_array: at(p.sq_off[6]) as *mut u32,
                sqes: map(p.sq_entries as usize * 64, fd, OFF_SQES),
                cq_head: shared(at(p.cq_off[0])),
                cq_tail: shared(at(p.cq_off[1])),
                cq_mask: shared(at(p.cq_off[2])).load(Ordering::Relaxed),
                cqes: at(p.cq_off[5]),
                unsubmitted: 0,
            }
        }
    }

    fn enter(&mut self, wait_for: i64) {
        let nothing = ptr::null_mut::<u8>();
        let (fd, count) = (self.fd as i64, self.unsubmitted as i64);
        let done = unsafe { syscall(ENTER, fd, count, wait_for, ENTER_GETEVENTS, nothing, 0i64) };
        if done >= 0 {
            self.unsubmitted -= done as u32
        } else if Error::last_os_error().raw_os_error() != Some(EINTR) {
            die("io_uring_enter")
        }
    }

    // A request; `word` is its 28th byte on (poll's events), `index` its 44th (the zcrx id).
    fn submit(&mut self, opcode: u8, ioprio: u16, kind: u64, fd: i32, word: u32, index: u32) {
        while self.unsubmitted == SQ_ENTRIES {
            self.enter(0)
        }
        let tail = self.sq_tail.load(Ordering::Relaxed);
        let slot = tail & self.sq_mask;
        let mut sqe = [0u8; 64];
        sqe[0] = opcode;
        sqe[2..4].copy_from_slice(&ioprio.to_ne_bytes());
        sqe[4..8].copy_from_slice(&fd.to_ne_bytes());
        sqe[28..32].copy_from_slice(&word.to_ne_bytes());
        sqe[32..40].copy_from_slice(&(kind << 32 | fd as u32 as u64).to_ne_bytes());
        sqe[44..48].copy_from_slice(&index.to_ne_bytes());
        unsafe {
            (self.sqes.add(slot as usize * 64) as *mut [u8; 64]).write(sqe);
            self.sq_array.add(slot as usize).write(slot);
        }
        self.sq_tail.store(tail.wrapping_add(1), Ordering::Release);
        self.unsubmitted += 1
    }

    // Its slot is the kernel's again at once: a full CQ ends requests.
    fn completion(&mut self) -> Option<Cqe> {
        let head = self.cq_head.load(Ordering::Relaxed);
        if head == self.cq_tail.load(Ordering::Acquire) {
            return None;
        }
        let cqe = unsafe {
            let at = self.cqes.add((head & self.cq_mask) as usize * 32);
            Cqe {
                user_data: (at as *const u64).read(),
                res: (at.add(8) as *const i32).read(),
                flags: (at.add(12) as *const u32).read(),
                off: (at.add(16) as *const u64).read(),
            }
        };
        self.cq_head.store(head.wrapping_add(1), Ordering::Release);
        Some(cqe)
    }
}

// From now on, payload of packets on this queue lands in the area, whoever its socket belongs to.
fn register_queue(ring: &Ring, interface: &str, queue: u32) -> (u32, *const u8, Refill) {
    let area_size = BUFFERS * PAGE;
    let region_size = PAGE + BUFFERS * std::mem::size_of::<Rqe>();
    // Fresh memory is zeroed: kernels before 7.0.4 take what it holds for head and tail.
    let (memory, region_at) = (map(area_size, -1, 0), map(region_size, -1, 0));
    let mut area = Area { addr: memory as u64, len: area_size as u64, ..Default::default() };
    let (user_addr, size) = (region_at as u64, region_size as u64);
    let mut region = Region { user_addr, size, flags: REGION_USER, ..Default::default() };
    let name = CString::new(interface).expect("a name without zeros");
    let mut zcrx = Registration {
        ifindex: unsafe { if_nametoindex(name.as_ptr() as *const _) },
        queue,
        rq_entries: BUFFERS as u32,
        area: &mut area as *mut Area as u64,
        region: &mut region as *mut Region as u64,
        ..Default::default()
    };
    let at = &mut zcrx as *mut Registration;
    if unsafe { syscall(REGISTER, ring.fd as i64, REGISTER_ZCRX_IFQ, at, 1i64) } != 0 {
        die("IORING_REGISTER_ZCRX_IFQ")
    }
    // The places differ between kernels, so those that came back are used. The kernel has written
    // the token behind the compiler's back.
    let token = unsafe { ptr::read_volatile(&area.token) };
    let zcrx = unsafe { ptr::read_volatile(at) };
    let place = |offset: u32| unsafe { region_at.add(offset as usize) };
    let refill = Refill {
        head: unsafe { shared(place(zcrx.head)) },
        tail: unsafe { shared(place(zcrx.tail)) },
        rqes: place(zcrx.rqes) as *mut Rqe,
        entries: zcrx.rq_entries,
        token,
    };
    (zcrx.id, memory, refill)
}

fn setting(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| {
        eprintln!("zcrx_receiver: set NETIF, ZCRX_QUEUE and ZCRX_PORT");
        std::process::exit(64)
    })
}

fn main() {
    let (interface, queue, port) = (setting("NETIF"), setting("ZCRX_QUEUE"), setting("ZCRX_PORT"));
    // SIGINT and SIGTERM come as completions, too, so that none is missed.
    let stops = [1u64 << 1 | 1 << 14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let signals = unsafe {
        sigprocmask(0, stops.as_ptr(), ptr::null_mut());
        signalfd(-1, stops.as_ptr(), 0)
    };
    let mut ring = Ring::new();
    let number = queue.parse().expect("ZCRX_QUEUE is a number");
    let (id, area, mut refill) = register_queue(&ring, &interface, number);
    // What comes before the queue is registered would be copied, so nobody listens until now.
    let port = port.parse().expect("ZCRX_PORT is a number");
    let listener = TcpListener::bind(("::", port)).unwrap_or_else(|_| die("listen"));
    ring.submit(OP_POLL_ADD, 0, STOP, signals, 1, 0);
    ring.submit(OP_ACCEPT, MULTISHOT_ACCEPT, ACCEPT, listener.as_raw_fd(), 0, 0);

    let (mut connections, mut bytes, mut pieces, mut armed_again) = (0u64, 0u64, 0u64, 0u64);
    let mut kept: Vec<Piece> = Vec::new(); // for want of room in the refill ring
    let mut to_arm: HashMap<i32, bool> = HashMap::new(); // whether a buffer has to come back first
    let mut stopping = false;
    while !stopping {
        ring.enter(1);
        while let Some(cqe) = ring.completion() {
            let fd = cqe.user_data as u32 as i32;
            match cqe.user_data >> 32 {
                STOP => stopping = true,
                ACCEPT => {
                    if cqe.res >= 0 {
                        connections += 1;
                        ring.submit(OP_RECV_ZC, MULTISHOT_RECEIVE, RECEIVE, cqe.res, 0, id)
                    }
                    if cqe.flags & CQE_MORE == 0 {
                        ring.submit(OP_ACCEPT, MULTISHOT_ACCEPT, ACCEPT, fd, 0, 0)
                    }
                }
                _ => match cqe.next() {
                    Next::GoesOn(piece) => {
                        // Here is the payload, where the NIC wrote it. This example only counts.
                        let _payload = unsafe { area.add((piece.off & OFFSET_MASK) as usize) };
                        bytes += piece.length as u64;
                        pieces += 1;
                        if let Err(piece) = refill.give_back(piece) {
                            kept.push(piece)
                        }
                    }
                    Next::ArmAgain => drop(to_arm.insert(fd, false)),
                    Next::ReturnAndArm => drop(to_arm.insert(fd, true)),
                    end => {
                        if let Next::GiveUp(error) = end {
                            if error != -ECONNRESET {
                                let why = Error::from_raw_os_error(-error);
                                eprintln!("zcrx_receiver: receive: {}", why)
                            }
                        }
                        unsafe { close(fd) };
                    }
                },
            }
        }
        while let Some(piece) = kept.pop() {
            if let Err(piece) = refill.give_back(piece) {
                kept.push(piece);
                break;
            }
        }
        // All is reaped now, and what is not kept is back.
        let ready: Vec<i32> =
            to_arm.iter().filter(|(_, &b)| !b || kept.is_empty()).map(|(&fd, _)| fd).collect();
        for fd in ready {
            to_arm.remove(&fd);
            armed_again += 1;
            ring.submit(OP_RECV_ZC, MULTISHOT_RECEIVE, RECEIVE, fd, 0, id)
        }
    }
    println!(
        "queue {}: {} connections, {} bytes in {} pieces ({} kept), {} requests armed again",
        queue,
        connections,
        bytes,
        pieces,
        kept.len(),
        armed_again
    );
}
