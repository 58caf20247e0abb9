#include <fmt/format.h>

#include "base/error.h"
#include "base/files.h"
#include "base/standard_streams.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/named_files.h"
#include "reproduction/html_page.h"

namespace mgdm::cli {
namespace {

struct ReportSettings {
  std::string results = "results", runs = "runs", out = "report.html";
  bool quiet = false;

  void visit(config::Visitor& v) {
    v.field("results", results, "folder with the results of mgdm reproduce and mgdm eval --json");
    v.field("runs", runs, "folder with the runs of mgdm train and mgdm prompt");
    v.field("out", out, "the HTML file to write; - prints it");
    v.field("quiet", quiet, "print nothing but errors");
  }
};

void run_report(const ReportSettings& settings) {
  check_files({{"--out", settings.out}});
  const reproduction::Page page = reproduction::gather(settings.results, settings.runs);
  if (!settings.quiet)
    for (const std::string& file : page.unreadable)
      say("left out: {} cannot be read as a result\n", printable(file));
  if (page.tables.empty() && page.scores.empty() && page.runs.empty())
    throw Error(fmt::format("there are no results in {} or {}", settings.results, settings.runs),
                "results of mgdm reproduce, eval --json, train or prompt",
                "mgdm reproduce shipped --limit 20");
  write_file(settings.out, reproduction::to_html(page));
  if (settings.quiet || is_standard_output(settings.out)) return;
  fmt::print("{}: {} tables, {} other scores, {} runs\n", printable(settings.out),
             page.tables.size(), page.scores.size(), page.runs.size());
}

}  // namespace

Command report_command() {
  return make_command<ReportSettings>(
      "report", "Gather everything measured so far into one HTML page",
      "  mgdm report\n"
      "  mgdm report --results results --runs runs --out report.html\n",
      {}, {}, run_report);
}

}  // namespace mgdm::cli
