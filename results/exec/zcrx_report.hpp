// ZcrxReport: what zero-copy receive did for the programs of a guest.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "results/exec/kernel_histogram.hpp"

namespace zcrxlab {

// A thread that zero-copy receive gave something to, or that registered.
struct ZcrxTask {
    std::string name;
    uint64_t bytes = 0, pieces = 0;      // a piece is a CQE
    uint64_t copied = 0;                 // bytes of these that the kernel copied
    uint64_t cq_full = 0;                // pieces that found no room in the CQ, and came later
    uint64_t overflows = 0;              // CQEs of any kind that found none and were kept aside
    uint64_t no_buffer_to_copy = 0;      // copies that found no free buffer (-ENOMEM)
    std::map<int, uint64_t> registered;  // by outcome: 0 or an errno below 0
    std::map<int, uint64_t> errors;      // of receive requests, by errno below 0
};

struct ZcrxConnection {
    int64_t pid = -1;
    uint16_t local_port = 0, remote_port = 0;
    uint64_t bytes = 0;
    uint64_t linear = 0;             // of these, in the linear part of packets
    std::map<int, uint64_t> queues;  // bytes by receive queue; -1: through none
    std::optional<uint64_t> copied;  // unknown if its file was another connection's before
};

// Receive requests on an open file: a connection's, or those of several that had the same address
// in the kernel one after another.
struct ZcrxFile {
    std::set<uint16_t> remote_ports;  // of these connections
    uint64_t armed = 0;
    std::map<int, uint64_t> errors;  // how requests ended, by errno below 0
};

// A queue that a ring took.
struct ZcrxQueue {
    // Of the receive queue. Unknown if nothing was received and the kernel does not show how it was
    // opened.
    std::optional<int> number;
    std::set<uint64_t> rings;  // that received from it
    uint64_t bytes = 0, pieces = 0;
    uint64_t buffers = 0;     // given to the driver
    uint64_t starved = 0;     // how often there was none to give
    uint64_t taken_back = 0;  // pieces that the kernel took out of the refill ring for the NIC
    // Entries that the program has put into the refill ring: pieces that it gave back, whether the
    // kernel has looked at them yet, or never will. Unknown if the queue was not closed.
    std::optional<uint64_t> given_back;
    // Of these, so many the kernel has looked at.
    std::optional<uint64_t> looked_at;
    // Entries that stood in the refill ring at once, at most, as seen whenever a piece came.
    std::optional<uint64_t> most_in_ring;
    // Of its area, all empty on a kernel that does not tell: its buffers; so many of these the
    // driver had when the queue was open, before any packet; and so many were out at once at most,
    // posted by the driver, in sockets, or with the program.
    std::optional<uint64_t> area_buffers, out_at_opening, out_at_most;
};

// What a program has asked for; 0 is what was not counted.
struct ZcrxRing {
    uint64_t cq_entries = 0, refill_entries = 0;
    uint64_t area = 0;  // bytes
};

// At one moment: of all queues together.
struct ZcrxMoment {
    double seconds = 0;  // since the program's start
    uint64_t bytes = 0, pieces = 0, returned = 0, buffers = 0;
};

struct NicQueue {
    uint64_t packets = 0, split = 0, no_buffer = 0;
};

// Why bytes were copied; the sum is what was copied.
struct CopyReasons {
    uint64_t other_queue = 0;  // came through a queue that is not the ring's
    uint64_t not_split = 0;    // in the linear part: not behind a split
    uint64_t other = 0;        // pages of the kernel, such as from before the registration
};

class ZcrxReport {
  public:
    // kProgram records: {"event":"zcrx","counts":{probe: text},"failed":{probe: why},
    // "missed":{probe: events},"left": page pools} and {"event":"zcrx-time","seconds","counts"};
    // others are left alone.
    void program(std::string_view json);
    // The NIC's answer to {"do":"counters"}; before the program and after it.
    void counters(std::string_view json);

