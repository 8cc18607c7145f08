// Reads the factor each time: the scenario program sets it for itself and its children.
#include "harness/base/slowness.hpp"

#include <cstdlib>

#include "harness/base/environment.hpp"

namespace zcrxlab {

double slowness() {
    const char* text = std::getenv(environment::kSlowness);
    const double factor = text != nullptr ? std::strtod(text, nullptr) : 1;
    return factor > 0 ? factor : 1;
}

std::chrono::milliseconds scaled(std::chrono::milliseconds bound) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::duration<double, std::milli>(bound) * slowness());
}

}  // namespace zcrxlab
