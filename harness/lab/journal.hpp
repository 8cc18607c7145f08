// The journal: what ports were like before a run changed them, on a disk before the first change,
// so that whatever ends the run, it can be put back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "harness/lab/pci_function.hpp"
#include "harness/lab/settings.hpp"

namespace zcrxlab {

struct JournalPort {
    std::string interface;
    std::string address;  // of Ethernet: names change, this does not
    std::string pci;      // empty for what lies on no PCI bus
    std::string driver;
    NicSettings settings;
    std::vector<std::string> snapshot;  // Nic::snapshot(), for the comparison afterwards (I8)
};

struct Journal {
    std::string boot;     // of the kernel that ran (/proc/sys/kernel/random/boot_id)
    std::string started;  // for people
    // Given to another driver, before anything about their ports; of each is kept which one it was,
    // its address, override and power management. Empty in lab mode.
    std::vector<PciFunction> functions;
    // The port under test first. A function without a driver has no port.
    std::vector<JournalPort> ports;
    // Made for the peer, and its port is inside or on its way there; empty if there is none, else
    // as peer_namespace_of() has it.
    std::string peer_namespace;

    // "ens1f0np0", or where there is no port, "0000:3b:00.0"; what the run was about.
    std::string about() const;
    // Whether `name`, an interface or a PCI address, is one of its ports or functions.
    bool names(const std::string& name) const;
};

// The path of the namespace that a run on `nic` makes for its peer.
std::string peer_namespace_of(const std::string& nic);

std::string to_json(const Journal& journal);
// EINVAL says what is wrong with the text.
Result<Journal> journal_from_json(std::string_view text);

// A journal's file. One process at a time holds it.
class JournalFile {
  public:
    // Where journals lie: it survives a restart of the machine. ZCRXLAB_LAB_STATE if that is set.
    static std::filesystem::path usual_folder();
    // The name of the port's file in the folder: by its place, since interfaces can be renamed.
    static std::string name_for(const std::string& pci, const std::string& interface);
    // Whether the file at `path` is that of `name`, an interface or a PCI address, by its own name:
    // a run that holds it may have written nothing yet.
    static bool is_file_of(const std::filesystem::path& path, const std::string& name);
    // Those in the folder, also the ones that nobody holds and that are empty.
    static std::vector<std::filesystem::path> all_in(const std::filesystem::path& folder);

    // What is written in a file, whoever holds it. EPERM if somebody else could have written it.
    static Result<Journal> peek(const std::filesystem::path& file);
    // Holds the file, which is made if need be. EBUSY if a run holds it, EPERM as for peek().
    static Result<JournalFile> hold(const std::filesystem::path& file);

    const std::filesystem::path& path() const { return path_; }
    // Whether a run has written something that was not removed: it did not restore.
    bool left_behind() const;
    Result<Journal> read() const;
    // On the disk when this returns.
    Result<void> write(const Journal& journal);
    // All is as it was before. The empty file stays: its lock is what others look at.
    Result<void> clear();

  private:
    JournalFile(std::filesystem::path path, Fd fd) : path_(std::move(path)), fd_(std::move(fd)) {}

    std::filesystem::path path_;
    Fd fd_;
};

}  // namespace zcrxlab
