// One VM leaves it in the folder of the run, several in a folder each.
#include "cli/coverage/run_folders.hpp"

#include <string>

#include "cli/vm_options.hpp"

namespace zcrxlab {

std::vector<std::filesystem::path> places_of_vms(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> places{folder};
    for (unsigned number = 1; number <= kMostVms; ++number)
        places.push_back(folder / ("vm" + std::to_string(number)));
    return places;
}

}  // namespace zcrxlab
