// HttpAnswer: where one HTTP/1.1 response ends in a stream of bytes, and what its status is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace zcrxlab {

class HttpAnswer {
  public:
    enum class State { kMore, kComplete, kBroken };

    // Takes bytes as they come; what follows a complete answer is ignored. Interim answers (1xx)
    // are passed over.
    State feed(std::string_view bytes);
    // The connection was closed: an answer without a length ends there.
    State closed();
    // 200, 404 ...; 0 before the first line.
    int status() const { return status_; }
    // Bytes of the body so far, without the framing of chunks.
    uint64_t body() const { return body_; }
    // The server closes the connection after this one.
    bool closes() const { return closes_; }

  private:
    enum class Part { kHead, kCounted, kUntilClosed, kChunkSize, kChunk, kChunkEnd, kTrailer };
    State take_line(std::string_view line);
    State take_head_line(std::string_view line);
    State end_of_head();
    State break_with() { return state_ = State::kBroken; }

    State state_ = State::kMore;
    Part part_ = Part::kHead;
    std::string line_;
    int status_ = 0;
    bool counted_ = false, chunked_ = false, closes_ = false;
    uint64_t left_ = 0;  // of the body, or of the chunk
    uint64_t body_ = 0;
};

}  // namespace zcrxlab
