// The invariants as a table.
#include "scenarios/runner/invariants_page.hpp"

#include <array>

#include "harness/oracle/oracle.hpp"
#include "scenarios/contract/markdown.hpp"

namespace zcrxlab {

std::string invariants_page() {
    std::string page = "<!-- invariants: generated, see docs/README.md -->\n";
    page += table_head(std::to_array<std::string_view>({"", "invariant"}));
    for (const Invariant invariant : invariants()) {
        std::string sentence = promise_of(invariant);
        if (const std::string details = details_of(invariant); !details.empty())
            sentence += ": " + details;
        page += table_row(std::to_array<std::string>({name_of(invariant), as_cell(sentence)}));
    }
    return page + "<!-- /invariants -->\n";
}

}  // namespace zcrxlab
