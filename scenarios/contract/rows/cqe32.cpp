// The contract, chapter cqe32: what a request is refused for, what its CQEs say, and how it ends.
#include "scenarios/contract/rows/chapters.hpp"

#include <array>

namespace zcrxlab {

std::span<const ContractRow> cqe32_rows() {
    static constexpr auto kRows = std::to_array<ContractRow>({
        {
            .id = "cqe32.submit-einval",
            .promise = "a submission without MULTISHOT, or with other flags, addresses or an "
                       "unknown ifq, is EINVAL",
            .source = "zcrx.c:io_recvzc_prep",
            .seen_red_by = "other-errno-of-submission",
        },
        {
            .id = "cqe32.submit-fd",
            .promise = "a bad descriptor is EBADF, something that is no socket ENOTSOCK",
            .source = "net.c:io_recvzc",
            .seen_red_by = "other-errno-of-issue",
        },
        {
            .id = "cqe32.submit-protocol",
            .promise = "a socket that is not plain TCP is EPROTONOSUPPORT",
            .source = "zcrx.c:io_zcrx_tcp_recvmsg",
            .seen_red_by = "other-errno-of-receiving",
        },
        {
            .id = "cqe32.submit-unconnected",
            .promise = "an unconnected or listening socket is ENOTCONN",
            .source = "tcp.c",
            .seen_red_by = "other-errno-of-receiving",
        },
        {
            .id = "cqe32.submit-buffer-select",
            .promise = "buffer selection is EOPNOTSUPP",
            .source = "opdef.c",
            .seen_red_by = "other-errno-of-submission",
        },
        {
            .id = "cqe32.skip-success-accepted",
            .promise = "IOSQE_CQE_SKIP_SUCCESS is accepted",
            .source = "zcrx.c:io_recvzc_prep",
            .seen_red_by = "skip-success-refused",
        },
        {
            .id = "cqe32.data-flags",
            .promise = "a data CQE has a positive result and F_MORE",
            .source = "zcrx.c:io_zcrx_queue_cqe",
            .seen_red_by = "no-result",
        },
        {
            .id = "cqe32.mixed-flag",
            .promise = "on a mixed ring a data CQE carries IORING_CQE_F_32",
            .source = "zcrx.c:io_zcrx_queue_cqe",
            .seen_red_by = "flag-32-missing",
        },
        {
            .id = "cqe32.mixed-skip",
            .promise = "padding CQEs of a mixed ring carry IORING_CQE_F_SKIP",
            .source = "io_uring.c:io_cqe_cache_refill",
            .seen_red_by = "padding-unmarked",
        },
        {
            .id = "cqe32.offset",
            .promise =
                "the offset names area, buffer and position of the bytes, and the padding is 0",
            .source = "zcrx.c:io_zcrx_queue_cqe",
            .seen_red_by = "offset-off-by-one",
        },
        {
            .id = "cqe32.within-buffer",
            .promise = "a CQE never crosses a buffer",
            .source = "zcrx.c:io_zcrx_recv_frag",
            .seen_red_by = "across-buffers",
        },
        {
            .id = "cqe32.stream-order",
            .promise = "bytes arrive in stream order",
            .source = "tcp.c:tcp_read_sock",
            .seen_red_by = "length-off",
        },
        {
            .id = "cqe32.one-final",
            .promise = "each request ends with exactly one CQE without F_MORE",
            .source = "net.c:io_recvzc",
            .seen_red_by = "end-is-not-told",
        },
        {
            .id = "cqe32.final-eof",
            .promise = "the end of the stream is a final CQE of 0",
            .source = "net.c:io_recvzc",
            .seen_red_by = "end-is-not-told",
        },
        {
            .id = "cqe32.final-reset",
            .promise = "a reset is a final CQE of -ECONNRESET after the data before it",
            .source = "zcrx.c:io_zcrx_tcp_recvmsg",
        },
        {
            .id = "cqe32.final-cq-full",
            .promise = "a full CQ ends the request with -ENOSPC, never with the overflow list",
            .source = "zcrx.c:io_zcrx_queue_cqe",
        },
        {
            .id = "cqe32.final-foreign-fragment",
            .promise = "a fragment of another provider ends the request with -EFAULT",
            .source = "zcrx.c:io_zcrx_recv_frag",
            .seen_red_by = "other-errno-of-receiving",
        },
        {
            .id = "cqe32.rearm",
            .promise = "after -ENOSPC or -ENOMEM arming again goes on at the next byte",
            .source = "net.c:io_recvzc",
            .seen_red_by = "stopped-loses-rest",
        },
        {
            .id = "cqe32.limit",
            .promise = "a request with a length never gets more, and ends at it",
            .source = "zcrx.c:io_zcrx_recv",
            .seen_red_by = "limit-too-large",
        },
        {
            .id = "cqe32.cancel",
            .promise = "a cancelled request ends with one final CQE",
            .source = "io_uring.c",
            .seen_red_by = "cancels-nothing",
        },
        {
            .id = "cqe32.full-cq-then-silence",
            .promise = "a request stopped by a full CQ gets its final CQE without another packet",
            .source = "net.c:io_recvzc",
            .seen_red_by = "missed-wake-up",
        },
        {
            .id = "cqe32.mixed-one-slot",
            .promise = "a mixed CQ with one free slot never shows a stale CQE",
            .source = "io_uring.c:io_get_cqe",
        },
        {
            .id = "cqe32.two-requests",
            .promise = "two requests on one socket never both get a byte",
            .source = "net.c:io_recvzc",
            .seen_red_by = "byte-twice",
        },
        {
            .id = "cqe32.turns",
            .promise = "a request that finds many packets leaves the turn to others before it has "
                       "taken all",
            .source = "zcrx.c:io_zcrx_recv_skb",
            .seen_red_by = "no-packet-counts",
        },
        {
            .id = "cqe32.limit-full-cq",
            .promise = "a request whose length fills the CQ ends once, when there is room",
            .source = "net.c:io_recvzc",
            .seen_red_by = "limit-ends-nothing",
        },
        {
            .id = "cqe32.resized",
            .promise = "resizing the CQ keeps what lies in it, whatever the size of its CQEs",
            .source = "register.c:io_register_resize_rings",
            .seen_red_by = "resize-loses-cqe",
        },
        {
            .id = "cqe32.fixed-file",
            .promise = "a request on a registered file outlives the registration",
            .source = "rsrc.c",
            .seen_red_by = "fixed-file-refused",
        },
        {
            .id = "cqe32.linked",
            .promise = "what is linked behind a request waits for its final CQE",
            .source = "io_uring.c",
            .seen_red_by = "link-is-cut",
        },
        {
            .id = "cqe32.low-watermark",
            .promise = "SO_RCVLOWAT delays the bytes of a request and loses none",
            .source = "tcp.c:tcp_poll",
            .seen_red_by = "low-watermark-ignored",
        },
        {
            .id = "cqe32.disconnected",
            .promise = "a socket that is disconnected ends its request once, with ECONNRESET",
            .source = "tcp.c:tcp_disconnect",
            .seen_red_by = "other-errno-of-receiving",
        },
    });
    return kRows;
}

}  // namespace zcrxlab
