#include "reproduction/html_page.h"

#include <fmt/format.h>

#include <cctype>

#include "formats/svg_canvas.h"
#include "reproduction/table.h"

namespace mgdm::reproduction {
namespace {

// What a browser may do with the page: nothing but show it.
constexpr const char* kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'">
<link rel="icon" href="data:,">
<title>mgdm: what was measured</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 62rem; padding: 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.9rem; }
th, td { padding: 0.25rem 0.6rem; border-bottom: 1px solid #8886; text-align: right; vertical-align: top; }
th[colspan] { text-align: center; border-bottom: 0; padding-bottom: 0; }
tr.second th { font-weight: normal; padding-top: 0; }
th.label, td.label, th.text, td.text { text-align: left; }
th.label, td.label { position: sticky; left: 0; background: Canvas; min-width: 7rem; }
td.text { font-family: ui-monospace, monospace; word-break: break-all; min-width: 10rem; }
td.paper, td.none { opacity: 0.75; }
.error { opacity: 0.7; font-size: 0.85em; }
.planning { text-decoration: underline wavy #d55e00; }
.false { font-weight: bold; color: #d55e00; }
small, .notes { font-size: 0.85rem; opacity: 0.85; }
figure { margin: 1rem 0; overflow-x: auto; } figure img { max-width: 100%; min-width: 36rem; height: auto; }
@media (prefers-color-scheme: dark) { figure img { filter: invert(0.93) hue-rotate(180deg); } }
@media (max-width: 40rem) { th, td { padding: 0.25rem 0.4rem; } body { padding: 0.75rem; } }
pre { overflow-x: auto; font-size: 0.8rem; padding: 0.5rem; background: #8882; }
details { margin: 0.5rem 0; } nav ul { columns: 16rem; column-gap: 2rem; padding-left: 1.2rem; }
</style>
</head>
<body>
)";

std::string safe(const std::string& text) { return formats::xml_escaped(text); }

// A figure comes from a file that anybody may have written. As an image it runs no script and loads
// nothing.
std::string figure_html(const std::string& svg, const std::string& title) {
  if (svg.empty()) return "";
  std::string encoded;
  for (const unsigned char c : svg)
    encoded +=
        std::isalnum(c) != 0 ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
  return fmt::format("<figure><img alt=\"{}\" src=\"data:image/svg+xml,{}\"></figure>\n",
                     safe(title), encoded);
}

std::string notes_list(const Footnotes& notes) {
  if (notes.all().empty()) return "";
  std::string out = "<ol class=\"notes\">\n";
  for (const std::string& note : notes.all()) out += fmt::format("<li>{}</li>\n", safe(note));
  return out + "</ol>\n";
}

std::string parts_html(const std::vector<Part>& parts) {
  std::string out;
  for (const Part& part : parts) {
    std::string kind = part.planning_error ? "planning" : "";
    if (part.calculation_error) kind += kind.empty() ? "false" : " false";
    out += kind.empty() ? safe(part.text)
                        : fmt::format("<span class=\"{}\">{}</span>", kind, safe(part.text));
  }
  return out;
}

std::string ours_cell(const Value& value, Footnotes& notes) {
  const bool none = !value.ours && value.parts.empty();
  std::string text = value.ours ? number_text(*value.ours) : parts_html(value.parts);
  if (none && !value.note.empty()) text = "–";
  if (const std::string error = error_text(value); !error.empty())
    text += fmt::format(" <span class=\"error\">± {}</span>", error);
  if (const std::string strict = strict_text(value); !strict.empty())
    text += fmt::format(" <span class=\"error\">({})</span>", strict);
  if (const std::size_t note = notes.number_of(value.note); note > 0)
    text += fmt::format("<sup>{}</sup>", note);
  const char* const kind = none ? " class=\"none\"" : " class=\"text\"";
  return fmt::format("<td{}>{}</td>", none || !value.parts.empty() ? kind : "", text);
}

std::string head_html(const Table& table) {
  std::string first, second;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool both = has_paper(table, i);
    first += fmt::format("<th{}{}>{}</th>", both ? " colspan=\"2\"" : " rowspan=\"2\"",
                         has_text(table, i) ? " class=\"text\"" : "", safe(table.columns[i]));
    if (both) second += "<th>paper</th><th>here</th>";
  }
  return fmt::format(
      "<thead><tr><th class=\"label\" rowspan=\"2\">{}</th>{}</tr>\n"
      "<tr class=\"second\">{}</tr></thead>\n",
      safe(table.corner), first, second);
}

std::string body_html(const Table& table, Footnotes& notes) {
  std::string out = "<tbody>\n";
  for (const TableRow& row : table.rows) {
    out += fmt::format("<tr><td class=\"label\">{}</td>", safe(row.label));
    const std::vector<Value> values = values_of(table, row);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (has_paper(table, i))
        out += fmt::format("<td class=\"paper\">{}</td>",
                           values[i].paper ? number_text(*values[i].paper) : "");
      out += ours_cell(values[i], notes);
    }
    out += "</tr>\n";
  }
  return out + "</tbody>";
}

std::string commands_html(const Table& table) {
  const std::vector<std::string> commands = commands_of(table);
  if (commands.empty()) return "";
  std::string out = "<details><summary>Commands</summary><pre>";
  for (const std::string& command : commands) out += safe(command) + "\n";
  return out + "</pre></details>\n";
}

std::string table_html(const PageTable& shown) {
  const Table& table = shown.table;
  Footnotes notes;
  std::string out =
      fmt::format("<section id=\"{0}\">\n<h2>{1}</h2>\n<p><small>{2} ({3})</small></p>\n",
                  safe(table.name), safe(table.title), safe(table.where), safe(table.unit));
  out += fmt::format("<div class=\"wide\"><table>\n{}{}</table></div>\n", head_html(table),
                     body_html(table, notes));
  out += notes_list(notes);
  for (const std::string& note : table.notes)
    out += fmt::format("<p class=\"notes\">{}</p>\n", safe(note));
  out += figure_html(shown.figure, table.title);
  out += commands_html(table);
  if (!shown.revision.empty())
    out += fmt::format("<p><small>Written at revision {}.</small></p>\n", safe(shown.revision));
  return out + "</section>\n";
}

std::string percent(double fraction) { return fmt::format("{:.1f}", 100 * fraction); }

std::string percent_or_none(const std::optional<double>& fraction) {
  return fraction ? percent(*fraction) : "";
}

std::string scores_html(const std::vector<PageScore>& scores) {
  std::string out =
      "<section id=\"scores\">\n<h2>Other evaluations</h2>\n"
      "<div class=\"wide\"><table>\n"
      "<thead><tr><th class=\"label\">model</th><th>task</th><th>n</th><th>accuracy</th>"
      "<th>accuracy_paper</th><th>decoding</th><th>revision</th><th "
      "class=\"text\">file</th></tr></thead>\n"
      "<tbody>\n";
  for (const PageScore& score : scores)
    out += fmt::format(
        "<tr><td class=\"label\">{}</td><td>{}</td><td>{}</td>"
        "<td>{} <span class=\"error\">± {}</span></td>"
        "<td>{}</td><td>{}</td><td>{}</td><td class=\"text\">{}</td></tr>\n",
        safe(score.model), safe(score.task), score.n, percent(score.accuracy), percent(score.error),
        percent_or_none(score.accuracy_paper), safe(score.decoding), safe(score.revision),
        safe(score.file));
  return out + "</tbody></table></div>\n</section>\n";
}

std::string runs_html(const std::vector<PageRun>& runs) {
  std::string out =
      "<section id=\"runs\">\n<h2>Training runs</h2>\n"
      "<div class=\"wide\"><table>\n"
      "<thead><tr><th class=\"label\">run</th><th class=\"text\">recipe</th>"
      "<th class=\"text\">changes to it</th><th>step</th><th>held-out loss</th>"
      "<th>held-out tokens, %</th><th>accuracy measured "
      "last</th><th>device</th><th>revision</th></tr></thead>\n"
      "<tbody>\n";
  for (const PageRun& run : runs)
    out += fmt::format(
        "<tr><td class=\"label\">{}</td><td class=\"text\">{}</td><td class=\"text\">{}</td>"
        "<td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        safe(run.name), safe(run.recipe), safe(run.changes), run.step,
        run.held_out_loss ? fmt::format("{:.4f}", *run.held_out_loss) : "",
        percent_or_none(run.token_accuracy), percent_or_none(run.accuracy), safe(run.device),
        safe(run.revision));
  out += "</tbody></table></div>\n";
  for (const PageRun& run : runs)
    out += figure_html(run.losses, run.name) + figure_html(run.accuracies, run.name);
  return out + "</section>\n";
}

}  // namespace

std::string to_html(const Page& page) {
  std::string out = kHead;
  out += fmt::format(
      "<h1>mgdm: what was measured</h1>\n<p>Beside the numbers of Ye et al., <cite>Beyond "
      "Autoregression: Discrete Diffusion for Complex Reasoning and Planning</cite> (ICLR 2025). "
      "“Here” is by the paper's own metric with one standard error, and in parentheses what is "
      "true by the rules of the task, where that differs.</p>\n"
      "<p><small>mgdm {} ({}), {}.</small></p>\n",
      safe(page.version), safe(page.revision), safe(page.date));
  out += "<nav><ul>\n";
  for (const PageTable& shown : page.tables)
    out += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", safe(shown.table.name),
                       safe(shown.table.title));
  if (!page.scores.empty()) out += "<li><a href=\"#scores\">Other evaluations</a></li>\n";
  if (!page.runs.empty()) out += "<li><a href=\"#runs\">Training runs</a></li>\n";
  out += "</ul></nav>\n<main>\n";
  for (const PageTable& shown : page.tables) out += table_html(shown);
  if (!page.scores.empty()) out += scores_html(page.scores);
  if (!page.runs.empty()) out += runs_html(page.runs);
  return out + "</main>\n</body>\n</html>\n";
}

}  // namespace mgdm::reproduction
