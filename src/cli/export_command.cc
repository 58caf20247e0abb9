#include <fmt/format.h>

#include "base/error.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/command.h"
#include "inference/models.h"
#include "model_files/model_folder.h"

namespace mgdm::cli {
namespace {

struct ExportSettings {
  std::string model, out, dtype = "bf16", arithmetic = "auto";
  std::vector<std::string> history;
  std::int64_t shard_mb = 5000;
  bool transformers = false, quiet = false;

  void visit(config::Visitor& v) {
    v.field("model", model, "a checkpoint folder or a model's name");
    v.field("out", out, "the folder to write");
    v.field("dtype", dtype, "data type of the weights", config::one_of({"fp32", "bf16", "fp16"}));
    v.field("arithmetic", arithmetic,
            "default CPU arithmetic stored with the model (auto: unchanged); accuracy is not "
            "re-checked: compare with mgdm eval",
            config::one_of(spec::arithmetic_choices()));
    v.field("history", history,
            "runs, checkpoints or models whose training metrics are joined into history.jsonl "
            "(default: the checkpoint's own run)");
    v.field("shard_mb", shard_mb, "largest size of a file in megabytes", config::range(1, 1e6));
    v.field("transformers", transformers,
            "add modeling_mgdm.py, with which Hugging Face's transformers loads a looped network");
    v.field("quiet", quiet, "print nothing but errors");
  }
};

formats::Dtype dtype_named(const std::string& name) {
  if (name == "bf16") return formats::Dtype::kBF16;
  return name == "fp16" ? formats::Dtype::kF16 : formats::Dtype::kF32;
}

void run_export(const ExportSettings& settings) {
  const std::string model = inference::find_model(settings.model);
  if (is_there(settings.out))
    throw Error(fmt::format("{} is there already", in_quotes(settings.out)), "a new folder");
  model_files::CopyOptions options{
      .dtype = dtype_named(settings.dtype),
      .max_shard_bytes = static_cast<std::uint64_t>(settings.shard_mb) * 1'000'000};
  if (settings.arithmetic != "auto") options.arithmetic = settings.arithmetic;
  options.history =
      model_files::thinned(settings.history.empty() ? model_files::history_of(model)
                                                    : model_files::history_of(settings.history));
  options.modeling_file = settings.transformers;
  model_files::copy_model(model, settings.out, options);
  if (!settings.quiet) fmt::print("{}\n", printable(settings.out));
}

}  // namespace

Command export_command() {
  return make_command<ExportSettings>(
      "export", "Write a checkpoint's model alone, smaller: for shipping, for transformers",
      "  mgdm export --model runs/planning/checkpoint-4883 --out models/planning\n"
      "  mgdm export --model runs/cd4/checkpoint-20000 --out cd4 --dtype fp32 --shard-mb 16\n"
      "  mgdm export --model runs/cd4/checkpoint-20000 --out cd4 --arithmetic bf16\n"
      "  mgdm export --model sudoku --out sudoku-transformers --transformers\n"
      "  mgdm export --model runs/second/checkpoint-52000 --out cd4 --history "
      "runs/first/checkpoint-28000 runs/second\n",
      {}, {"model", "out"}, run_export);
}

}  // namespace mgdm::cli
