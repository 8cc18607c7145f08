// The style of what is said of lines and functions.
#include "results/coverage/page_parts.hpp"

#include <cctype>

namespace zcrxlab {
namespace {

constexpr const char* kStyle = R"(body { max-width: 1200px; }
p, ul { margin: 4px 0; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }
table { border-collapse: separate; border-spacing: 0; min-width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: 5px 8px; white-space: nowrap; text-align: right; }
th { font-weight: 600; background: var(--raised); }
th:first-child {
  text-align: left; position: sticky; left: 0; border-right: 1px solid var(--line);
  white-space: normal; min-width: 8em; max-width: 10em;
}
details { border-top: 1px solid var(--line); padding: 5px 0; }
.run { color: var(--passed); background: var(--passed-back); }
.never { color: var(--failed); background: var(--failed-back); }
.part { color: var(--known); background: var(--known-back); }
pre {
  overflow-x: auto; background: var(--raised); border: 1px solid var(--line); border-radius: 6px;
  margin: 6px 0; padding: 4px 0; font: 12.5px/1.4 ui-monospace, monospace; tab-size: 4;
}
pre span { display: block; width: max-content; min-width: 100%; padding-right: 8px; }
pre span.none { color: var(--quiet); }
pre span.run { color: inherit; background: none; }
pre b { font-weight: normal; white-space: pre; border-right: 1px solid var(--line); margin-right: 6px; }
)";

}  // namespace

std::string page_head() {
    return head_without_script(kStyle);
}

std::string anchor(std::string_view text) {
    std::string out;
    for (const char c : text)
        out += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ? c : '-';
    return out;
}

}  // namespace zcrxlab
