// The journal's text, and the order of write, fsync and truncate that makes it hold.
#include "harness/lab/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "harness/base/environment.hpp"
#include "harness/base/json.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int kVersion = 1;
constexpr off_t kLargest = 64 << 20;
constexpr std::string_view kPeerNamespaces = "/run/netns/zcrxlab-";
// "0000:3b:00.0"
constexpr size_t kPciAddressLength = 12;
constexpr size_t kLongestInterface = 15;

Result<JournalPort> port_from(const Json& json) {
    const Json* described = member(json, "settings");
    if (described == nullptr || !described->is_object())
        return Error{EINVAL, "a port of it has no settings"};
    JournalPort port;
    port.interface = get_text(json, "interface");
    port.address = get_text(json, "address");
    port.pci = get_text(json, "pci");
    port.driver = get_text(json, "driver");
    if (port.interface.empty()) return Error{EINVAL, "a port of it has no name"};
    auto settings = settings_from_json(json_text(*described));
    if (!settings) return settings.error();
    port.settings = std::move(*settings);
    port.snapshot = get_all<std::string>(json, "snapshot");
    return port;
}

Result<PciFunction> function_from(const Json& json) {
    if (!json.is_object()) return Error{EINVAL, "a function of it is no object"};
    PciFunction function;
    function.address = get_text(json, "address");
    function.driver = get_text(json, "driver");
    function.driver_override = get_text(json, "driver_override");
    function.power_control = get_text(json, "power_control");
    // It becomes part of a path.
    if (!is_pci_address(function.address))
        return Error{EINVAL, "a function of it has no PCI address"};
    return function;
}

// Whoever restores is root, who unmounts it and removes its file.
bool is_peer_namespace(std::string_view path) {
    if (!path.starts_with(kPeerNamespaces)) return false;
    path.remove_prefix(kPeerNamespaces.size());
    return !path.empty() && path.size() <= kLongestInterface &&
           path.find_first_of(std::string_view("/\0", 2)) == path.npos;
}

// A journal tells root what to do, so nobody else may have written it.
Result<void> check_owner(int fd, const fs::path& path) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) return error_from_errno("look at " + path.string());
    const bool ours = status.st_uid == ::geteuid() || status.st_uid == 0;
    if (S_ISREG(status.st_mode) && ours && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0) return {};
    return Error{EPERM, path.string() +
                            " is a journal that somebody else can write, so it is not believed. To "
                            "see whose it is, type: ls -l " +
                            path.string()};
}

Result<void> write_all(int fd, std::string_view text, off_t at, const fs::path& path) {
    while (!text.empty()) {
        const ssize_t written = ::pwrite(fd, text.data(), text.size(), at);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return error_from_errno("write " + path.string());
        text.remove_prefix(static_cast<size_t>(written));
        at += written;
    }
    return {};
}

// The name of a new file is on the disk, too.
Result<void> sync_folder(const fs::path& folder) {
    const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd || ::fsync(fd.get()) != 0) return error_from_errno("sync " + folder.string());
    return {};
}

}  // namespace

std::string peer_namespace_of(const std::string& nic) {
    return std::string(kPeerNamespaces) + nic;
}

std::string to_json(const Journal& journal) {
    Json ports = Json::array();
    for (const JournalPort& port : journal.ports)
        ports.push_back({{"interface", port.interface},
                         {"address", port.address},
                         {"pci", port.pci},
                         {"driver", port.driver},
                         {"settings", Json::parse(to_json(port.settings), nullptr, false)},
                         {"snapshot", port.snapshot}});
    Json functions = Json::array();
    for (const PciFunction& function : journal.functions)
        functions.push_back({{"address", function.address},
                             {"driver", function.driver},
                             {"driver_override", function.driver_override},
                             {"power_control", function.power_control}});
    const Json json = {{"version", kVersion},        {"boot", journal.boot},
                       {"started", journal.started}, {"functions", std::move(functions)},
                       {"ports", std::move(ports)},  {"peer_namespace", journal.peer_namespace}};
    return json_text(json, 1);
}

