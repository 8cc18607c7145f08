// Writes to the files of a kind of failure.
#include "scenarios/framework/surroundings/fault_attributes.hpp"

#include <fstream>

namespace zcrxlab {

void FaultAttributes::prepare() {
    stop();
    set("interval", "1");
    set("verbose", "0");  // a backtrace of each would be taken for a complaint of the kernel's
    set("task-filter", "N");
}

void FaultAttributes::fail(uint32_t percent, uint32_t times) {
    set("times", times == 0 ? "-1" : std::to_string(times));
    set("probability", std::to_string(percent));
}

uint32_t FaultAttributes::left() const {
    int32_t times = 0;
    std::ifstream(folder_ + "times") >> times;
    return times > 0 ? static_cast<uint32_t>(times) : 0;
}

void FaultAttributes::set(const std::string& knob, const std::string& value) {
    std::ofstream file(folder_ + knob);
    file << value << std::flush;
    if (!file)
        scene_.give_up("The kernel does not take \"" + value + "\" in " + folder_ + knob + ".");
}

}  // namespace zcrxlab
