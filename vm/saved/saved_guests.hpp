// SavedGuests: guests that have booted once and wait, each in a folder of the cache, from which any
// number of virtual machines go on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

// The files of one.
struct SavedGuest {
    std::filesystem::path folder;
    std::filesystem::path state() const { return folder / "state"; }
    // What QEMU booted, which it wants to see again: an unpacked kernel, and an image.
    std::filesystem::path kernel() const { return folder / "vmlinux"; }
    std::filesystem::path image() const { return folder / "image.cpio"; }
    std::filesystem::path console() const { return folder / "console.log"; }
};

// A folder in which nobody else saves while this lives.
struct PlaceToSave {
    SavedGuest guest;
    Fd lock;
};

// What decides what a guest has become by the time it waits.
struct GuestIdentity {
    std::string text;  // any, compared whole
    // Of the time stamp counter that it booted with; measured, so that a thousandth is no
    // difference.
    uint32_t tsc_khz = 0;
};

class SavedGuests {
  public:
    // A guest takes about 170 MB. Those that were used last stay.
    static constexpr size_t kKept = 8;
    // Of what was asked for only once, and takes no more than its name.
    static constexpr size_t kRemembered = 64;

    explicit SavedGuests(std::filesystem::path root) : root_(std::move(root)) {}

    // Nothing if there is none, or its file is not as it was when it was written.
    std::optional<SavedGuest> find(const GuestIdentity& identity) const;

    // Whether somebody has asked for it before; remembers that somebody has.
    bool asked_before(const GuestIdentity& identity) const;

    // An empty folder to save it in. EBUSY: another process saves it now; or the errno of the file
    // system.
    Result<PlaceToSave> place_for(const GuestIdentity& identity) const;
    // What was saved is there for all; the oldest of too many goes.
    Result<void> finish(const PlaceToSave& place) const;

    // It cannot be saved: nobody tries that again.
    void refuse(const PlaceToSave& place) const;
    bool refused(const GuestIdentity& identity) const;

    // Throws it away: whoever needs it saves it again.
    static void forget(const SavedGuest& guest);

  private:
    SavedGuest guest_of(const GuestIdentity& identity) const;
    static bool is_of(const SavedGuest& guest, const GuestIdentity& identity);
    static Result<void> write(const SavedGuest& guest, const GuestIdentity& identity);
    void remove_oldest() const;
    using Used = std::pair<std::filesystem::file_time_type, std::filesystem::path>;
    static void remove_all_but(size_t kept, std::vector<Used>& guests);

    std::filesystem::path root_;
};

// A file as it is: its path, size and time. Empty if there is none.
std::string stamp_of(const std::filesystem::path& file);

}  // namespace zcrxlab
