// RFC 9112, sections 4 (status line), 5 (fields), 6.3 (length of a message) and 7.1 (chunks).
#include "vm/guest/send/http_answer.hpp"

#include <algorithm>
#include <charconv>

namespace zcrxlab {

namespace {

constexpr size_t kLongestLine = 64 << 10;

bool same_name(std::string_view name, std::string_view lower) {
    return std::equal(name.begin(), name.end(), lower.begin(), lower.end(), [](char a, char b) {
        return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
    });
}

std::string_view trimmed(std::string_view text) {
    const size_t start = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(start);
    return text.substr(0, text.find_last_not_of(" \t") + 1);
}

template <typename T>
bool number(std::string_view text, T& value, int base) {
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    return error == std::errc() && rest == text.data() + text.size() && !text.empty();
}

}  // namespace

HttpAnswer::State HttpAnswer::feed(std::string_view bytes) {
    while (!bytes.empty() && state_ == State::kMore) {
        if (part_ == Part::kUntilClosed) {
            body_ += bytes.size();
            return state_;
        }
        if (part_ == Part::kCounted || part_ == Part::kChunk) {
            const auto taken = static_cast<size_t>(std::min<uint64_t>(left_, bytes.size()));
            bytes.remove_prefix(taken);
            left_ -= taken;
            body_ += taken;
            if (left_ > 0) continue;
            if (part_ == Part::kCounted) return state_ = State::kComplete;
            part_ = Part::kChunkEnd;
            continue;
        }
        const size_t end = bytes.find('\n');
        line_.append(bytes.substr(0, end));
        if (line_.size() > kLongestLine) return break_with();
        if (end == std::string_view::npos) return state_;
        bytes.remove_prefix(end + 1);
        if (!line_.empty() && line_.back() == '\r') line_.pop_back();
        const std::string line = std::move(line_);
        line_.clear();
        take_line(line);
    }
    return state_;
}

HttpAnswer::State HttpAnswer::closed() {
    if (state_ == State::kMore)
        state_ = part_ == Part::kUntilClosed ? State::kComplete : State::kBroken;
    return state_;
}

HttpAnswer::State HttpAnswer::take_line(std::string_view line) {
    switch (part_) {
        case Part::kHead:
            return take_head_line(line);
        case Part::kChunkSize:
            if (!number(trimmed(line.substr(0, line.find(';'))), left_, 16)) return break_with();
            part_ = left_ > 0 ? Part::kChunk : Part::kTrailer;
            return state_;
        case Part::kChunkEnd:
            if (!line.empty()) return break_with();
            part_ = Part::kChunkSize;
            return state_;
        case Part::kTrailer:
            return line.empty() ? state_ = State::kComplete : state_;
        default:
            return break_with();
    }
}

HttpAnswer::State HttpAnswer::take_head_line(std::string_view line) {
    if (status_ == 0) {
        // "HTTP/1.1 200 OK"
        if (!line.starts_with("HTTP/1.") || line.size() < 12 || line[8] != ' ' ||
            !number(line.substr(9, 3), status_, 10) || status_ < 100 ||
            (line.size() > 12 && line[12] != ' '))
            return break_with();
        closes_ = line[7] == '0';
        return state_;
    }
    if (line.empty()) return end_of_head();
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) return break_with();
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (same_name(name, "content-length")) {
        if (!number(value, left_, 10)) return break_with();
        counted_ = true;
    } else if (same_name(name, "transfer-encoding")) {
        chunked_ = same_name(value, "chunked");
    } else if (same_name(name, "connection") && same_name(value, "close")) {
        closes_ = true;
    }
    return state_;
}

HttpAnswer::State HttpAnswer::end_of_head() {
    if (status_ < 200) {
        status_ = 0;
        counted_ = chunked_ = false;
        return state_;
    }
    if (chunked_) {
        part_ = Part::kChunkSize;
    } else if (status_ == 204 || status_ == 304 || (counted_ && left_ == 0)) {
        state_ = State::kComplete;
    } else {
        part_ = counted_ ? Part::kCounted : Part::kUntilClosed;
        closes_ = closes_ || !counted_;
    }
    return state_;
}

}  // namespace zcrxlab
