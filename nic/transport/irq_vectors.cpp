// Arms vectors and fires them.
#include "nic/transport/irq_vectors.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>

namespace zcrxlab::nic::vfio_user {

namespace {

// Anything else could block us or, like a pipe without a reader, kill us by a signal.
bool is_eventfd(const Fd& fd) {
    char target[64];
    std::string link = "/proc/self/fd/" + std::to_string(fd.get());
    ssize_t length = ::readlink(link.c_str(), target, sizeof(target));
    return length > 0 &&
           std::string_view(target, static_cast<size_t>(length)) == "anon_inode:[eventfd]";
}

Error beyond_the_last(uint64_t end, size_t count) {
    return Error{EINVAL, "MSI-X vectors up to " + std::to_string(end) + " were named; there are " +
                             std::to_string(count) + "."};
}

}  // namespace

void IrqVectors::set_count(uint16_t count) {
    vectors_.clear();
    vectors_.resize(count);
}

Result<void> IrqVectors::arm(uint32_t start, std::vector<Fd> eventfds) {
    uint64_t end = uint64_t{start} + eventfds.size();
    if (end > vectors_.size()) return beyond_the_last(end, vectors_.size());
    for (const Fd& eventfd : eventfds) {
        if (!is_eventfd(eventfd))
            return Error{EINVAL, "A descriptor given for an MSI-X vector is not an eventfd."};
        int flags = ::fcntl(eventfd.get(), F_GETFL);
        if (flags < 0 || ::fcntl(eventfd.get(), F_SETFL, flags | O_NONBLOCK) != 0)
            return error_from_errno("fcntl of the eventfd of an MSI-X vector");
    }
    for (size_t i = 0; i < eventfds.size(); i++) vectors_[start + i] = std::move(eventfds[i]);
    return {};
}

Result<void> IrqVectors::disarm(uint32_t start, uint32_t count) {
    uint64_t end = uint64_t{start} + count;
    if (end > vectors_.size()) return beyond_the_last(end, vectors_.size());
    for (uint64_t vector = start; vector < end; vector++) vectors_[vector].reset();
    return {};
}

void IrqVectors::disarm_all() {
    for (Fd& vector : vectors_) vector.reset();
}

void IrqVectors::raise(uint16_t vector) {
    if (!armed(vector)) {
        ignored_ += 1;
        return;
    }
    // EAGAIN means that the counter is full: an interrupt is pending, which is all we want.
    uint64_t one = 1;
    [[maybe_unused]] ssize_t written = ::write(vectors_[vector].get(), &one, sizeof(one));
    raised_ += 1;
}

}  // namespace zcrxlab::nic::vfio_user
