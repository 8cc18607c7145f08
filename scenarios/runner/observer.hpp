// Observer: what is looked at around a scenario, from outside its process.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/trace/event.hpp"
#include "scenarios/framework/needs.hpp"

namespace zcrxlab {

class Observer {
  public:
    virtual ~Observer() = default;

    // What there is, probed once.
    virtual const Surroundings& surroundings() const = 0;

    // Writes a line into the kernel log, so that people find a scenario in it.
    virtual void mark(const std::string& text) = 0;
    // Lets the kernel give warnings again that it gives once only: what one scenario provoked must
    // not be hidden from the next. Where it cannot, nothing happens.
    virtual void forget_warnings() {}
    // What the kernel had said before anything was probed here: nobody's business but people's.
    virtual std::vector<KernelMessage> earlier_messages() { return {}; }
    // Kernel messages since the last call, at first since then.
    virtual std::vector<KernelMessage> kernel_messages() = 0;

    // Memory that the kernel has lost since the last call, in its own words, one text for each
    // object; empty if none is, or if the kernel does not look for it. Takes seconds where it does.
    virtual std::vector<std::string> lost_memory() { return {}; }

    // What the kernel has counted of its own code since it booted
    // (harness/trace/kernel_profiles.hpp). Nothing where it does not.
    virtual void each_profile(
        const std::function<void(const std::string& object, const std::string& hex)>&) {}
    // What it came by of mistakes that can be switched on, since the last call
    // (for_each_reached()).
    virtual void each_reached(
        const std::function<void(const std::string& parameter, const std::string& hex)>&) {}

    // By name; an Error says why the number could not be read.
    using Counters = std::map<std::string, Result<int64_t>>;
    // System-wide numbers that a scenario must leave as they were: pinned pages, page pools ...
    virtual Counters counters() = 0;

    // Where counters do not come back: who may keep what they count, for people, a line each.
    virtual std::vector<std::string> who_keeps() { return {}; }

    struct Nic {
        std::string interface;
        std::vector<std::string> lines;
    };
    // The configuration of every NIC that scenarios touch.
    virtual std::vector<Nic> nics() = 0;

    // Brings them back into the state from which scenarios start, as far as it can: a scenario left
    // something behind.
    virtual void restore_nics() = 0;

    // Whether a memory provider sits on the queue; an Error only if the kernel could not be asked.
    virtual Result<bool> provider_on(const std::string& interface, uint32_t queue) = 0;

    // The device is ready for the next scenario: no fault rules, log read up to here.
    virtual Result<void> device_before() = 0;
    // What the device tells of itself and of its driver.
    struct DeviceTold {
        std::optional<DmaWrites> writes;        // since device_before(); none without a log
        std::vector<ForbiddenAsked> forbidden;  // since the last time, at first since it is there
        std::optional<DriverWatched> watched;   // none without a device that tells
    };
    // Ends what device_before() began: fault rules are taken out.
    virtual Result<DeviceTold> device_after() = 0;
};

}  // namespace zcrxlab
