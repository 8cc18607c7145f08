// Records of any content become lines of files, and end neither us nor the lines of others.
//
// reaches 42 % of vm/watch/results_folder.cpp
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "harness/base/file.hpp"
#include "harness/base/json.hpp"
#include "tests/fakes/temporary_folder.hpp"
#include "vm/watch/results_folder.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    static const TemporaryFolder folder;
    auto out = ResultsFolder::open(folder.path());
    if (!out) std::abort();
    // A byte for the type, then JSON up to a NUL, as often as there is some.
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    while (rest.size() > 1) {
        const auto type = static_cast<RecordType>(static_cast<uint8_t>(rest[0]));
        const std::string_view json = rest.substr(1, rest.find('\0', 1) - 1);
        out->record({type, std::string(json)});
        rest.remove_prefix(std::min(rest.size(), json.size() + 2));
    }
    if (!out->finish_logs()) std::abort();
    // Each line of the trace is an event again.
    const std::string trace = text_of_file(folder.path() / "trace.jsonl");
    for (size_t at = 0; at < trace.size(); at = trace.find('\n', at) + 1)
        if (!parse_json_object(std::string_view(trace).substr(at, trace.find('\n', at) - at)))
            std::abort();
    return 0;
}
