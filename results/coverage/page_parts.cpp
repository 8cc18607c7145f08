// The style of a page, for light and dark, from a phone on.
#include "results/coverage/page_parts.hpp"

#include <cctype>

namespace zcrxlab {
namespace {

constexpr const char* kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
:root {
  --back: #fff; --text: #1b1f24; --quiet: #59636e; --line: #d1d9e0; --raised: #f6f8fa;
  --run: #1a7f37; --never: #a0111f; --part: #7a4d00;
  --run-back: #dafbe1; --never-back: #ffd8d5; --part-back: #fff2c2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #0d1117; --text: #e6edf3; --quiet: #9198a1; --line: #3d444d; --raised: #161b22;
    --run: #57d364; --never: #ff8a80; --part: #e3b341;
    --run-back: #12341c; --never-back: #4b1113; --part-back: #3a2c05;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 0 12px 40px; max-width: 1200px; background: var(--back);
  color: var(--text); font: 15px/1.45 system-ui, sans-serif; overflow-wrap: anywhere;
}
h1 { font-size: 1.3rem; margin: 16px 0 4px; }
h2 { font-size: 1.1rem; margin: 24px 0 6px; }
p, ul { margin: 4px 0; }
a { color: inherit; }
.quiet { color: var(--quiet); }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }
table { border-collapse: separate; border-spacing: 0; min-width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: 5px 8px; white-space: nowrap; text-align: right; }
th { font-weight: 600; background: var(--raised); }
th:first-child {
  text-align: left; position: sticky; left: 0; border-right: 1px solid var(--line);
  white-space: normal; min-width: 8em; max-width: 10em;
}
details { border-top: 1px solid var(--line); padding: 5px 0; }
summary { cursor: pointer; }
.state { border-radius: 5px; padding: 1px 7px; }
.run { color: var(--run); background: var(--run-back); }
.never { color: var(--never); background: var(--never-back); }
.part { color: var(--part); background: var(--part-back); }
pre {
  overflow-x: auto; background: var(--raised); border: 1px solid var(--line); border-radius: 6px;
  margin: 6px 0; padding: 4px 0; font: 12.5px/1.4 ui-monospace, monospace; tab-size: 4;
}
pre span { display: block; width: max-content; min-width: 100%; padding-right: 8px; }
pre span.none { color: var(--quiet); }
pre span.run { color: inherit; background: none; }
pre b { font-weight: normal; white-space: pre; border-right: 1px solid var(--line); margin-right: 6px; }
@media (min-width: 700px) { body { padding: 0 24px 40px; } }
</style>
)";

}  // namespace

std::string_view page_head() {
    return kHead;
}

std::string anchor(std::string_view text) {
    std::string out;
    for (const char c : text)
        out += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ? c : '-';
    return out;
}

}  // namespace zcrxlab
