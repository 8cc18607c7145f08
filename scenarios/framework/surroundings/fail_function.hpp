// FailFunction: lets a function of the kernel fail, whoever calls it.
//
// Needs a kernel with CONFIG_FAIL_FUNCTION, and a function that is marked with
// ALLOW_ERROR_INJECTION (Documentation/fault-injection/fault-injection.rst, "fail_function").
#pragma once

#include <cstdint>
#include <string>

#include "scenarios/framework/scene.hpp"
#include "scenarios/framework/surroundings/fault_attributes.hpp"

namespace zcrxlab {

// Hands a page pool's buffers to a driver (net/core/page_pool.c); returns none when it fails.
inline constexpr const char* kPagePoolAllocation = "page_pool_alloc_netmems";

// Whether the running kernel can be asked to let it fail.
bool can_fail(const std::string& function);

class FailFunction {
  public:
    // The scenario ends if the kernel cannot be asked. Nothing fails yet.
    FailFunction(Scene& scene, std::string function);
    // Nothing fails any more.
    ~FailFunction();
    FailFunction(const FailFunction&) = delete;
    FailFunction& operator=(const FailFunction&) = delete;

    // As FaultAttributes has them.
    void fail(uint32_t percent, uint32_t times = 0) { attributes_.fail(percent, times); }
    void stop() { attributes_.stop(); }
    uint32_t left() const { return attributes_.left(); }

  private:
    FaultAttributes attributes_;
    std::string function_;
};

}  // namespace zcrxlab
