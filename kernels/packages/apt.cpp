// The private apt: configuration, lists, resolving, downloading with progress.
#include "kernels/packages/apt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <set>
#include <sstream>

#include "harness/base/program.hpp"
#include "kernels/packages/cache.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Read after the machine's own configuration, so that a proxy set there stays in force.
// #clear: hooks of the machine's apt are about the machine's own packages. What a machine takes
// from archives without a signature is its own affair; we take nothing of that kind, whatever it
// allows.
constexpr const char* kConfiguration = R"(#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Pre-Install-Pkgs;
#clear DPkg::Post-Invoke;
#clear APT::Architectures;
#clear APT::Default-Release;
APT::Architecture "amd64";
APT::Architectures {{ "amd64"; }};
APT::Sandbox::User "root";
APT::Update::Error-Mode "any";
APT::Install-Recommends "false";
APT::Install-Suggests "false";
Acquire::AllowInsecureRepositories "false";
Acquire::AllowWeakRepositories "false";
Acquire::AllowDowngradeToInsecureRepositories "false";
APT::Get::AllowUnauthenticated "false";
APT::Authentication::TrustCDROM "false";
Acquire::Languages "none";
Acquire::PDiffs "false";
Acquire::Retries "3";
Acquire::GzipIndexes "true";
Debug::NoLocking "true";
Dir::State "{0}/";
Dir::State::lists "{0}/lists/";
Dir::State::status "{0}/status";
Dir::State::extended_states "{0}/extended_states";
Dir::Cache "{0}/";
Dir::Cache::archives "{0}/archives/";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
Dir::Log "{0}/";
Dir::Etc::sourcelist "{0}/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
)";

constexpr auto kProgressInterval = std::chrono::milliseconds(1000);
constexpr size_t kComplaintLines = 4;
// Fetches a single file; it is on nobody's PATH.
constexpr const char* kAptHelper = "apt-helper";
constexpr const char* kAptHelperPath = "/usr/lib/apt/apt-helper";
// What lists of packages take at most, with those that they replace.
constexpr uint64_t kListBytes = 60'000'000;
// apt tells of every half second in which something has come. A mirror that is so long without a
// byte, or a disk without room, is not waited for.
constexpr auto kLongestStall = std::chrono::seconds(90);

template <typename F>
void for_each_line(const std::string& text, F&& use) {
    size_t start = 0;
    while (start < text.size()) {
        const size_t end = std::min(text.find('\n', start), text.size());
        use(text.substr(start, end - start));
        start = end + 1;
    }
}

// What apt said, without what it told of its progress.
std::string without_status(const std::string& output) {
    std::string text;
    for_each_line(output, [&text](const std::string& line) {
        if (parse_download_status(line) < 0) text += line + "\n";
    });
    return text;
}

Error apt_failed(const std::string& doing, const ProgramRun& run) {
    std::string said = apt_complaints(run.output);
    if (said.empty()) said = last_lines(without_status(run.output), kComplaintLines);
    if (run.timed_out)
        said = fmt::format("nothing came for {} s", std::chrono::seconds(kLongestStall).count());
    while (said.ends_with('.')) said.pop_back();
    return Error{EIO, fmt::format("{} failed: {}. If the mirror is to blame, take another one: "
                                  "export ZCRXLAB_MIRROR=http://MIRROR/debian",
                                  doing, said)};
}

// 'URI' NAME SIZE ALGORITHM:DIGEST
std::optional<PackageFile> parse_uri_line(const std::string& line) {
    const size_t quote = line.find('\'', 1);
    if (quote == std::string::npos) return std::nullopt;
    std::istringstream fields(line.substr(quote + 1));
    PackageFile file;
    std::string digest;
    fields >> file.name >> file.size >> digest;
    const size_t colon = digest.find(':');
    if (!fields || colon == std::string::npos || colon == 0) return std::nullopt;
    file.algorithm = digest.substr(0, colon);
    file.digest = digest.substr(colon + 1);
    // The name becomes a path below our folder; it must stay there.
    if (!file.name.ends_with(".deb") || file.name.find('/') != std::string::npos)
        return std::nullopt;
    return file;
}

