// Words records.
#include "vm/watch/record_line.hpp"

#include <fmt/format.h>

#include "harness/base/json.hpp"
#include "harness/report/report.hpp"

namespace zcrxlab {

std::string line_of(const Record& record, const Watch& watch) {
    // A guest that has panicked before it could say hello has not come up.
    if (record.type == RecordType::kHello && watch.until_ready())
        return fmt::format("booted {} in {:.1f} s", on_one_line(watch.kernel()),
                           static_cast<double>(watch.until_ready()->count()) / 1000);
    if (record.type == RecordType::kTestEnded && watch.last_ended() != nullptr)
        return to_line(*watch.last_ended());
    return {};
}

std::string notice_of(const Record& record) {
    const auto json = parse_json_object(record.json);
    return json ? cleaned(get_text(*json, "text")) : std::string();
}

}  // namespace zcrxlab
