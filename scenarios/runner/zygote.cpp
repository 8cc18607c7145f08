// Takes orders over a socket pair and answers them, one at a time.
#include "scenarios/runner/zygote.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

#include "harness/base/exit_code.hpp"

namespace zcrxlab {

namespace {

constexpr size_t kLongest = 4000;

// What is asked: a child for `what`, or, if `child` is not 0, how that one ended.
struct Order {
    int32_t child = 0;
    char what[kLongest] = {};
};

struct Answer {
    int32_t error = 0;  // errno
    int32_t value = 0;  // pid or wait status
};

// An order and the descriptors that came with it: output, and what is inherited.
struct Received {
    Order order;
    std::array<Fd, 2> fds;
    bool end = false;
};

union Ancillary {
    cmsghdr header;
    char room[CMSG_SPACE(2 * sizeof(int))];
};

bool send_order(int socket, const Order& order, const std::array<int, 2>& fds) {
    iovec part{const_cast<Order*>(&order), sizeof(order)};
    Ancillary ancillary{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    const size_t count = fds[0] < 0 ? 0 : (fds[1] < 0 ? 1 : 2);
    if (count > 0) {
        message.msg_control = &ancillary;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(count * sizeof(int));
        std::memcpy(CMSG_DATA(header), fds.data(), count * sizeof(int));
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof(order));
}

Received receive_order(int socket) {
    Received received;
    iovec part{&received.order, sizeof(received.order)};
    Ancillary ancillary{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = &ancillary;
    message.msg_controllen = sizeof(ancillary);
    ssize_t got = 0;
    do {
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    } while (got < 0 && errno == EINTR);
    received.end = got != static_cast<ssize_t>(sizeof(received.order));
    if (const cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr) {
        std::array<int, 2> fds{-1, -1};
        const size_t bytes = header->cmsg_len - CMSG_LEN(0);
        std::memcpy(fds.data(), CMSG_DATA(header), std::min(bytes, sizeof(fds)));
        for (size_t i = 0; i < fds.size(); ++i) received.fds[i].reset(fds[i]);
    }
    return received;
}

// Closes everything from 3 on but `kept` (-1: none).
void close_all_but(int kept) {
    if (kept < 3) {
        close_range(3, ~0U, 0);
        return;
    }
    if (kept > 3) close_range(3, static_cast<unsigned>(kept) - 1, 0);
    close_range(static_cast<unsigned>(kept) + 1, ~0U, 0);
}

[[noreturn]] void live_as_child(const Zygote::Work& work, const Received& received, pid_t parent) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(kExitNotFound);
    const int null = open("/dev/null", O_RDONLY);
    dup2(null, STDIN_FILENO);
    dup2(received.fds[0].get(), STDOUT_FILENO);
    dup2(received.fds[0].get(), STDERR_FILENO);
    const int inherited = received.fds[1].get();
    close_all_but(inherited);
    const int code = work(received.order.what, inherited);
    std::fflush(nullptr);
    // The objects of the program are the zygote's, not the child's to destroy.
    _exit(code);
}

Answer answer_to(const Zygote::Work& work, const Received& received) {
    Answer answer;
    if (received.order.child != 0) {
        int status = 0;
        const bool reaped = waitpid(received.order.child, &status, 0) == received.order.child;
        answer.error = reaped ? 0 : errno;
        answer.value = status;
        return answer;
    }
    const pid_t self = getpid();
    const pid_t child = fork();
    if (child == 0) live_as_child(work, received, self);
    answer.error = child < 0 ? errno : 0;
    answer.value = child;
    if (child > 0) setpgid(child, child);  // whichever of the two comes first
    return answer;
}

[[noreturn]] void live_as_zygote(int socket, pid_t parent, const Zygote::Work& work,
                                 const std::function<void()>& prepare) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(kExitNotFound);
    close_all_but(socket);
    if (prepare) prepare();
    while (true) {
        const Received received = receive_order(socket);
        if (received.end) _exit(0);
        const Answer answer = answer_to(work, received);
        if (send(socket, &answer, sizeof(answer), MSG_NOSIGNAL) < 0) _exit(0);
    }
}

Result<int> ask(int socket, const Order& order, const std::array<int, 2>& fds) {
    const Error gone{ECHILD, "The process that starts scenarios is gone; run again."};
    if (!send_order(socket, order, fds)) return gone;
    Answer answer;
    ssize_t got = 0;
    do {
        got = recv(socket, &answer, sizeof(answer), 0);
    } while (got < 0 && errno == EINTR);
    if (got != static_cast<ssize_t>(sizeof(answer))) return gone;
    if (answer.error != 0)
        return error_from_errno(order.child == 0 ? "fork" : "waitpid", answer.error);
    return answer.value;
}

}  // namespace

Result<Zygote> Zygote::start(Work work, const std::function<void()>& prepare) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return error_from_errno("socketpair");
    Fd ours(ends[0]), its(ends[1]);
    std::fflush(nullptr);  // what waits to be written shall not be written twice
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid < 0) return error_from_errno("fork");
    if (pid == 0) live_as_zygote(its.get(), parent, work, prepare);
    return Zygote(std::move(ours), pid);
}

Zygote::Zygote(Zygote&& other) noexcept
    : socket_(std::move(other.socket_)), pid_(std::exchange(other.pid_, -1)) {}

Zygote::~Zygote() {
    if (pid_ <= 0) return;
    socket_.reset();
    waitpid(pid_, nullptr, 0);
}

Result<pid_t> Zygote::spawn(const std::string& what, int output, int inherited) {
    Order order;
    if (what.size() >= sizeof(order.what))
        return Error{E2BIG, "What a child shall do is too long to tell it."};
    std::memcpy(order.what, what.data(), what.size());
    return ask(socket_.get(), order, {output, inherited});
}

Result<int> Zygote::reap(pid_t child) {
    Order order;
    order.child = child;
    return ask(socket_.get(), order, {-1, -1});
}

}  // namespace zcrxlab
