// Writes to the files of fault injection in debugfs.
#include "scenarios/framework/surroundings/fail_function.hpp"

#include <fstream>
#include <utility>

namespace zcrxlab {

namespace {

const std::string kFolder = "/sys/kernel/debug/fail_function/";

// Does nothing if it does not fail any more.
void let_succeed(const std::string& function) {
    std::ofstream(kFolder + "probability") << "0";
    std::ofstream(kFolder + "inject") << "!" << function;
}

}  // namespace

bool can_fail(const std::string& function) {
    if (!std::ifstream(kFolder + "inject")) return false;
    std::ifstream list("/sys/kernel/debug/error_injection/list");  // "NAME [module]\tKIND" each
    for (std::string line; std::getline(list, line);)
        if (line.compare(0, function.size(), function) == 0 &&
            line.find_first_of(" \t") == function.size())
            return true;
    return false;
}

FailFunction::FailFunction(Scene& scene, std::string function)
    : scene_(scene), function_(std::move(function)) {
    set("probability", "0");
    set("inject", function_);
    // A scenario that gives up comes to no destructor.
    scene.undo_later("let " + function_ + " succeed", [name = function_] {
        let_succeed(name);
        return Result<void>();
    });
    set("interval", "1");
    set("verbose", "0");  // a backtrace of each would be taken for a complaint of the kernel's
    set("task-filter", "N");
}

FailFunction::~FailFunction() {
    let_succeed(function_);
}

void FailFunction::fail(uint32_t percent, uint32_t times) {
    set("times", times == 0 ? "-1" : std::to_string(times));
    set("probability", std::to_string(percent));
}

void FailFunction::stop() {
    set("probability", "0");
}

uint32_t FailFunction::left() const {
    int32_t times = 0;
    std::ifstream(kFolder + "times") >> times;
    return times > 0 ? static_cast<uint32_t>(times) : 0;
}

void FailFunction::set(const char* knob, const std::string& value) const {
    std::ofstream file(kFolder + knob);
    file << value << std::flush;
    if (!file)
        scene_.give_up("The kernel does not take \"" + value + "\" in " + kFolder + knob + ".");
}

}  // namespace zcrxlab
