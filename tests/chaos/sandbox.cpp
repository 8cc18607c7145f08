// Starts programs with an environment of their own, and looks for what they leave.
#include "tests/chaos/sandbox.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>
#include <utility>

#include "harness/base/file.hpp"
#include "harness/base/program.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

std::string command_line_of(int pid) {
    return text_of_file("/proc/" + std::to_string(pid) + "/cmdline", 1 << 20);
}

std::vector<int> processes() {
    std::vector<int> all;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator("/proc", code)) {
        const int pid = std::atoi(entry.path().filename().c_str());
        if (pid > 0) all.push_back(pid);
    }
    return all;
}

int parent_of(int pid) {
    const std::string stat = text_of_file("/proc/" + std::to_string(pid) + "/stat", 4096);
    const size_t end = stat.rfind(')');
    return end == std::string::npos || end + 4 >= stat.size() ? -1 : std::atoi(&stat[end + 4]);
}

}  // namespace

ChaosOrder& chaos_order() {
    static ChaosOrder order;
    return order;
}

bool becomes(const std::function<bool()>& is_so, std::chrono::seconds bound) {
    for (const auto until = steady_clock::now() + bound; steady_clock::now() < until;) {
        if (is_so()) return true;
        std::this_thread::sleep_for(milliseconds(5));
    }
    return is_so();
}

Started::Started(ChildProcess process, fs::path output, fs::path error)
    : process_(std::move(process)),
      output_(std::move(output)),
      error_(std::move(error)),
      began_(steady_clock::now()) {}

std::string Started::said() const {
    return text_of_file(output_) + text_of_file(error_);
}

bool Started::says(std::string_view words) {
    const auto has_said = [&] { return said().find(words) != std::string::npos; };
    becomes([&] { return has_said() || !runs(); });
    return has_said();
}

int Started::child_with(std::string_view argument) const {
    for (const int other : processes())
        if (parent_of(other) == pid() &&
            ('\0' + command_line_of(other)).find('\0' + std::string(argument) + '\0') !=
                std::string::npos)
            return other;
    return -1;
}

Ended Started::end(std::chrono::seconds bound) {
    Ended ended;
    const bool in_time = process_.wait(bound);
    ended.seconds = std::chrono::duration<double>(steady_clock::now() - began_).count();
    if (!in_time) process_.kill_and_collect();
    const int status = process_.status().value_or(0);
    ended.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (!in_time) ended.code = -1;
    ended.output = text_of_file(output_);
    ended.error = text_of_file(error_);
    return ended;
}

Chaos::Chaos() : cache_(chaos_order().cache) {
    fs::create_directories(folder() / "run");
}

Chaos::~Chaos() {
    for (const fs::path& place : mounts_) ::umount2(place.c_str(), MNT_DETACH);
    const bool failed = HasFailure();
    fmt::print("{}  {}\n      expected: {}\n      seen:     {}\n",
               IsSkipped() ? "skipped"
               : failed    ? "FAILED "
                           : "passed ",
               command_.empty() ? "?" : command_, expected_, seen_);
    std::fflush(stdout);
}

Started Chaos::start(const std::vector<std::string>& words) {
    std::string script = "exec";
    for (const std::string& word : words) script += " '" + word + "'";
    return shell(script);
}

Started Chaos::shell(const std::string& script) {
    const fs::path output = folder() / "stdout", error = folder() / "stderr";
    // Not by a file that the last one wrote.
    for (const fs::path& file : {output, error}) (void)write_file(file, "").ok();
    const std::string settings = fmt::format(
        "exec >'{}' 2>'{}'; export XDG_RUNTIME_DIR='{}' ZCRXLAB_CACHE='{}' PATH='{}':\"$PATH\"; "
        "cd '{}'; ",
        output.string(), error.string(), (folder() / "run").string(), cache_.string(),
        chaos_order().programs.string(), folder().string());
    auto process = ChildProcess::start({.arguments = {"bash", "-c", settings + script}});
    if (!process) {
        ADD_FAILURE() << process.error().sentence;
        std::abort();
    }
    return {std::move(*process), output, error};
}

void Chaos::is(const std::string& command, const std::string& expected) {
    command_ = command;
    expected_ = expected;
}

void Chaos::saw(const Ended& ended) {
    saw(fmt::format("exit code {} after {:.1f} s", ended.code, ended.seconds));
}

fs::path Chaos::own_cache() {
    if (cache_ != chaos_order().cache) return cache_;
    cache_ = folder() / "cache";
    fs::create_directories(cache_);
    // Saved guests are of the other one, by their paths.
    for (const char* part : {"kernels", "qemu", "lists"}) {
        const auto copied = run_program(
            {"cp", "-a", "--reflink=auto", (chaos_order().cache / part).string(), cache_.string()});
        EXPECT_TRUE(copied && copied->exit_code == 0) << part;
    }
    return cache_;
}

std::optional<fs::path> Chaos::small_disk(uint64_t bytes) {
    fs::path place = folder() / ("disk" + std::to_string(mounts_.size()));
    fs::create_directories(place);
    const std::string options = "mode=0755,size=" + std::to_string(bytes);
    if (::mount("chaos", place.c_str(), "tmpfs", 0, options.c_str()) != 0) return std::nullopt;
    mounts_.push_back(place);
    return place;
}

std::optional<RunSummary> Chaos::results() const {
    const auto text = read_file(out() / "results.json");
    if (!text) return std::nullopt;
    auto run = summary_from_json(*text);
    if (!run) return std::nullopt;
    return std::move(*run);
}

std::string Chaos::left() const {
    std::string all;
    // What was killed may take a moment to be gone.
    becomes(
        [&] {
            all.clear();
            for (const int pid : processes())
                if (pid != ::getpid() &&
                    command_line_of(pid).find(folder().string()) != std::string::npos)
                    all += "process " + std::to_string(pid) + "\n";
            return all.empty();
        },
        std::chrono::seconds(2));
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(folder() / "run", code))
        all += entry.path().string() + "\n";
    return all;
}

}  // namespace zcrxlab
