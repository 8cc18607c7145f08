// Hwrm: the channel of commands: a request out of the window or of guest memory, an answer into
// guest memory.
#include "nic/models/bnxt/firmware/bnxt_hwrm.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace zcrxlab::nic::bnxt {
namespace {

template <typename T>
T front_of(std::span<const std::byte> bytes) {
    T out;
    std::memcpy(&out, bytes.data(), sizeof(out));
    return out;
}

}  // namespace

bool Hwrm::write(uint64_t offset, std::span<const std::byte> bytes) {
    if (offset >= window_.size() || bytes.size() > window_.size() - offset) return false;
    std::ranges::copy(bytes, window_.begin() + static_cast<ptrdiff_t>(offset));
    return true;
}

void Hwrm::trigger() {
    std::vector<std::byte> bytes = read_request();
    if (bytes.empty()) {
        ++context_.counters.commands_unread;
        return;
    }
    const Request request(std::move(bytes));
    ++context_.counters.commands;
    if (std::optional<Answer> done = execute_(request)) answer(request.header(), *std::move(done));
}

std::vector<std::byte> Hwrm::read_request() {
    const auto direct = front_of<RequestHeader>(window_);
    if (direct.completion_ring != kShortSignature) return {window_.begin(), window_.end()};
    const auto elsewhere = front_of<ShortRequest>(window_);
    if (elsewhere.size < sizeof(RequestHeader) || elsewhere.size > kLongestRequest) {
        forbid(fmt::format("a request has {} bytes, and must have {} to {}", elsewhere.size.get(),
                           sizeof(RequestHeader), kLongestRequest));
        return {};
    }
    std::vector<std::byte> bytes(elsewhere.size);
    if (!context_.dma.read(elsewhere.address, bytes)) {
        context_.forbid_dma(kCommandsName, {}, "a request", elsewhere.address, bytes.size(),
                            Access::kRead);
        return {};
    }
    const uint16_t type = front_of<RequestHeader>(bytes).type;
    if (type != elsewhere.type) {
        forbid(fmt::format("a request is said to be of type {:#x} and is of type {:#x}",
                           elsewhere.type.get(), type));
        return {};
    }
    return bytes;
}

void Hwrm::answer(const RequestHeader& header, Answer answer) {
    if (answer.error() != HwrmError::kNone) ++context_.counters.commands_refused;
    const std::span<std::byte> bytes = answer.bytes();
    const auto length = static_cast<uint16_t>(bytes.size());
    AnswerHeader front{static_cast<uint16_t>(answer.error()), header.type, header.sequence,
                       uint16_t{0}};
    std::memcpy(bytes.data(), &front, sizeof(front));
    bytes.back() = std::byte{1};
    // The driver looks at the length first: it is released when all the rest is there.
    const uint64_t at = header.answer_address;
    if (!context_.dma.write(at, bytes) ||
        !context_.dma.store_release(at + offsetof(AnswerHeader, length), length)) {
        context_.forbid_dma(kCommandsName, {},
                            fmt::format("the answer to a request of type {:#x}", header.type.get()),
                            at, bytes.size(), Access::kWrite);
        return;
    }
    if (header.completion_ring != kNoRing) done_(header.completion_ring, header.sequence);
}

void Hwrm::forbid(std::string what) {
    context_.forbid(
        {.kind = ForbiddenKind::kCommand, .queue = kCommandsName, .what = std::move(what)});
}

}  // namespace zcrxlab::nic::bnxt
