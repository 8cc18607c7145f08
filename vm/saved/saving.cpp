// Watches the consoles of guests that boot, and asks their QEMUs to save them.
#include "vm/saved/saving.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <optional>
#include <string_view>

#include "harness/base/child_process.hpp"
#include "harness/base/fd.hpp"
#include "harness/base/json.hpp"
#include "harness/base/pipe.hpp"
#include "vm/guest/guest_plan.hpp"
#include "vm/qemu/qemu_command.hpp"
#include "vm/watch/console.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr int kMonitorDescriptor = 3;
constexpr JsonLimits kMonitorLimits{16, size_t{1} << 20};
constexpr int kMostMilliseconds = 60'000;

// The guest is not stopped before: it would be as stopped when it goes on.
std::string requests(const fs::path& state) {
    using Json = nlohmann::ordered_json;
    const Json events{{"capability", "events"}, {"state", true}};
    std::string lines;
    for (const Json& request :
         {Json{{"execute", "qmp_capabilities"}},
          Json{{"execute", "migrate-set-capabilities"},
               {"arguments", {{"capabilities", Json::array({events})}}}},
          Json{{"execute", "migrate"}, {"arguments", {{"uri", "file:" + state.string()}}}}})
        lines += json_text(request) + "\n";
    return lines;
}

// One guest, from its start until it is saved or has failed.
class Saving {
  public:
    Saving(const SavingOrder& order, milliseconds bound)
        : order_(order),
          unfinished_(order.state.string() + ".new"),
          until_(steady_clock::now() + bound),
          console_file_(order.console, std::ios::binary),
          console_lines_([this](const std::string& line) { hear_console(line); }),
          monitor_lines_([this](const std::string& line) { hear_monitor(line); }) {
        if (auto started = start(); !started) end(started);
    }

    const std::optional<Result<void>>& result() const { return result_; }
    steady_clock::time_point until() const { return until_; }
    void end(Result<void> result) {
        if (result_) return;
        if (qemu_) qemu_->kill_and_collect();
        std::error_code error;
        if (result) fs::rename(unfinished_, order_.state, error);
        if (error) result = error_from_errno("place " + order_.state.string(), error.value());
        if (!result) fs::remove(unfinished_, error);
        result_ = std::move(result);
    }

    static constexpr size_t kDescriptors = 3;
    std::array<pollfd, kDescriptors> descriptors() const {
        if (result_) return {{{-1, 0, 0}, {-1, 0, 0}, {-1, 0, 0}}};
        return {{{console_.get(), POLLIN, 0},
                 {monitor_.get(), POLLIN, 0},
                 {qemu_->pidfd(), POLLIN, 0}}};
    }

    // Something may have happened, or time has passed.
    void turn() {
        if (result_) return;
        read_all(console_, console_lines_, &console_file_);
        read_all(monitor_, monitor_lines_, nullptr);
        if (result_) return;
        if (const auto status = qemu_->status())
            return end(Error{EIO, "QEMU " + describe_status(*status) +
                                      " before the guest was saved. " + last_words()});
        if (steady_clock::now() >= until_)
            end(Error{ETIMEDOUT, "The guest was not saved in time. " + last_words()});
    }

