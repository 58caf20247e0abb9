#include "cli/solve_settings.h"

#include "base/standard_streams.h"
#include "base/text.h"
#include "cli/explain_format.h"
#include "cli/painter.h"
#include "formats/keys.h"
#include "tasks/text/task.h"

namespace mgdm::cli {

void SolveSettings::visit(config::Visitor& v) {
  v.field(
      "model", model,
      "a checkpoint folder or a model's name (default: for each puzzle the model that fits it)");
  v.field("puzzles", puzzles, "puzzles as text");
  v.field("input", input,
          "a file of puzzles in any format, of one task or several, or a folder of such files; - "
          "reads standard input; --batch 1 prints each answer as soon as it is found");
  v.field("keys", keys, formats::kKeysHelp);
  v.field("verifier", verifier, tasks::text::kVerifierHelp);
  v.field("explain_format", explain_format, kExplainFormatHelp);
  v.field("show", show,
          "show the answer filling in (with --symmetries, that of the original puzzle)");
  v.field("exact", exact,
          "answer by exact search, without a model; with --model, print both answers");
  v.field("fractions", rules.fractions,
          "countdown: allow fractions on the way (exact search; 3 3 8 8 24 needs them)");
  v.field("unused", rules.unused,
          "countdown: allow numbers to be left out, as on television (exact search)");
  v.field("target", target, "countdown: the target of the typed numbers (0 = the last of them)",
          config::range(0, 9999));
  v.field("format", format,
          "grid draws a board, line prints one line, json and csv print a record per puzzle; auto: "
          "grid on a terminal, else line",
          config::one_of({"auto", "grid", "line", "json", "csv"}));
  v.field("json", json, "same as --format json");
  v.field("csv", csv, "same as --format csv");
  v.field("color", color, "colours of --show (auto: on a terminal, unless NO_COLOR is set)",
          config::one_of({"auto", "always", "never"}));
  decode.visit(v);
  compute.visit(v);
  v.field("batch", batch, "largest number of puzzles decoded together", config::range(1, 65536));
  v.field("quiet", quiet, "print only the answers");
}

inference::Solved solve_shown(const inference::LoadedModel& model, const std::string& puzzle,
                              std::uint32_t item, const SolveSettings& settings,
                              const std::string& prefix) {
  const decoding::DecodingSettings decoding = settings.decode.over(model);
  Painter painter(model.task(), prefix, settings.color);
  inference::OnStep on_step;
  if (settings.show) on_step = [&](const inference::StepText& step) { return painter.paint(step); };
  if (settings.show && decoding.symmetries > 1 && !settings.quiet)
    say("{}the puzzle as it is; its other forms, up to {}, are decoded unseen\n", prefix,
        decoding.symmetries - 1);
  return inference::solve(model, puzzle, item, decoding, on_step);
}

void note_unfamiliar(const inference::Solved& solved, const SolveSettings& settings,
                     const std::string& prefix) {
  if (solved.unfamiliar && !settings.quiet)
    say("{}note: {} that the model was trained on\n", prefix, printable(*solved.unfamiliar));
}

}  // namespace mgdm::cli
