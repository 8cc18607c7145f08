// Finds, places and removes saved guests.
#include "vm/saved/saved_guests.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <utility>
#include <vector>

#include "harness/base/file.hpp"
#include "harness/base/number.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

// Who is in the folder, also before anything is saved; its time is that of the last use.
constexpr const char* kIdentity = "identity";
constexpr const char* kTsc = "tsc-khz";
// The files as they were when they were whole: only with this do they count.
constexpr const char* kStamp = "stamp";
constexpr const char* kRefused = "refused";

void mark_used(const SavedGuest& guest) {
    std::error_code error;
    fs::last_write_time(guest.folder / kIdentity, fs::file_time_type::clock::now(), error);
}

// Of all that QEMU reads; empty if there is no state.
std::string stamp_of_files(const SavedGuest& guest) {
    const std::string state = stamp_of(guest.state());
    if (state.empty()) return "";
    return state + "\n" + stamp_of(guest.kernel()) + "\n" + stamp_of(guest.image());
}

Error cannot_save(const fs::path& folder, int code) {
    return error_from_errno("save a guest in " + folder.string(), code);
}

}  // namespace

std::string stamp_of(const fs::path& file) {
    struct stat facts {};
    if (::stat(file.c_str(), &facts) != 0) return "";
    return file.string() + " " + std::to_string(facts.st_size) + " " +
           std::to_string(facts.st_mtim.tv_sec) + "." + std::to_string(facts.st_mtim.tv_nsec);
}

SavedGuest SavedGuests::guest_of(const GuestIdentity& identity) const {
    char name[17];
    std::snprintf(name, sizeof(name), "%016zx", std::hash<std::string>()(identity.text));
    return {root_ / name};
}

bool SavedGuests::is_of(const SavedGuest& guest, const GuestIdentity& identity) {
    const auto tsc_khz = number_from<uint32_t>(text_of_file(guest.folder / kTsc));
    const uint32_t allowed = identity.tsc_khz / 1000;
    return text_of_file(guest.folder / kIdentity) == identity.text && tsc_khz &&
           std::max(*tsc_khz, identity.tsc_khz) - std::min(*tsc_khz, identity.tsc_khz) <= allowed;
}

Result<void> SavedGuests::write(const SavedGuest& guest, const GuestIdentity& identity) {
    if (auto written = replace_file(guest.folder / kTsc, std::to_string(identity.tsc_khz));
        !written)
        return written;
    return replace_file(guest.folder / kIdentity, identity.text);
}

std::optional<SavedGuest> SavedGuests::find(const GuestIdentity& identity) const {
    const SavedGuest guest = guest_of(identity);
    const std::string stamp = stamp_of_files(guest);
    if (stamp.empty() || text_of_file(guest.folder / kStamp) != stamp || !is_of(guest, identity))
        return std::nullopt;
    mark_used(guest);
    return guest;
}

bool SavedGuests::asked_before(const GuestIdentity& identity) const {
    const SavedGuest guest = guest_of(identity);
    if (is_of(guest, identity)) return true;
    std::error_code error;
    fs::create_directories(guest.folder, error);
    // Where nothing can be written, nobody ever asks a second time.
    (void)write(guest, identity).ok();
    return false;
}

Result<PlaceToSave> SavedGuests::place_for(const GuestIdentity& identity) const {
    const SavedGuest guest = guest_of(identity);
    std::error_code error;
    fs::create_directories(guest.folder, error);
    if (error) return cannot_save(guest.folder, error.value());
    Fd lock(::open(guest.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!lock) return cannot_save(guest.folder, errno);
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return cannot_save(guest.folder, errno);
        return Error{EBUSY, "Another run saves this guest now."};
    }
    for (const char* file : {kStamp, kRefused}) fs::remove(guest.folder / file, error);
    if (auto written = write(guest, identity); !written) return written.error();
    return PlaceToSave{guest, std::move(lock)};
}

Result<void> SavedGuests::finish(const PlaceToSave& place) const {
    const std::string stamp = stamp_of_files(place.guest);
    if (stamp.empty()) return cannot_save(place.guest.folder, ENOENT);
    if (auto written = replace_file(place.guest.folder / kStamp, stamp); !written) return written;
    mark_used(place.guest);
    remove_oldest();
    return {};
}

void SavedGuests::refuse(const PlaceToSave& place) const {
    (void)replace_file(place.guest.folder / kRefused, "").ok();
}

bool SavedGuests::refused(const GuestIdentity& identity) const {
    const SavedGuest guest = guest_of(identity);
    std::error_code error;
    return fs::exists(guest.folder / kRefused, error) && is_of(guest, identity);
}

void SavedGuests::forget(const SavedGuest& guest) {
    std::error_code error;
    for (const fs::path& file : {guest.folder / kStamp, guest.state()}) fs::remove(file, error);
}

// Those that were only asked for are many, and must not push out one that others go on from.
void SavedGuests::remove_oldest() const {
    std::vector<Used> saved, asked;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root_, error)) {
        std::error_code none;
        const auto used = fs::last_write_time(entry.path() / kIdentity, none);
        if (none) continue;
        const SavedGuest guest{entry.path()};
        const bool is_large = fs::exists(guest.state(), none) || fs::exists(guest.kernel(), none) ||
                              fs::exists(guest.image(), none);
        (is_large ? saved : asked).emplace_back(used, guest.folder);
    }
    remove_all_but(kKept, saved);
    remove_all_but(kRemembered, asked);
}

// A machine that has opened its state keeps it; one that has not boots.
void SavedGuests::remove_all_but(size_t kept, std::vector<Used>& guests) {
    std::error_code error;
    std::ranges::sort(guests, std::greater<>());
    for (size_t i = kept; i < guests.size(); ++i) {
        const Fd folder(
            ::open(guests[i].second.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (folder && ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0)
            fs::remove_all(guests[i].second, error);
    }
}

}  // namespace zcrxlab
