// Bpf: the bpf() call, for scenarios that put a program in the way of packets.
#pragma once

#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <span>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

// What the call returns is taken for a descriptor. `what` begins an error's sentence.
inline Result<Fd> bpf(bpf_cmd command, bpf_attr& attributes, const char* what) {
    long fd = -1;
    // A signal in the middle of the verifier's work gives EAGAIN, and so does work that waits for
    // this task at a ring.
    for (int attempt = 0; attempt < 20; ++attempt) {
        fd = ::syscall(SYS_bpf, command, &attributes, sizeof attributes);
        if (fd >= 0 || errno != EAGAIN) break;
    }
    if (fd < 0) return error_from_errno(what);
    return Fd(static_cast<int>(fd));
}

// `flags` are BPF_F_* of the load.
inline Result<Fd> load_program(bpf_prog_type type, std::span<const bpf_insn> code,
                               uint32_t flags = 0) {
    static const char license[] = "Dual MIT/GPL";
    bpf_attr load{};
    load.prog_type = type;
    load.insns = reinterpret_cast<uintptr_t>(code.data());
    load.insn_cnt = static_cast<uint32_t>(code.size());
    load.license = reinterpret_cast<uintptr_t>(license);
    load.prog_flags = flags;
    return bpf(BPF_PROG_LOAD, load, "load a BPF program");
}

// The program at an interface, until the descriptor is closed. `where` is a bpf_attach_type.
inline Result<Fd> attach_program(const Fd& program, uint32_t ifindex, uint32_t where,
                                 uint32_t flags = 0) {
    bpf_attr link{};
    link.link_create.prog_fd = static_cast<uint32_t>(program.get());
    link.link_create.target_ifindex = ifindex;
    link.link_create.attach_type = where;
    link.link_create.flags = flags;
    return bpf(BPF_LINK_CREATE, link, "attach a BPF program");
}

}  // namespace zcrxlab
