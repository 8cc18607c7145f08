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
    : attributes_(scene, kFolder), function_(std::move(function)) {
    attributes_.prepare();
    attributes_.set("inject", function_);
    // A scenario that gives up comes to no destructor.
    scene.undo_later("let " + function_ + " succeed", [name = function_] {
        let_succeed(name);
        return Result<void>();
    });
}

FailFunction::~FailFunction() {
    let_succeed(function_);
}

}  // namespace zcrxlab