// A fetch tells of its progress, and ends with a signal, or if nothing comes any more.
ProgramOptions fetching_options(const fs::path& folder) {
    ProgramOptions options;
    options.folder = folder;
    options.silence = kLongestStall;
    options.stoppable = true;
    return options;
}

// Percentages as lines for people, not more than one a second. `total`: in bytes; 0: unknown.
class DownloadProgress {
  public:
    DownloadProgress(std::string title, uint64_t total, const Progress& progress)
        : title_(std::move(title)), total_(total), progress_(progress) {}

    bool hear(const std::string& line) {
        const double percent = parse_download_status(line);
        if (percent < 0 || !progress_) return true;
        const auto now = Clock::now();
        const bool news = percent >= last_percent_ + 1 && (now - last_time_ >= kProgressInterval);
        if (!news) return true;
        last_percent_ = percent;
        last_time_ = now;
        const auto bytes = static_cast<uint64_t>(static_cast<double>(total_) * percent / 100);
        const std::string sizes =
            total_ == 0 ? "" : fmt::format(", {} of {}", megabytes(bytes), megabytes(total_));
        progress_(fmt::format("fetching {}: {:.0f} %{}", title_, percent, sizes));
        return true;
    }

  private:
    std::string title_;
    uint64_t total_;
    const Progress& progress_;
    double last_percent_ = 0;
    Clock::time_point last_time_ = Clock::now();
};

}  // namespace

Result<PrivateApt> PrivateApt::open(const fs::path& folder, const Archive& archive,
                                    const std::vector<std::string>& suites, PackageKind kind) {
    std::error_code code;
    for (const char* part : {"lists/partial", "archives/partial", "downloads"}) {
        fs::create_directories(folder / part, code);
        if (code) return error_from_errno("create " + (folder / part).string(), code.value());
    }
    std::string sources;
    for (const std::string& suite : suites)
        sources += fmt::format(
            "{} [signed-by={} {}] {} {} main\n", kind == PackageKind::kSource ? "deb-src" : "deb",
            archive.keyring.string(),
            kind == PackageKind::kSource ? "target=Sources" : "target=Packages arch=amd64",
            archive.mirror, suite);
    const std::vector<std::pair<const char*, std::string>> files = {
        {"status", ""},
        {"sources.list", sources},
        {"apt.conf", fmt::format(kConfiguration, folder.string())}};
    for (const auto& [name, text] : files)
        if (const auto written = write_whole(folder / name, text); !written) return written.error();
    return PrivateApt(folder, archive.mirror);
}

fs::path PrivateApt::downloads() const {
    return folder_ / "downloads";
}

std::vector<std::string> PrivateApt::command(const std::string& program) const {
    return {program, "-c", (folder_ / "apt.conf").string()};
}

std::vector<std::string> PrivateApt::fetch_command(const PackageRequest& request) const {
    auto result = command("apt-get");
    result.insert(result.end(), {"-y", "-qq"});
    if (!request.dependencies) {
        result.emplace_back("download");
    } else {
        if (!request.preferred_suite.empty())
            result.insert(result.end(), {"-t", request.preferred_suite});
        result.insert(result.end(), {"install", "--download-only"});
        result.insert(result.end(), {"-o", "Dir::Cache::archives=" + downloads().string() + "/"});
    }
    return result;
}

Result<void> PrivateApt::refresh(const Progress& progress) {
    // apt does not end on a disk without room.
    if (auto space = Cache(folder_).require(kListBytes, "the package lists"); !space) return space;
    if (progress) progress("refreshing the package lists");
    auto update = command("apt-get");
    update.insert(update.end(), {"-qq", "-o", "APT::Status-Fd=1", "update"});
    DownloadProgress shown("the package lists", 0, progress);
    ProgramOptions options = fetching_options(folder_);
    options.on_line = [&shown](const std::string& line) { return shown.hear(line); };
    const auto run = run_program(update, options);
    if (!run) return run.error();
    if (run->exit_code != 0) return apt_failed("Refreshing the package lists", *run);
    return {};
}

