// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/report/page.h"

#include <fmt/format.h>

#include "gateway/views/report/chart.h"

namespace hilgate {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --page: #f4f6f8; --text: #1c2733; --soft: #4a5561; --weak: #66717d; --box: #fff;
  --edge: #e4e8ec; --rule: #eef1f3; --bad: #b3202c; --change: #b86a12; --good: #2c8a4b; }
@media (prefers-color-scheme: dark) { :root { --page: #12171d; --text: #e3e8ee; --soft: #b3bdc8; --weak: #98a3ae;
  --box: #1b222a; --edge: #303a45; --rule: #28313b; --bad: #ff7b84; --change: #eda04b; --good: #63c585; } }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 21px; margin: 36px 0 0; }
h3 { font-size: 16px; margin: 0 0 8px; }
p { margin: 4px 0 12px; color: var(--soft); }
section { background: var(--box); border: 1px solid var(--edge); border-radius: 10px; padding: 18px 20px;
  margin-top: 18px; }
svg { width: 100%; height: auto; display: block; font-size: 12px; fill: var(--weak); }
svg polyline { fill: none; stroke-width: 1.6; } svg .grid { stroke: var(--edge); } svg .scale { stroke: var(--text); }
svg .mark { stroke: #d98324; stroke-dasharray: 3 3; }
.legend span { margin-right: 16px; white-space: nowrap; }
.legend i { display: inline-block; width: 14px; height: 3px; margin-right: 6px; vertical-align: middle; }
.table { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: left; color: var(--weak); font-size: 13px; }
th, td { padding: 5px 12px 5px 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
.warning, .error, .missed, .no { color: var(--bad); font-weight: 600; } .yes { color: var(--good); font-weight: 600; }
.set, .reload { color: var(--change); font-weight: 600; }
)";

}  // namespace

std::string section_of(const std::string& title, const std::string& text, const std::string& body) {
  return body.empty() ? std::string()
                      : fmt::format("<section><h3>{}</h3>{}{}</section>\n", escaped(title),
                                    text.empty() ? "" : fmt::format("<p>{}</p>", escaped(text)), body);
}

std::string row_of(const std::vector<std::string>& cells, const char* tag) {
  std::string html = "<tr>";
  for (const std::string& cell : cells) {
    html += fmt::format("<{0}>{1}</{0}>", tag, cell);
  }
  return html + "</tr>";
}

std::string page_of(const std::string& title, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>hilgate: {0}</title>"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><style>{1}</style></head>"
      "<body><main><h1>{0}</h1>\n{2}</main></body></html>\n",
      escaped(title), kStyle, body);
}

}  // namespace hilgate