Result<Journal> journal_from_json(std::string_view text) {
    const auto wrong = [](const std::string& why) {
        return Error{EINVAL, "This is no journal of a lab run: " + why + "."};
    };
    const Result<Json> parsed = parse_json_object(text);
    if (!parsed) return wrong(parsed.error().sentence);
    const Json& json = *parsed;
    if (get<int>(json, "version") != kVersion) return wrong("its version is another one");
    Journal journal;
    journal.boot = get_text(json, "boot");
    journal.started = get_text(json, "started");
    journal.peer_namespace = get_text(json, "peer_namespace");
    if (!journal.peer_namespace.empty() && !is_peer_namespace(journal.peer_namespace))
        return wrong("its peer's namespace is none of ours");
    if (const auto functions = json.find("functions"); functions != json.end()) {
        if (!functions->is_array()) return wrong("its functions are no list");
        for (const Json& entry : *functions) {
            auto function = function_from(entry);
            if (!function) return wrong(function.error().sentence);
            journal.functions.push_back(std::move(*function));
        }
    }
    const auto ports = json.find("ports");
    if (ports == json.end() || !ports->is_array() || (ports->empty() && journal.functions.empty()))
        return wrong("it names no port");
    for (const Json& entry : *ports) {
        auto port = port_from(entry);
        if (!port) return wrong(port.error().sentence);
        journal.ports.push_back(std::move(*port));
    }
    return journal;
}

std::string Journal::about() const {
    if (!ports.empty()) return ports.front().interface;
    return functions.empty() ? std::string() : functions.front().address;
}

bool Journal::names(const std::string& name) const {
    return std::any_of(ports.begin(), ports.end(),
                       [&](const JournalPort& port) {
                           return port.interface == name || (!name.empty() && port.pci == name);
                       }) ||
           std::any_of(functions.begin(), functions.end(),
                       [&](const PciFunction& function) { return function.address == name; });
}

fs::path JournalFile::usual_folder() {
    const char* folder = std::getenv(environment::kLabState);
    return folder != nullptr && *folder != '\0' ? folder : "/var/lib/zcrxlab/lab";
}

std::string JournalFile::name_for(const std::string& pci, const std::string& interface) {
    return (pci.empty() ? interface : pci + "-" + interface) + ".json";
}

bool JournalFile::is_file_of(const fs::path& path, const std::string& name) {
    const std::string stem = path.stem().string();
    const std::string pci = stem.substr(0, kPciAddressLength);
    if (!is_pci_address(pci) || stem.size() <= kPciAddressLength || stem[kPciAddressLength] != '-')
        return stem == name;
    return pci == name || stem.substr(kPciAddressLength + 1) == name;
}

std::vector<fs::path> JournalFile::all_in(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

Result<Journal> JournalFile::peek(const fs::path& file) {
    Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!fd) return error_from_errno("open " + file.string());
    if (auto ours = check_owner(fd.get(), file); !ours) return ours.error();
    return JournalFile(file, std::move(fd)).read();
}

Result<JournalFile> JournalFile::hold(const fs::path& file) {
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    Fd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd) {
        Error failed = error_from_errno("open " + file.string());
        if (failed.code == EACCES)
            failed.sentence += "; lab mode needs root, so type: sudo zcrxlab";
        return failed;
    }
    if (auto ours = check_owner(fd.get(), file); !ours) return ours.error();
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return error_from_errno("lock " + file.string());
        return Error{
            EBUSY, "Another run has this port (it holds " + file.string() + "); wait for its end."};
    }
    if (auto synced = sync_folder(file.parent_path()); !synced) return synced.error();
    return JournalFile(file, std::move(fd));
}

bool JournalFile::left_behind() const {
    struct stat status {};
    return ::fstat(fd_.get(), &status) == 0 && status.st_size > 0;
}

Result<Journal> JournalFile::read() const {
    struct stat status {};
    if (::fstat(fd_.get(), &status) != 0) return error_from_errno("read " + path_.string());
    if (status.st_size > kLargest)
        return Error{EINVAL, path_.string() + " is too large for a journal."};
    std::string text(static_cast<size_t>(status.st_size), '\0');
    const ssize_t got = ::pread(fd_.get(), text.data(), text.size(), 0);
    if (got < 0) return error_from_errno("read " + path_.string());
    text.resize(static_cast<size_t>(got));
    auto journal = journal_from_json(text);
    if (!journal)
        return Error{journal.error().code, journal.error().sentence +
                                               " If it was cut off, nothing had been changed yet, "
                                               "and it can be removed: rm " +
                                               path_.string()};
    return journal;
}

Result<void> JournalFile::write(const Journal& journal) {
    if (::ftruncate(fd_.get(), 0) != 0) return error_from_errno("empty " + path_.string());
    if (auto written = write_all(fd_.get(), to_json(journal), 0, path_); !written) return written;
    if (::fsync(fd_.get()) != 0) return error_from_errno("sync " + path_.string());
    return {};
}

Result<void> JournalFile::clear() {
    if (::ftruncate(fd_.get(), 0) != 0 || ::fsync(fd_.get()) != 0)
        return error_from_errno("empty " + path_.string());
    return {};
}

}  // namespace zcrxlab
