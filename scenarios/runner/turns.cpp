// Counts scenarios, or asks the host which one is next.
#include "scenarios/runner/turns.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "scenarios/runner/report_sink.hpp"

namespace zcrxlab {

namespace {

constexpr size_t kLongestName = 4000;

class InOrder : public Turns {
  public:
    bool dealt() const override { return false; }
    Result<std::optional<std::string>> next(const std::vector<std::string>& plan, bool) override {
        if (at_ == plan.size()) return std::optional<std::string>();
        return std::optional<std::string>(plan[at_++]);
    }

  private:
    size_t at_ = 0;
};

class Dealt : public Turns {
  public:
    explicit Dealt(int fd) : fd_(fd) {}

    bool dealt() const override { return true; }
    Result<std::optional<std::string>> next(const std::vector<std::string>& plan,
                                            bool harmed) override {
        if (!send_record(fd_, RecordType::kTurn, harmed ? R"({"harmed":true})" : "{}"))
            return gone();
        Result<std::string> name = read_line();
        if (!name) return name.error();
        if (name->empty()) return std::optional<std::string>();
        if (std::ranges::find(plan, *name) == plan.end())
            return Error{EPROTO, "The host wants to see \"" + *name +
                                     "\" next, which is no scenario of this run."};
        return std::optional<std::string>(*std::move(name));
    }

  private:
    static Error gone() { return {EPIPE, "The host does not say which scenario is next."}; }

    // One byte at a time: what comes behind the line is not ours to take.
    Result<std::string> read_line() {
        std::string line;
        while (line.size() < kLongestName) {
            char byte = 0;
            const ssize_t got = ::read(fd_, &byte, 1);
            if (got == 1) {
                if (byte == '\n') return line;
                line += byte;
                continue;
            }
            if (got == 0 || (errno != EAGAIN && errno != EINTR)) return gone();
            pollfd ready{fd_, POLLIN, 0};
            ::poll(&ready, 1, -1);
        }
        return Error{EPROTO, "The host says a name that does not end."};
    }

    int fd_;
};

}  // namespace

std::unique_ptr<Turns> turns_in_order() {
    return std::make_unique<InOrder>();
}
std::unique_ptr<Turns> turns_dealt_over(int fd) {
    return std::make_unique<Dealt>(fd);
}

}  // namespace zcrxlab