  private:
    Result<void> start() {
        Result<Pipe> console = Pipe::create();
        if (!console) return console.error();
        console_ = std::move(console->reading);
        std::array<int, 2> monitor{};
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, monitor.data()) != 0)
            return error_from_errno("socketpair");
        monitor_.reset(monitor[0]);
        const Fd monitor_end(monitor[1]);
        for (const Fd* fd : {&console_, &monitor_}) ::fcntl(fd->get(), F_SETFL, O_NONBLOCK);
        ChildOptions options;
        options.arguments = order_.qemu;
        options.arguments.insert(options.arguments.end(),
                                 {"-global", kFileOfPages, "-chardev", "socket,id=monitor,fd=3",
                                  "-qmp", "chardev:monitor"});
        options.output = options.error = console->writing.get();
        options.extra = monitor_end.get();
        options.extra_as = kMonitorDescriptor;
        Result<ChildProcess> qemu = ChildProcess::start(options);
        if (!qemu) return qemu.error();
        qemu_ = std::move(*qemu);
        return {};
    }

    void read_all(const Fd& fd, ConsoleLines& lines, std::ofstream* copy) {
        std::array<char, 16384> chunk{};
        for (ssize_t got = 0;
             !result_ && (got = ::read(fd.get(), chunk.data(), chunk.size())) > 0;) {
            if (copy != nullptr) copy->write(chunk.data(), got).flush();
            lines.feed(std::string_view(chunk.data(), static_cast<size_t>(got)));
        }
    }

    void hear_console(const std::string& line) {
        if (sign_of(line) != ConsoleSign::kNothing)
            return end(Error{EIO, "The guest's kernel is broken: " + line});
        if (asked_ || line.find(kWaitingLine) == std::string::npos) return;
        asked_ = true;
        const std::string lines = requests(unfinished_);
        if (::send(monitor_.get(), lines.data(), lines.size(), MSG_NOSIGNAL) !=
            static_cast<ssize_t>(lines.size()))
            end(error_from_errno("ask QEMU to save the guest"));
    }

    void hear_monitor(const std::string& line) {
        const SavingNews news = news_in(line);
        if (news == SavingNews::kSaved) end({});
        if (news == SavingNews::kFailed)
            end(Error{EIO, "QEMU does not save the guest: " + line.substr(0, 400)});
    }

    std::string last_words() const {
        const std::string tail = console_lines_.tail();
        return tail.empty() ? "Its console says nothing." : "Its console said last:\n" + tail;
    }

    const SavingOrder& order_;
    const fs::path unfinished_;
    const steady_clock::time_point until_;
    std::ofstream console_file_;
    ConsoleLines console_lines_, monitor_lines_;
    Fd console_, monitor_;
    std::optional<ChildProcess> qemu_;
    bool asked_ = false;
    std::optional<Result<void>> result_;
};

}  // namespace

SavingNews news_in(const std::string& line) {
    const auto said = parse_json_object(line, kMonitorLimits);
    if (!said) return SavingNews::kFailed;
    if (member(*said, "error") != nullptr) return SavingNews::kFailed;
    if (get_text(*said, "event") != "MIGRATION") return SavingNews::kNothing;
    const auto* const data = member(*said, "data");
    const std::string status = data != nullptr ? get_text(*data, "status") : "";
    if (status == "completed") return SavingNews::kSaved;
    return status == "failed" ? SavingNews::kFailed : SavingNews::kNothing;
}

std::vector<Result<void>> save_guests(std::span<const SavingOrder> orders, milliseconds bound,
                                      const StopSignals& signals) {
    std::vector<std::unique_ptr<Saving>> all;
    for (const SavingOrder& order : orders) all.push_back(std::make_unique<Saving>(order, bound));
    for (;;) {
        std::vector<pollfd> waiting{{signals.fd(), POLLIN, 0}};
        auto until = steady_clock::time_point::max();
        for (const auto& saving : all) {
            if (saving->result()) continue;
            until = std::min(until, saving->until());
            const auto more = saving->descriptors();
            waiting.insert(waiting.end(), more.begin(), more.end());
        }
        if (waiting.size() == 1) break;
        const auto left = std::chrono::ceil<milliseconds>(until - steady_clock::now()).count();
        ::poll(waiting.data(), waiting.size(),
               static_cast<int>(std::clamp<int64_t>(left, 0, kMostMilliseconds)));
        const bool stopped = signals.take().has_value();
        for (const auto& saving : all)
            stopped ? saving->end(Error{EINTR, "Interrupted."}) : saving->turn();
    }
    std::vector<Result<void>> results;
    results.reserve(all.size());
    for (const auto& saving : all) results.push_back(*saving->result());
    return results;
}

}  // namespace zcrxlab