Result<std::string> PrivateApt::records() {
    auto dump = command("apt-cache");
    dump.emplace_back("dumpavail");
    auto run = run_program(dump, fetching_options(folder_));
    if (!run) return run.error();
    if (run->exit_code != 0) return apt_failed("Reading the package lists", *run);
    return std::move(run->output);
}

Result<std::vector<PackageFile>> PrivateApt::resolve(const PackageRequest& request) {
    auto print = fetch_command(request);
    print.emplace_back("--print-uris");
    // An empty archive folder: apt leaves out what it believes to have, and believes a file by its
    // size alone.
    const fs::path empty = folder_ / "empty";
    std::error_code code;
    fs::create_directories(empty / "partial", code);
    print.insert(print.end(), {"-o", "Dir::Cache::archives=" + empty.string() + "/"});
    // Else apt prints MD5 sums here, although it checks better ones itself.
    print.insert(print.end(), {"-o", "Acquire::ForceHash=SHA256"});
    print.insert(print.end(), request.packages.begin(), request.packages.end());
    const auto run = run_program(print, fetching_options(empty));
    if (!run) return run.error();
    auto files = parse_print_uris(run->output);
    if (!files) return files.error();
    if (run->exit_code != 0 || files->empty()) {
        Error error = apt_failed("Resolving " + request.packages.front(), *run);
        error.code = ENOENT;
        return error;
    }
    return files;
}

Result<void> PrivateApt::fetch(const PackageRequest& request, uint64_t total_size,
                               const std::string& title, const Progress& progress) {
    auto fetching = fetch_command(request);
    fetching.insert(fetching.end(), {"-o", "APT::Status-Fd=1"});
    fetching.insert(fetching.end(), request.packages.begin(), request.packages.end());
    DownloadProgress shown(title, total_size, progress);
    ProgramOptions options = fetching_options(downloads());
    options.on_line = [&shown](const std::string& line) { return shown.hear(line); };
    if (request.dependencies) {
        std::error_code code;
        fs::create_directories(downloads() / "partial", code);
    }
    const auto run = run_program(fetching, options);
    if (!run) return run.error();
    if (run->exit_code != 0) return apt_failed("Fetching " + title, *run);
    return {};
}

Result<std::vector<fs::path>> PrivateApt::download(const PackageRequest& request,
                                                   const std::vector<PackageFile>& files,
                                                   const std::string& title,
                                                   const Progress& progress) {
    const auto remove_broken = [&]() -> Result<uint64_t> {
        uint64_t missing = 0;
        for (const PackageFile& file : files) {
            const auto intact = is_intact(downloads() / file.name, file);
            if (!intact) return intact.error();
            if (*intact) continue;
            missing += file.size;
            std::error_code code;
            fs::remove(downloads() / file.name, code);
        }
        return missing;
    };
    std::error_code code;
    fs::create_directories(downloads(), code);
    auto missing = remove_broken();
    if (!missing) return missing.error();
    Result<void> fetched;
    for (int attempt = 0; attempt < 2 && *missing > 0; ++attempt) {
        if (progress)
            progress(
                fmt::format("fetching {}: {} files, {}", title, files.size(), megabytes(*missing)));
        fetched = fetch(request, *missing, title, progress);
        missing = remove_broken();
        if (!missing) return missing.error();
    }
    if (*missing > 0) {
        if (!fetched) return fetched.error();
        return Error{EIO, fmt::format("What the mirror gives for {} is not what was signed; it is "
                                      "not used. Try another mirror: "
                                      "export ZCRXLAB_MIRROR=http://MIRROR/debian",
                                      title)};
    }
    std::vector<fs::path> paths;
    paths.reserve(files.size());
    for (const PackageFile& file : files) paths.push_back(downloads() / file.name);
    return paths;
}

