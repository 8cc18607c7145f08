// Connection: recvmsg and sendmsg with descriptors.
#include "nic/transport/connection.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace zcrxlab::nic::vfio_user {

namespace {

constexpr size_t kScmMaxFd = 253;  // SCM_MAX_FD of <net/scm.h>: more never come with one message

}  // namespace

Result<Connection::Received> Connection::receive(size_t most) {
    auto space = reader_.space();
    space = space.first(std::min(space.size(), most));
    iovec vector{space.data(), space.size()};
    alignas(cmsghdr) std::byte control[CMSG_SPACE(kScmMaxFd * sizeof(int))];
    msghdr header{};
    header.msg_iov = &vector;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
    ssize_t size = ::recvmsg(socket_.get(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (size < 0) {
        if (errno == EAGAIN || errno == EINTR) return Received::kNothing;
        return error_from_errno("recvmsg from the vfio-user client");
    }
    std::vector<Fd> fds;
    for (cmsghdr* one = CMSG_FIRSTHDR(&header); one != nullptr; one = CMSG_NXTHDR(&header, one)) {
        if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_RIGHTS) continue;
        size_t count = (one->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(one) + i * sizeof(int), sizeof(int));
            fds.emplace_back(fd);
        }
    }
    if (size == 0) return Received::kEnd;
    reader_.commit(static_cast<size_t>(size), std::move(fds), (header.msg_flags & MSG_CTRUNC) != 0);
    return Received::kBytes;
}

Result<void> Connection::send(std::vector<std::byte> message) {
    unsent_.push_back(std::move(message));
    return unsent_.size() == 1 ? flush() : Result<void>();
}

Result<void> Connection::flush() {
    // One sendmsg for each message: QEMU gives up on a connection when it finds part of a header.
    while (!unsent_.empty()) {
        const auto& front = unsent_.front();
        ssize_t size = ::send(socket_.get(), front.data() + sent_, front.size() - sent_,
                              MSG_DONTWAIT | MSG_NOSIGNAL);
        if (size < 0) {
            if (errno == EINTR) continue;
            if (errno == EAGAIN) return {};
            return error_from_errno("send to the vfio-user client");
        }
        sent_ += static_cast<size_t>(size);
        if (sent_ < front.size()) continue;
        unsent_.pop_front();
        sent_ = 0;
    }
    return {};
}

}  // namespace zcrxlab::nic::vfio_user
