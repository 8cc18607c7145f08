// Plans of any content are dealt: each scenario once, to a VM that has it in its plan.
//
// reaches 80 % of vm/watch/scenario_queue.cpp
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "vm/watch/scenario_queue.hpp"
#include "vm/watch/watch.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    constexpr size_t kVms = 4;
    const Watch::Time start{};
    // Plans as the fuzzer likes them, each up to a NUL; a last one says in which order VMs ask.
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    ScenarioQueue scenario_queue(kVms);
    std::vector<std::set<std::string>> known(kVms);
    for (size_t vm = 0; vm < kVms && !rest.empty(); ++vm) {
        const std::string_view json = rest.substr(0, rest.find('\0'));
        rest.remove_prefix(std::min(rest.size(), json.size() + 1));
        Watch watch({}, start);
        watch.record({RecordType::kPlan, std::string(json)}, start);
        if (!watch.plan()) continue;
        scenario_queue.join(vm, *watch.plan());
        known[vm].insert(watch.plan()->names.begin(), watch.plan()->names.end());
    }
    if (size % 2 == 0) scenario_queue.keep_first_for_parallel();
    std::set<std::string> dealt;
    const auto ask = [&](size_t vm) {
        const std::string name = scenario_queue.next(vm);
        if (name.empty()) return false;
        if (!known[vm].contains(name) || !dealt.insert(name).second) std::abort();
        return true;
    };
    for (const char c : rest) ask(static_cast<uint8_t>(c) % kVms);
    for (size_t vm = 0; vm < kVms; ++vm)
        while (ask(vm)) {
        }
    const std::vector<std::string> left = scenario_queue.left();
    for (const std::string& name : scenario_queue.all())
        if (dealt.contains(name) == (std::ranges::find(left, name) != left.end())) std::abort();
    return 0;
}
