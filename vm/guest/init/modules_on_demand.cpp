// Links the folder of modules, and gives the kernel a helper that notes what was not there.
#include "vm/guest/init/modules_on_demand.hpp"

#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "harness/base/file.hpp"
#include "vm/guest/init/system.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

constexpr const char* kHelper = "/run/zcrxlab/modprobe";
constexpr const char* kMissing = "/run/zcrxlab/modules-missing";
constexpr const char* kModprobe = "/usr/sbin/modprobe";

Result<void> write_script(const fs::path& path, const std::string& lines) {
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (auto written = write_file(path, "#!/bin/sh\n" + lines); !written) return written;
    if (::chmod(path.c_str(), 0755) != 0) return error_from_errno("make " + path.string());
    return {};
}

// As /lib/modules/RELEASE, unless the guest's root has it so already.
Result<void> show_folder(const fs::path& folder) {
    utsname kernel{};
    ::uname(&kernel);
    const fs::path place = fs::path("/lib/modules") / kernel.release;
    std::error_code error;
    if (fs::equivalent(place, folder, error)) return {};
    fs::create_directories(place.parent_path(), error);
    fs::remove_all(place, error);
    if (::symlink(folder.c_str(), place.c_str()) != 0)
        return error_from_errno("show " + folder.string() + " as " + place.string());
    return {};
}

}  // namespace

Result<void> offer_modules(const GuestPlan& plan) {
    if (!plan.modules_on_demand) return {};
    std::string load = "false";
    if (!plan.module_folder.empty()) {
        if (auto shown = show_folder(plan.module_folder); !shown) return shown;
        load = plan.modprobe + " \"$@\"";
        if (::access(kModprobe, X_OK) != 0)
            if (auto written = write_script(kModprobe, "exec " + load + "\n"); !written)
                return written;
    }
    // The kernel calls it with "-q -- NAME".
    const std::string lines =
        load + " && exit\nfor name; do :; done\necho \"$name\" >>" + kMissing + "\nexit 1\n";
    if (auto written = write_script(kHelper, lines); !written) return written;
    return write_value("/proc/sys/kernel/modprobe", kHelper);
}

std::vector<std::string> modules_asked_in_vain() {
    constexpr std::string_view kInterface = "netdev-";
    std::vector<std::string> names, interfaces;
    std::istringstream lines(text_of_file(kMissing));
    for (std::string name; std::getline(lines, name);) {
        // An interface that is not there, which any program may ask for: the kernel looks for a
        // module with this prefix, and then for one without (net/core/dev_ioctl.c:dev_load).
        if (name.starts_with(kInterface))
            interfaces.push_back(name.substr(kInterface.size()));
        else if (std::ranges::find(names, name) == names.end())
            names.push_back(name);
    }
    std::erase_if(names, [&](const std::string& name) {
        return std::ranges::find(interfaces, name) != interfaces.end();
    });
    return names;
}

}  // namespace zcrxlab
