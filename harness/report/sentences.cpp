// Takes the sentences out of a message.
#include "harness/report/sentences.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>

namespace zcrxlab {

namespace {

constexpr std::string_view kClaim = "It claims: ";
constexpr std::string_view kDoesNotHold = ") does not hold: ";

std::string trimmed(std::string line) {
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0)
        line.pop_back();
    line.erase(0, line.find_first_not_of(" \t"));
    return line;
}

// Of "lists/player/x.cpp:12: Failed", which says where we looked, what stands behind the place.
std::string without_place(const std::string& line) {
    const size_t name = line.find(".cpp:");
    const size_t end = line.find(": ", name == std::string::npos ? name : name + 5);
    if (name == std::string::npos || end == std::string::npos) return line;
    const std::string_view number = std::string_view(line).substr(name + 5, end - name - 5);
    const bool place = line.find(' ') > end && !number.empty() &&
                       std::ranges::all_of(number, [](unsigned char c) { return std::isdigit(c); });
    return place ? line.substr(end + 2) : line;
}

// Of "I2 (every CQE ...) does not hold: X" what stands behind, since the promise is said elsewhere.
std::string without_promise(const std::string& line) {
    const size_t end = line.find(kDoesNotHold);
    return line.starts_with("I") && end != std::string::npos
               ? line.substr(end + kDoesNotHold.size())
               : line;
}

void end_sentence(std::string& text) {
    if (std::string_view(".:!?").find(text.back()) == std::string_view::npos) text += '.';
}

}  // namespace

std::vector<std::string> sentences_of(const std::string& message) {
    std::vector<std::string> sentences;
    std::istringstream lines(message);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(kClaim)) break;
        // Of the kernel log, which is shown as a whole elsewhere.
        if (line.starts_with("[")) continue;
        // "  Actual: false" goes on with what the line above has begun.
        if (line.starts_with(" ") && !sentences.empty()) {
            sentences.back() += " " + trimmed(line);
            continue;
        }
        std::string sentence = trimmed(without_promise(without_place(line)));
        if (sentence.empty() || sentence == "Failed" || sentence == "Failure") continue;
        sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
        end_sentence(sentence);
        if (std::ranges::find(sentences, sentence) == sentences.end())
            sentences.push_back(std::move(sentence));
    }
    return sentences;
}

std::string promise_in(const std::string& message) {
    const size_t end = message.find(kDoesNotHold);
    if (end == std::string::npos) return {};
    const size_t line = message.rfind('\n', end);
    const size_t open = message.find('(', line == std::string::npos ? 0 : line);
    if (open >= end) return {};
    std::string promise = message.substr(open + 1, end - open - 1);
    if (!promise.empty()) end_sentence(promise);
    return promise;
}

std::string one_sentence_of(const std::string& message) {
    const std::vector<std::string> sentences = sentences_of(message);
    return sentences.empty() ? std::string() : sentences.front();
}

}  // namespace zcrxlab
