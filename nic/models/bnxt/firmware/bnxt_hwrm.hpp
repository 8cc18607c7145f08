// Hwrm: the channel of commands: a request out of the window or of guest memory, an answer into
// guest memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "nic/models/bnxt/datapath/bnxt_context.hpp"
#include "nic/models/bnxt/layout/bnxt_hwrm_layout.hpp"

namespace zcrxlab::nic::bnxt {

// A request, as a copy: the driver cannot change it any more.
class Request {
  public:
    // `bytes` are those of a whole header at least.
    explicit Request(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {
        header_ = as<RequestHeader>();
    }

    const RequestHeader& header() const { return header_; }
    HwrmType type() const { return static_cast<HwrmType>(header_.type.get()); }
    size_t size() const { return bytes_.size(); }
    // The request as what its type says it is. A driver's structure may be older and shorter than
    // ours, or newer: what it does not have is 0, what we do not know is passed over.
    template <typename T>
    T as() const {
        static_assert(std::is_trivially_copyable_v<T>);
        T out{};
        std::memcpy(&out, bytes_.data(), std::min(sizeof(out), bytes_.size()));
        return out;
    }

  private:
    std::vector<std::byte> bytes_;
    RequestHeader header_{};
};

// An answer but for its header, which the channel writes.
class Answer {
  public:
    // Done, and there is nothing to say.
    Answer() : Answer(PlainAnswer{}) {}
    Answer(HwrmError error) : Answer() { error_ = error; }  // NOLINT: meant to be implicit
    template <typename T>
    requires requires(T body) { body.valid; }
    Answer(const T& body) : bytes_(sizeof(T)) {  // NOLINT: meant to be implicit
        static_assert(offsetof(T, header) == 0 && offsetof(T, valid) + 1 == sizeof(T));
        static_assert(sizeof(T) <= kLongestAnswer);
        std::memcpy(bytes_.data(), &body, sizeof(body));
    }

    HwrmError error() const { return error_; }
    std::span<std::byte> bytes() { return bytes_; }

  private:
    std::vector<std::byte> bytes_;
    HwrmError error_ = HwrmError::kNone;
};

class Hwrm {
  public:
    // Nothing: the request gets no answer.
    using Execute = std::function<std::optional<Answer>(const Request&)>;
    // An answer was written that a completion ring is to be told of.
    using Done = std::function<void(uint16_t ring, uint16_t sequence)>;

    Hwrm(BnxtContext& context, Execute execute, Done done)
        : context_(context), execute_(std::move(execute)), done_(std::move(done)) {}

    // The driver has written to the window. False, and nothing written, if that is not all inside.
    bool write(uint64_t offset, std::span<const std::byte> bytes);
    // It has pulled the trigger: reads the request, carries it out, and answers.
    void trigger();
    void reset() { window_.fill(std::byte{0}); }

  private:
    // Nothing, and the driver is told of, if there is no request.
    std::vector<std::byte> read_request();
    void answer(const RequestHeader& header, Answer answer);
    void forbid(std::string what);

    BnxtContext& context_;
    Execute execute_;
    Done done_;
    std::array<std::byte, kRequestWindowSize> window_{};
};

}  // namespace zcrxlab::nic::bnxt
