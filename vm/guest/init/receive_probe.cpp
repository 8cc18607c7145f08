// Fprobe events with histogram triggers, through tracefs (Documentation/trace/fprobetrace.rst and
// histogram.rst of the kernel). The kernel adds up: no event is ever read, so none is too many.
//
// A kprobe that is hit while another one is being counted is not counted: the NIC's interrupt comes
// in the middle of what a program does. Fprobes know an interrupt from what it has interrupted, and
// miss nothing. Kernels without them get kprobes, which tell how many they missed.
#include "vm/guest/init/receive_probe.hpp"

#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <sstream>

#include "harness/base/fd.hpp"
#include "harness/base/file.hpp"
#include "harness/base/result.hpp"
#include "vm/guest/init/record_port.hpp"
#include "vm/guest/init/system.hpp"

namespace zcrxlab {

namespace {

const std::string kTracing = "/sys/kernel/tracing";

struct Probe {
    std::string_view name;
    // "r" (at the end) or "p" (at the start) of a function of io_uring/zcrx.c, with what is wanted
    // of its arguments, by the names that they have there. Of several functions with commas between
    // them, the first that the kernel has: names moved; and of several whole texts with "or"
    // between them the first that it takes. Or an event of the kernel's own, "GROUP/EVENT".
    const char* event;
    // Separated by blanks. `file`, `ctx` and `ifq` are addresses in the kernel, the same number
    // wherever they are met.
    const char* triggers;
    bool sampled = false;
};

constexpr std::array kProbes{
    // Who registered, and with what outcome.
    Probe{"register", "r io_register_zcrx,io_register_zcrx_ifq ctx=ctx:u64 ret=$retval:s32",
          "hist:keys=common_pid.execname,ctx,ret"},
    // A CQE was written for a piece of payload, or found no room in the CQ.
    Probe{"piece", "r io_zcrx_queue_cqe ifq=ifq:u64 len=len:u32 ok=$retval:u8",
          "hist:keys=common_pid.execname,ifq,ok:vals=len", true},
    // So much was copied, or why it was not.
    Probe{"copy", "r io_zcrx_copy_chunk file=req->file:u64 ret=$retval:s64",
          "hist:keys=common_pid.execname,file:vals=ret:size=8192|if|ret|>|0 "
          "hist:keys=file,ret:size=8192|if|ret|<|0"},
    // Which socket a file is, and which ring uses which queue.
    Probe{"receive",
          "p io_zcrx_recv file=req->file:u64 ctx=req->ctx:u64 ifq=ifq:u64 queue=ifq->if_rxq:u32 "
          "ports=sock->sk->__sk_common.skc_portpair:u32",
          "hist:keys=file,ports:size=8192 hist:keys=ctx,ifq,queue"},
    // How requests end that end badly; -EAGAIN is no end, and numbers beyond errnos are none.
    Probe{"result", "r io_zcrx_recv file=req->file:u64 ctx=req->ctx:u64 ret=$retval:s32",
          "hist:keys=common_pid.execname,ctx,ret|if|ret|<|0|&&|ret|>|-134|&&|ret|!=|-11 "
          "hist:keys=file,ret:size=8192|if|ret|<|0|&&|ret|>|-134|&&|ret|!=|-11"},
    // A request was armed: it is issued for the first time, and not by its poll, which says 4
    // (IO_URING_F_MULTISHOT of include/linux/io_uring_types.h).
    Probe{"armed", "p io_recvzc file=req->file:u64 flags=issue_flags:u32",
          "hist:keys=file:size=8192|if|!(flags|&|4)"},
    // Through which queue of the NIC a connection's data came (counted from 1; 0: from none), and
    // how much of it lay in the linear part of packets.
    Probe{"packet",
          "r io_zcrx_recv_skb ports=skb->sk->__sk_common.skc_portpair:u32 "
          "mapping=skb->queue_mapping:u16 offset=offset:u32 all=skb->len:u32 "
          "paged=skb->data_len:u32 ret=$retval:s32",
          "hist:keys=common_pid.execname,ports,mapping:vals=ret:size=8192|if|ret|>|0 "
          "hist:keys=ports:vals=all,paged:size=8192|if|ret|>|0|&&|offset|==|0"},
    // The driver wanted buffers for the NIC, and got so many besides the first one, or none.
    Probe{"buffers",
          "r io_pp_zc_alloc_netmems ifq=pp->mp_priv:u64 more=pp->alloc.count:u32 ret=$retval:u64",
          "hist:keys=ifq:vals=more|if|ret|!=|0 hist:keys=ifq,ret|if|ret|==|0", true},
    // How many buffers of the area were out at once at most. It was when the driver wanted some: it
    // gets new ones only if the refill ring has none, so what is out then is nowhere else.
    Probe{"area",
          "r io_pp_zc_alloc_netmems ifq=pp->mp_priv:u64 "
          "all=(io_zcrx_area)(+0((io_zcrx_ifq)(pp->mp_priv)->areas))->nia.num_niovs:u32 "
          "free=(io_zcrx_area)(+0((io_zcrx_ifq)(pp->mp_priv)->areas))->free_count:u32",
          "hist:keys=ifq:out=all-free:onmax($out).save(all)"},
    // Which queue of the NIC it is, whether anything comes through it or not.
    Probe{"bound",
          "r netif_mp_open_rxq,__net_mp_open_rxq ifq=p->mp_priv:u64 queue=rxq_idx:u32 "
          "ret=$retval:s32",
          "hist:keys=ifq,queue|if|ret|==|0"},
    // How many buffers of the area the driver had when its queue was open, before any packet.
    Probe{"opened",
          "r netif_mp_open_rxq ifq=p->mp_priv:u64 "
          "all=(io_zcrx_area)(+0((io_zcrx_ifq)(p->mp_priv)->areas))->nia.num_niovs:u32 "
          "free=(io_zcrx_area)(+0((io_zcrx_ifq)(p->mp_priv)->areas))->free_count:u32 "
          "ret=$retval:s32",
          "hist:keys=ifq,all,free|if|ret|==|0"},
    // The kernel took so many pieces of a buffer out of the refill ring.
    Probe{"returned", "p zcrx_put_refill_niov ifq=pp->mp_priv:u64 refs=refs:u32",
          "hist:keys=ifq:vals=refs", true},
    // So many entries a program has ever put into the refill ring of a queue that is closed: what
    // it gave back, whether the kernel has looked at it yet or not, and by a flush, too; and so
    // many the kernel has looked at.
    Probe{"closed",
          "p zcrx_unregister_user,io_zcrx_scrub,io_close_queue ifq=ifq:u64 "
          "tail=ifq->rq.ring->tail:u32 head=ifq->rq.ring->head:u32 or "
          "p io_close_queue,io_zcrx_ifq_free ifq=ifq:u64 tail=ifq->rq_ring->tail:u32 "
          "head=ifq->rq_ring->head:u32",
          "hist:keys=ifq,tail,head"},
    // How many entries stood in the refill ring at most, as seen when a piece is received.
    Probe{"refill",
          "p io_zcrx_queue_cqe ifq=ifq:u64 tail=ifq->rq.ring->tail:u32 "
          "head=ifq->rq.ring->head:u32 or "
          "p io_zcrx_queue_cqe ifq=ifq:u64 tail=ifq->rq_ring->tail:u32 "
          "head=ifq->rq_ring->head:u32",
          "hist:keys=ifq:used=tail-head:onmax($used).save(tail)"},
    // A program asked for a control operation, which may be to take up the refill ring's entries.
    Probe{"control", "p io_zcrx_ctrl ctx=ctx:u64", "hist:keys=ctx"},
    // How large CQ, refill ring and area are.
    Probe{"created", "io_uring/io_uring_create", "hist:keys=ctx,cq_entries"},
    Probe{"sizes",
          "r io_register_zcrx,io_register_zcrx_ifq ctx=ctx:u64 entries=+u8(arg):u32 "
          "area=+u8(+u16(arg)):u64 ret=$retval:s32",
          "hist:keys=ctx,entries,area|if|ret|==|0"},
    // A queue got a page pool of zero-copy receive, and lost it.
    Probe{"made", "r io_pp_zc_init ret=$retval:s32", "hist:keys=ret|if|ret|==|0"},
    Probe{"gone", "p io_pp_zc_destroy pp=pp:u64", "hist:keys=pp"},
    // A CQE of any kind found no room, and was kept aside.
    Probe{"overflow", "io_uring/io_uring_cqe_overflow", "hist:keys=common_pid.execname,ctx"}};

std::vector<std::string> words_of(std::string_view text) {
    std::istringstream stream{std::string(text)};
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

bool is_ours(const Probe& probe) {
    return std::string_view(probe.event).find('/') == std::string_view::npos;
}

std::string folder_of(const Probe& probe) {
    return kTracing + "/events/" +
           (is_ours(probe) ? std::string("zcrxlab/").append(probe.name) : std::string(probe.event));
}

Result<void> append(const std::string& path, const std::string& line) {
    const Fd file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    if (!file || ::write(file.get(), line.data(), line.size()) < 0)
        return error_from_errno("write \"" + line + "\" to " + path);
    return {};
}

// Makes an event of ours, at the end of a function or at its start.
Result<void> add_event(std::string_view name, bool at_end, const std::string& function,
                       const std::string& fields) {
    const std::string event = "zcrxlab/" + std::string(name) + " " + function;
    if (append(kTracing + "/dynamic_events", "f:" + event + (at_end ? "%return" : "") + fields))
        return {};
    return append(kTracing + "/kprobe_events", (at_end ? "r:" : "p:") + event + fields);
}

// The event of `words`: "p", functions, fields.
Result<void> add_first_function(std::string_view name, const std::vector<std::string>& words) {
    std::string fields;
    for (size_t i = 2; i < words.size(); ++i) fields += " " + words[i];
    Result<void> added;
    for (std::string functions = words[1]; !functions.empty();) {
        const std::string function = functions.substr(0, functions.find(','));
        functions.erase(0, function.size() + 1);
        added = add_event(name, words[0] == "r", function, fields);
        if (added) break;
    }
    return added;
}

Result<void> add_events_of(const Probe& probe) {
    Result<void> added;
    std::vector<std::string> words;
    std::vector<std::string> all = words_of(probe.event);
    all.emplace_back("or");
    for (const std::string& word : all) {
        if (word != "or") {
            words.push_back(word);
            continue;
        }
        added = add_first_function(probe.name, words);
        if (added) break;
        words.clear();
    }
    return added;
}

Result<void> start(const Probe& probe) {
    if (is_ours(probe))
        if (auto added = add_events_of(probe); !added) return added;
    for (std::string trigger : words_of(probe.triggers)) {
        std::ranges::replace(trigger, '|', ' ');
        if (auto counts = append(folder_of(probe) + "/trigger", trigger); !counts) return counts;
    }
    return {};
}

std::string histogram(const Probe& probe) {
    const auto text = read_file(folder_of(probe) + "/hist");
    return text ? *text : std::string();
}

// The sum below a histogram: "    Hits: 12".
uint64_t hits_of(std::string_view name) {
    constexpr std::string_view kHits = "Hits: ";
    const auto* const probe = std::ranges::find(kProbes, name, &Probe::name);
    const std::string text = histogram(*probe);
    const size_t at = text.find(kHits);
    return at == std::string::npos ? 0
                                   : std::strtoull(text.c_str() + at + kHits.size(), nullptr, 10);
}

}  // namespace

void ReceiveProbe::start() {
    // It is there already where somebody looked into debugfs.
    if (::access((kTracing + "/kprobe_events").c_str(), F_OK) != 0)
        ::mount("tracefs", kTracing.c_str(), "tracefs", 0, nullptr);
    for (const Probe& probe : kProbes)
        if (auto started = zcrxlab::start(probe); !started)
            failures_.push_back({probe.name, started.error().sentence});
}

void ReceiveProbe::clear() {
    for (const Probe& probe : kProbes) {
        for (std::string trigger : words_of(probe.triggers)) {
            // The command is an attribute, which stands before the condition.
            trigger.insert(std::min(trigger.find('|'), trigger.size()), ":clear");
            std::ranges::replace(trigger, '|', ' ');
            // What never started has nothing to clear.
            (void)append(folder_of(probe) + "/trigger", trigger).ok();
        }
    }
}

std::string ReceiveProbe::take() const {
    std::string counts, failed;
    for (const Probe& probe : kProbes)
        counts += (counts.empty() ? "" : ",") + json_string(probe.name) + ":" +
                  json_string(histogram(probe));
    for (const Failure& failure : failures_)
        failed += (failed.empty() ? "" : ",") + json_string(failure.name) + ":" +
                  json_string(failure.why);
    // "  piece     1234      0": hits and misses.
    std::string missed;
    if (const auto text = read_file(kTracing + "/kprobe_profile")) {
        std::istringstream words(*text);
        std::string name;
        for (uint64_t hits = 0, misses = 0; words >> name >> hits >> misses;)
            if (misses != 0)
                missed +=
                    (missed.empty() ? "" : ",") + json_string(name) + ":" + std::to_string(misses);
    }
    return "\"counts\":{" + counts + "},\"failed\":{" + failed + "},\"missed\":{" + missed + "}";
}

uint64_t ReceiveProbe::providers() const {
    const uint64_t made = hits_of("made"), gone = hits_of("gone");
    return made - std::min(made, gone);
}

std::string ReceiveProbe::sample() const {
    std::string counts;
    for (const Probe& probe : kProbes)
        if (probe.sampled)
            counts += (counts.empty() ? "" : ",") + json_string(probe.name) + ":" +
                      json_string(histogram(probe));
    return "\"counts\":{" + counts + "}";
}

}  // namespace zcrxlab