    bool measured() const { return measured_; }
    // Whether the kernel could count what the probe of that name counts.
    bool knows(std::string_view probe) const;
    // Whether it knows, and missed nothing of it.
    bool exact(std::string_view probe) const;
    uint64_t bytes() const;
    uint64_t copied() const;
    // Nothing if nothing was received, or it was not measured.
    std::optional<double> zero_copy_percent() const;
    CopyReasons reasons() const;
    uint64_t errors() const;   // requests and registrations that failed
    uint64_t starved() const;  // times
    uint64_t cq_full() const;  // pieces, and CQEs of other kinds
    uint64_t lost() const;     // packets that the NIC dropped, having no buffer
    uint64_t left() const { return left_; }

    const std::map<int64_t, ZcrxTask>& tasks() const { return tasks_; }
    const std::vector<ZcrxConnection>& connections() const { return connections_; }
    // By the kernel's address of it.
    const std::map<uint64_t, ZcrxFile>& files() const { return files_; }
    // Whether a connection of this file has a request that ended with -ENOSPC or -ENOMEM, which
    // ends no stream, and armed none afterwards; unknown if armed requests were not counted.
    std::optional<bool> not_armed_again(const ZcrxFile& file) const;
    const std::map<uint64_t, ZcrxQueue>& queues() const { return queues_; }
    const std::map<unsigned, NicQueue>& nic() const { return nic_; }
    // By what `ZcrxQueue::rings` has; rings without zero-copy receive, too.
    const std::map<uint64_t, ZcrxRing>& rings() const { return rings_; }
    // Control operations, one of which is to take up entries of a refill ring.
    uint64_t controls() const { return controls_; }
    const std::vector<ZcrxMoment>& moments() const { return moments_; }
    const std::map<std::string, std::string>& failed() const { return failed_; }
    // Events that were not counted, by probe: a kernel without fprobes misses one that comes while
    // another is counted.
    const std::map<std::string, uint64_t>& missed() const { return missed_; }
    // Pieces of a queue that the program never gave back; unknown if either number is.
    std::optional<uint64_t> kept(const ZcrxQueue& queue) const;
    // Entries of a queue's refill ring that did nothing, by reason; each unknown if it was not
    // counted. They named an area or a buffer that is not there (what a control operation has taken
    // up nobody counts);
    std::optional<uint64_t> unreadable(const ZcrxQueue& queue) const;
    // or they were more than there were pieces, and so gave back what the program did not hold;
    std::optional<uint64_t> not_held(const ZcrxQueue& queue) const;
    // or stood there beyond the ring's size, and were overwritten before the kernel saw them.
    std::optional<uint64_t> overwritten(const ZcrxQueue& queue) const;
    // That the ring has room for.
    std::optional<uint64_t> refill_entries(const ZcrxQueue& queue) const;
    // Buffers of a queue's area that were never needed; unknown if it may have had several areas.
    std::optional<uint64_t> to_spare(const ZcrxQueue& queue) const;

    nlohmann::json to_json() const;

  private:
    void take_tasks(const std::string& probe, const std::vector<HistogramRow>& rows);
    void take_queues(const std::string& probe, const std::vector<HistogramRow>& rows);
    void take_openings(const std::vector<HistogramRow>& bound,
                       const std::vector<HistogramRow>& opened);
    void take_rings(const std::string& probe, const std::vector<HistogramRow>& rows);
    void take_files(const std::string& probe, const std::vector<HistogramRow>& rows);
    void take_connections(const std::vector<HistogramRow>& packets,
                          const std::vector<HistogramRow>& receives,
                          const std::vector<HistogramRow>& copies);
    bool is_zero_copy_queue(int number) const;

    bool measured_ = false;
    uint64_t left_ = 0;
    std::map<std::string, uint64_t> missed_;
    std::map<std::string, std::string> failed_;
    std::map<int64_t, ZcrxTask> tasks_;
    std::vector<ZcrxConnection> connections_;
    std::map<uint64_t, ZcrxFile> files_;
    std::map<uint64_t, ZcrxQueue> queues_;  // by the kernel's address of it
    std::map<uint64_t, ZcrxRing> rings_;    // likewise
    uint64_t controls_ = 0;
    std::map<unsigned, NicQueue> nic_;
    std::vector<ZcrxMoment> moments_;
};

}  // namespace zcrxlab
