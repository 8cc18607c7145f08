// MessageReader: where messages begin, and whose the descriptors are.
#include "nic/transport/message_reader.hpp"

#include <cstring>
#include <iterator>
#include <string>
#include <utility>

namespace zcrxlab::nic::vfio_user {

namespace {

constexpr size_t kBuffer = 64 * 1024;
static_assert(kBuffer >= 2 * kMaximumMessage);

}  // namespace

MessageReader::MessageReader() : buffer_(kBuffer) {}

std::span<std::byte> MessageReader::space() {
    if (begin_ != 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    return std::span(buffer_).subspan(end_);
}

void MessageReader::commit(size_t size, std::vector<Fd> fds, bool fds_lost) {
    end_ += size;
    if (fds.empty() && !fds_lost) return;
    // A message that trickles in with descriptors at every byte must not use up all we have.
    size_t waiting = 0;
    for (const Arrival& arrival : arrivals_) waiting += arrival.fds.size();
    if (waiting + fds.size() > kMaximumFds) {
        fds.clear();
        fds_lost = true;
    }
    uint64_t end = position_ + (end_ - begin_);
    arrivals_.push_back(Arrival{end, std::move(fds), fds_lost});
}

Result<std::optional<Message>> MessageReader::next() {
    size_t available = end_ - begin_;
    Message message;
    if (available < sizeof(Header)) return std::optional<Message>();
    std::memcpy(&message.header, buffer_.data() + begin_, sizeof(Header));
    size_t size = message.header.size;
    if (size < sizeof(Header) || size > kMaximumMessage)
        return Error{EPROTO, "The client sent a message that claims to have " +
                                 std::to_string(size) + " bytes; " +
                                 std::to_string(sizeof(Header)) + " to " +
                                 std::to_string(kMaximumMessage) + " are possible."};
    if (available < size) return std::optional<Message>();
    message.payload =
        std::span<const std::byte>(buffer_).subspan(begin_ + sizeof(Header), size - sizeof(Header));
    begin_ += size;
    position_ += size;
    while (!arrivals_.empty() && arrivals_.front().end <= position_) {
        Arrival& arrival = arrivals_.front();
        message.fds_lost |= arrival.lost;
        std::move(arrival.fds.begin(), arrival.fds.end(), std::back_inserter(message.fds));
        arrivals_.pop_front();
    }
    return std::optional<Message>(std::move(message));
}

}  // namespace zcrxlab::nic::vfio_user
