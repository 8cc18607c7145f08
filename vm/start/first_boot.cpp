// Finds or makes saved guests, and commands that go on from them.
#include "vm/start/first_boot.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>
#include <vector>

#include "harness/base/file.hpp"
#include "harness/base/stop_signals.hpp"
#include "kernels/packages/cache.hpp"
#include "vm/guest/cpio.hpp"
#include "vm/guest/moment.hpp"
#include "vm/image/unpacked_kernel.hpp"
#include "vm/saved/saved_guests.hpp"
#include "vm/saved/saving.hpp"
#include "vm/watch/watch.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFolder = "saved";
// An ivshmem device has no less.
constexpr uint64_t kSmallestMemory = 1 << 20;
// For one guest, with as much to spare.
constexpr uint64_t kNeededBytes = uint64_t{400} << 20;

// The machine as it is saved: without its devices, with another image.
VmSettings waiting_settings(const PreparedVm& vm, const fs::path& kernel, const fs::path& image) {
    VmSettings settings = vm.settings;
    settings.pairs.clear();
    settings.folders.clear();
    settings.records.clear();
    settings.control_socket.clear();
    settings.kernel = kernel;
    settings.image = image;
    return settings;
}

GuestIdentity identity_of(const PreparedVm& vm) {
    std::string text = stamp_of(vm.kernel.image) + "\n";
    VmSettings settings = waiting_settings(vm, "kernel", "image");
    settings.tsc_khz = 0;
    for (const std::string& word : qemu_command(settings)) {
        text += word + "\n";
        if (word.starts_with('/')) text += stamp_of(word) + "\n";
    }
    text += std::to_string(vm.waiting_image.size()) + " " +
            std::to_string(std::hash<std::string>()(vm.waiting_image)) + "\n";
    return {std::move(text), vm.settings.tsc_khz};
}

// What QEMU boots of a saved guest: a kernel that has to unpack itself takes longer.
fs::path kernel_of(const SavedGuest& guest, const PreparedVm& vm) {
    std::error_code error;
    return fs::exists(guest.kernel(), error) ? guest.kernel() : vm.kernel.image;
}

// The image that such a guest finds: that of the machine, and what of now it has to know.
Result<SavedStart> late_image(const PreparedVm& vm, const SavedGuest& guest) {
    Result<std::string> image = read_file(vm.settings.image);
    if (!image) return image.error();
    const Result<Moment> moment = moment_now();
    if (!moment) return moment.error();
    CpioWriter now;
    now.add_file(kMomentPath, to_text(*moment), 0600);
    image->append(now.finish());
    SavedStart start{guest.state(), vm.folder.path() / "image",
                     std::bit_ceil(std::max<uint64_t>(image->size(), kSmallestMemory))};
    if (auto written = write_file(start.image, *image); !written) return written.error();
    std::error_code error;
    fs::resize_file(start.image, start.image_bytes, error);
    if (error) return error_from_errno("enlarge " + start.image.string(), error.value());
    return start;
}

void boot(PreparedVm& vm) {
    vm.settings.kernel = vm.kernel.image;
    const fs::path unpacked = vm.folder.path() / "vmlinux";
    if (vm.settings.accelerator == Accelerator::kTcg && unpack_kernel(vm.kernel.image, unpacked))
        vm.settings.kernel = unpacked;
    vm.machine.qemu = qemu_command(vm.settings);
}

Result<void> go_on(PreparedVm& vm, const SavedGuest& guest) {
    vm.settings.kernel = vm.kernel.image;
    vm.machine.qemu_that_boots = qemu_command(vm.settings);
    vm.settings.kernel = kernel_of(guest, vm);
    Result<SavedStart> start = late_image(vm, guest);
    if (!start) return start.error();
    vm.settings.saved = std::move(*start);
    vm.machine.qemu = qemu_command(vm.settings);
    vm.machine.forget_saved = [guest] { SavedGuests::forget(guest); };
    return {};
}

// A machine whose guest is to be saved, for all of the same identity.
struct Missing {
    GuestIdentity identity;
    const PreparedVm* vm;
};

// Boots and saves them. A signal ends that with EINTR; all else is said.
Result<void> save(const SavedGuests& saved, const std::vector<Missing>& missing,
                  const Progress& progress) {
    const StopSignals signals;
    std::vector<PlaceToSave> places;
    std::vector<SavingOrder> orders;
    for (const auto& [identity, vm] : missing) {
        Result<PlaceToSave> place = saved.place_for(identity);
        if (!place) {
            if (place.error().code != EBUSY) progress(place.error().sentence);
            continue;
        }
        const SavedGuest& guest = place->guest;
        (void)unpack_kernel(vm->kernel.image, guest.kernel()).ok();
        if (auto written = write_file(guest.image(), vm->waiting_image); !written) {
            progress(written.error().sentence);
            continue;
        }
        orders.push_back({qemu_command(waiting_settings(*vm, kernel_of(guest, *vm), guest.image())),
                          guest.state(), guest.console()});
        places.push_back(std::move(*place));
    }
    if (orders.empty()) return {};
    progress("booting kernel " + missing.front().vm->kernel.release +
             " once; from now on, runs start where it has booted");
    const std::vector<Result<void>> results = save_guests(orders, WatchBounds().boot, signals);
    for (size_t i = 0; i < results.size(); ++i) {
        if (!results[i] && results[i].error().code == EINTR) return results[i];
        const Result<void> finished = results[i] ? saved.finish(places[i]) : results[i];
        if (finished) continue;
        saved.refuse(places[i]);
        progress("The guest could not be saved, so that every run boots it: " +
                 finished.error().sentence);
    }
    if (signals.take()) return Error{EINTR, "Interrupted."};
    return {};
}

}  // namespace

Result<void> choose_start(std::span<PreparedVm> vms, SaveWhen when, const Progress& progress) {
    const Result<Cache> cache = Cache::from_environment();
    const auto space = cache ? cache->free_bytes() : Result<uint64_t>(cache.error());
    if (!space || vms.empty() || vms.front().waiting_image.empty()) {
        for (PreparedVm& vm : vms) boot(vm);
        return {};
    }
    const SavedGuests saved(cache->root() / kFolder);
    std::vector<Missing> missing;
    std::vector<GuestIdentity> identities;
    for (const PreparedVm& vm : vms) {
        identities.push_back(identity_of(vm));
        const GuestIdentity& identity = identities.back();
        const bool is_missed = std::ranges::any_of(
            missing, [&](const Missing& other) { return other.identity.text == identity.text; });
        if (is_missed || saved.find(identity) || saved.refused(identity)) continue;
        if ((when == SaveWhen::kAtOnce || saved.asked_before(identity)) && *space > kNeededBytes)
            missing.push_back({identity, &vm});
    }
    if (auto done = save(saved, missing, progress); !done) return done;
    for (size_t i = 0; i < vms.size(); ++i) {
        const auto guest = saved.find(identities[i]);
        if (!guest) {
            boot(vms[i]);
        } else if (auto ready = go_on(vms[i], *guest); !ready) {
            return ready;
        }
    }
    return {};
}

}  // namespace zcrxlab
