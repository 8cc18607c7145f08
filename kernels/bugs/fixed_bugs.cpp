// The rows, and finding one of them.
//
// A CVE's record is that of the kernel's own CNA (CVEProject/cvelistV5), which names each stable
// branch that has got the fix. Debian's changelog names the changes of each stable release; its
// own versions may hold several of those.
#include "kernels/bugs/fixed_bug.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace zcrxlab {

namespace {

constexpr size_t kShortestCommit = 7;

std::string lower(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
    return result;
}

}  // namespace

std::span<const FixedBug> fixed_bugs() {
    static const std::vector<FixedBug> all = {
        {
            .id = "page-pool-warning",
            .cve = "CVE-2025-38504",
            .commit = "203817de269539c062724d97dfa5af3cdf77a3ec",
            .title = "io_uring/zcrx: fix pp destruction warnings",
            .user_sees = "a warning in the kernel log when a page pool goes while the user or "
                         "another pool still holds buffers",
            .since = "6.15",
            .branches = {{.fixed = "6.15.7"}},
            .mainline = "6.16",
            .complete = true,
            .source = "the CVE's record of 2026-05-11",
        },
        {
            .id = "fallback-source-offset",
            .commit = "e9a9dcb4ccb32446165800a9d83058e95c4833d2",
            .title = "io_uring/zcrx: increment fallback loop src offset",
            .user_sees = "on 32-bit kernels with highmem, data that is copied from several pages "
                         "begins with that of the first one again and again",
            .since = "6.17",
            .branches = {{.fixed = "6.17.4"}},
            .mainline = "6.18",
            .complete = true,
            .source = "its Fixes: tag (e67645bb7f3f), and the review of 6.17.4 of 2025-10-17",
        },
        {
            .id = "more-than-the-length",
            .cve = "CVE-2025-40046",
            .commit = "09cfd3c52ea76f43b3cb15e570aeddf633d65e80",
            .title = "io_uring/zcrx: fix overshooting recv limit",
            .user_sees = "a request with a length receives more than that, when packets were "
                         "joined to more than 17 pieces",
            .since = "6.15",
            .branches = {{.fixed = "6.17.3"}},
            .mainline = "6.18",
            .complete = true,
            .source = "the CVE's record of 2026-07-30",
            .asserts = "cqe32.limit/*",
        },
        {
            .id = "page-array-leak",
            .cve = "CVE-2026-23263",
            .commit = "0ae91d8ab70922fb74c22c20bedcb69459579b1c",
            .title = "io_uring/zcrx: fix page array leak",
            .user_sees = "each registration that fails while its area is mapped loses the kernel "
                         "memory that lists the pages of the area",
            .since = "6.17",
            .branches = {{.fixed = "6.18.10"}},
            .mainline = "6.19",
            .complete = true,
            .source = "the CVE's record of 2026-03-18",
        },
        {
            .id = "buffer-freed-twice",
            .cve = "CVE-2026-43121",
            .commit = "003049b1c4fb8aabb93febb7d1e49004f6ad653b",
            .title = "io_uring/zcrx: fix user_ref race between scrub and refill paths",
            .user_sees = "a queue that is closed while its refill ring is read writes beyond the "
                         "list of free buffers: kernel memory is overwritten",
            .since = "6.15",
            .branches = {{.fixed = "6.18.16"}, {.fixed = "6.19.6"}},
            .mainline = "7.0",
            .complete = true,
            .source = "the CVE's record of 2026-05-06",
        },
        {
            .id = "freed-with-page-pools",
            .cve = "CVE-2026-43174",
            .commit = "5d540e4508950c674d6feef1d95463d039bbf4f5",
            .title = "io_uring/zcrx: fix post open error handling",
            .user_sees = "a registration that fails after its queue was taken frees what page "
                         "pools still use: a crash, or kernel memory is overwritten",
            .since = "6.15",
            .branches = {{.fixed = "6.19.6"}},
            .mainline = "7.0",
            .complete = true,
            .source = "the CVE's record of 2026-05-06",
        },
        {
            .id = "user-freed-too-early",
            .cve = "CVE-2026-45995",
            .commit = "0fcccfd87152f957fa8312b841f6efef42a05a20",
            .title = "io_uring/zcrx: fix user_struct uaf",
            .user_sees = "when an instance goes, the kernel uses the accounting of its user after "
                         "it was freed",
            .since = "6.19",
            .branches = {{.fixed = "7.0.4"}},
            .mainline = "7.1-rc1",
            .complete = true,
            .source = "the CVE's record of 2026-05-27",
        },
        {
            .id = "unacked-send-keeps-queue",
            .commit = "e5361d25e241ac3a23177fa74ae91d049bad00d3",
            .title = "io_uring/zcrx: return back two step unregistration",
            .user_sees = "a program that is started again gets EEXIST: the closed ring keeps its "
                         "queue until the last zero-copy send was acknowledged",
            .branches = {{.had = "6.18.15"},
                         {.had = "6.19.14"},
                         {.had = "7.0.13"},
                         {.fixed = "7.1.13", .had = "7.1.8"}},
            .mainline = "7.2",
            .source = "our runs; its tags tell of 7.0.4 and 7.1-rc1, which have it at times",
            .finding = "unacked-send-keeps-queue",
        },
        {
            .id = "dirty-refill-ring",
            .commit = "4f02cc4071a18c78bfff571d796edef055d57daa",
            .title = "io_uring/zcrx: clear RQ headers on init",
            .user_sees = "with a refill ring in memory that was used before, the kernel takes "
                         "what lies there for head and tail",
            .since = "6.15",
            .branches = {{.had = "6.15.11"},
                         {.had = "6.16.12"},
                         {.had = "6.17.13"},
                         {.had = "6.18.15"},
                         {.had = "6.19.14"},
                         {.had = "7.0.13"}},
            .mainline = "7.1-rc1",
            .source =
                "its Fixes: tag (6f377873cb23), releases from before its day, 2026-04-21, and "
                "our runs of 6.19.14, 7.0.4 and 7.0.13; it did not apply to 6.18",
            .finding = "dirty-refill-ring",
        },
        {
            .id = "header-of-another-packet",
            .cve = "CVE-2026-72046",
            .commit = "d676c9a73bdcd8237425dbb826f2bd1a25c36e40",
            .title = "gve: fix header buffer corruption with header-split and HW-GRO",
            .user_sees = "where the NIC completes packets in another order than it was given "
                         "buffers, a packet gets the headers of another one, so that a connection "
                         "receives what belongs to another",
            .driver = "gve",
            .since = "6.9",
            .branches = {{.fixed = "6.12.101"}, {.fixed = "6.18.40"}, {.fixed = "7.1.5"}},
            .mainline = "7.2",
            .complete = true,
            .source = "the CVE's record of 2026-08-15",
            .finding = "header-of-another-packet",
            .asserts = "header_split.overtaken",
        },
        {
            .id = "queue-without-buffers-stays-so",
            .cve = "CVE-2026-68129",
            .commit = "b65352a1bac64442ad95e64f385b40ccb9f1b0db",
            .title = "gve: fix Rx queue stall on alloc failure",
            .user_sees = "a queue whose buffers were all held receives nothing any more, though "
                         "they have been given back",
            .driver = "gve",
            .since = "5.14",
            .branches = {{.fixed = "5.15.216"},
                         {.fixed = "6.1.183"},
                         {.fixed = "6.6.151"},
                         {.fixed = "6.12.101"},
                         {.fixed = "6.18.42"},
                         {.fixed = "7.1.6"}},
            .mainline = "7.2",
            .complete = true,
            .source = "the CVE's record of 2026-08-19",
            .finding = "queue-without-buffers-stays-so",
        },
        {
            .id = "burst-then-silence",
            .commit = "98ad5b63f5041dc354a6e694f4a9436f74e0681b",
            .title = "io_uring/zcrx: requeue multishot receives stopped by a local resource",
            .user_sees = "behind a burst that filled the CQ or the area, data waits in the socket "
                         "and no CQE comes until the peer sends again",
            .since = "6.15",
            .branches = {{.had = "6.15.11"},
                         {.had = "6.16.12"},
                         {.had = "6.17.13"},
                         {.had = "6.18.15"},
                         {.had = "6.19.6"},
                         {.had = "7.0.4"},
                         {.had = "7.1.6"},
                         {.fixed = "7.2.10"}},
            .mainline = "7.3",
            .source = "its Fixes: tag (11ed914bbf94), Debian's changelog of 7.2.10, and releases "
                      "from before its day, 2026-09-28",
            .finding = "burst-then-silence",
            .mutation = "missed-wake-up",
        },
        {
            .id = "offset-above-4-gib",
            .title = "io_uring/zcrx: fix buffer offsets in areas above 4GB",
            .user_sees = "of an area larger than 4 GiB, a CQE names other memory than the data is "
                         "in",
            .since = "7.2",
            .branches = {{.had = "7.2.13"}, {.fixed = "7.3.2"}},
            .mainline = "7.4",
            .source = "Debian's changelog of 7.3.3-1, which has it among the changes of 7.3.2, "
                      "and our runs of 7.2",
            .finding = "offset-above-4-gib",
        },
        {
            .id = "mixed-last-slot",
            .title = "not known; our runs are the only source",
            .user_sees = "with CQEs of both sizes and few free slots, a CQE comes that belongs to "
                         "no request",
            .since = "6.18",
            .branches = {{.had = "6.18.15"},
                         {.had = "7.2.13"},
                         {.fixed = "7.3.4", .had = "7.3-rc7"}},
            .mainline = "7.4",
            .source = "our runs of 6.18.15, 7.2.13, 7.3-rc7 and 7.3.4",
            .finding = "mixed-last-slot",
        },
    };
    return all;
}

std::vector<const FixedBug*> told_bugs(std::span<const FixedBug> bugs) {
    std::vector<const FixedBug*> told;
    for (const FixedBug& bug : bugs)
        if (!bug.embargoed) told.push_back(&bug);
    return told;
}

size_t untold_bugs(std::span<const FixedBug> bugs) {
    return bugs.size() - told_bugs(bugs).size();
}

const FixedBug* find_bug(std::span<const FixedBug> bugs, std::string_view word) {
    const std::string wanted = lower(word);
    if (wanted.empty()) return nullptr;
    for (const FixedBug* bug : told_bugs(bugs)) {
        const bool by_commit = wanted.size() >= kShortestCommit && bug->commit.starts_with(wanted);
        if (wanted == bug->id || wanted == lower(bug->cve) || by_commit) return bug;
    }
    return nullptr;
}

}  // namespace zcrxlab