Result<fs::path> PrivateApt::download_unlisted(const std::string& path, const std::string& title,
                                               const Progress& progress) {
    const fs::path file = downloads() / fs::path(path).filename();
    auto fetching = command(program_exists(kAptHelper) ? kAptHelper : kAptHelperPath);
    fetching.insert(fetching.end(), {"-qq", "-o", "APT::Status-Fd=1", "download-file",
                                     mirror_ + "/" + path, file.string()});
    DownloadProgress shown(title, 0, progress);
    ProgramOptions options = fetching_options(downloads());
    options.on_line = [&shown](const std::string& line) { return shown.hear(line); };
    const auto run = run_program(fetching, options);
    if (!run) return run.error();
    if (run->exit_code == 0) return file;
    Error error = apt_failed("Fetching " + title, *run);
    error.code = ENOENT;
    return error;
}

Result<std::vector<fs::path>> PrivateApt::download_source(const std::string& package,
                                                          const Progress& progress) {
    std::error_code code;
    const fs::path folder = downloads() / package;
    // Anew each time: what is there may be of another version.
    fs::remove_all(folder, code);
    fs::create_directories(folder, code);
    if (code) return error_from_errno("create " + folder.string(), code.value());
    if (progress) progress("fetching the source of " + package);
    auto fetching = command("apt-get");
    fetching.insert(fetching.end(), {"-qq", "-o", "APT::Status-Fd=1", "source", "--download-only",
                                     "--only-source", package});
    const auto run = run_program(fetching, fetching_options(folder));
    if (!run) return run.error();
    if (run->exit_code != 0) {
        Error error = apt_failed("Fetching the source of " + package, *run);
        error.code = ENOENT;
        return error;
    }
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder, code)) files.push_back(entry.path());
    return files;
}

Result<std::vector<PackageFile>> parse_print_uris(const std::string& output) {
    std::vector<PackageFile> files;
    std::string unusable;
    for_each_line(output, [&](const std::string& line) {
        if (!line.starts_with('\'')) return;
        if (auto file = parse_uri_line(line))
            files.push_back(std::move(*file));
        else
            unusable = line;
    });
    if (!unusable.empty())
        return Error{EPROTO, "apt names a package file that cannot be checked: " + unusable};
    return files;
}

double parse_download_status(const std::string& line) {
    if (!line.starts_with("dlstatus:")) return -1;
    const size_t second = line.find(':', std::string("dlstatus:").size());
    if (second == std::string::npos) return -1;
    double percent = -1;
    const auto [end, error] =
        std::from_chars(line.data() + second + 1, line.data() + line.size(), percent);
    return error == std::errc{} && percent >= 0 && percent <= 100 ? percent : -1;
}

std::string apt_complaints(const std::string& output) {
    std::string result;
    std::set<std::string> seen;
    for_each_line(output, [&](const std::string& line) {
        if (!line.starts_with("E: ") && !line.starts_with("W: ")) return;
        if (seen.size() >= kComplaintLines || !seen.insert(line).second) return;
        if (!result.empty()) result += "; ";
        result += line.substr(3);
    });
    return result;
}

Result<bool> is_intact(const fs::path& file, const PackageFile& expected) {
    std::error_code code;
    const uint64_t size = fs::file_size(file, code);
    if (code || size != expected.size) return false;
    std::string program;
    if (expected.algorithm == "SHA256") program = "sha256sum";
    if (expected.algorithm == "SHA512") program = "sha512sum";
    if (program.empty())
        return Error{ENOTSUP, "apt names the digest " + expected.algorithm + " for " +
                                  expected.name + ", which cannot be checked here."};
    const auto run = run_program({program, "--", file.string()});
    if (!run) return run.error();
    return run->exit_code == 0 && run->output.starts_with(expected.digest + " ");
}

std::string megabytes(uint64_t bytes) {
    return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

}  // namespace zcrxlab
