// The table of promises.
#include "results/conform/promises.hpp"

#include <algorithm>
#include <array>

namespace zcrxlab {

namespace {

constexpr std::array kPromises{
    Promise{"cqe32.final-cq-full",
            "a full CQ ends the request with -ENOSPC, never with the overflow list"},
    Promise{"cqe32.rearm", "after -ENOSPC or -ENOMEM arming again goes on at the next byte"},
    Promise{"cqe32.final-eof", "the end of the stream is a final CQE of 0"},
    Promise{"cqe32.final-reset", "a reset is a final CQE of -ECONNRESET after the data before it"},
    Promise{"cqe32.stream-order", "bytes arrive in stream order"},
    Promise{"cqe32.data-flags", "a data CQE has a positive result and F_MORE"},
    Promise{"exhaustion.enomem",
            "copying without a buffer ends the request with -ENOMEM and loses no byte"},
    Promise{"exhaustion.throttled",
            "with every buffer held the stream stops, and goes on when they come back"},
    Promise{"refill.invalid-ignored",
            "an entry with a bad area, index or padding, or of a buffer that is not held, is used "
            "up without effect"},
    Promise{"refill.overfull", "more than rq_entries entries count as rq_entries"},
    Promise{"refill.one-reference",
            "an entry gives back one reference; a buffer of several CQEs needs as many"},
    Promise{"registration.provider-there", "a queue that has a memory provider already is EEXIST"},
    Promise{"teardown.kill", "a killed process frees the queue within 5 s"},
};

}  // namespace

std::span<const Promise> promises() {
    return kPromises;
}

std::string_view text_of_promise(std::string_view identifier) {
    const auto* const found = std::ranges::find(kPromises, identifier, &Promise::identifier);
    return found == kPromises.end() ? identifier : found->text;
}

}  // namespace zcrxlab
