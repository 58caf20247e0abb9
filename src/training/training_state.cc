#include "training/training_state.h"

#include <ATen/ops/isfinite.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "formats/checksums.h"
#include "formats/json_text.h"
#include "model_files/checkpoints.h"

namespace mgdm::training {

namespace {

constexpr const char* kRaw = "raw";

std::vector<nn::NamedTensor> weights(const nn::Model& model) {
  std::vector<nn::NamedTensor> all;
  for (const nn::Parameter& parameter : model.parameters().trained())
    all.push_back({parameter.name, parameter.value.detach()});
  return all;
}

// What trainer_state.json says.
struct Stand {
  Position position;
  bool compact = false;
};

// Steps choose the batches, the noise and the learning rate: a number that is not the folder's own
// would go unnoticed and lead elsewhere.
Stand read_stand(const std::filesystem::path& folder) {
  constexpr std::int64_t kMostSteps = 0xffffffff;  // as random streams count them
  constexpr double kMostSeconds = 100 * 365.25 * 86400;
  const auto place = folder / "trainer_state.json";
  const auto named = model_files::checkpoint_step(folder);
  const auto broken = [&](const std::string& seen) {
    return Error(fmt::format("{} is broken: {}", place.string(), seen),
                 fmt::format("step {}{}, and the seconds spent, from 0 on",
                             named ? fmt::format("{}", *named) : "from 0 on",
                             named ? " as the folder is named" : ""));
  };
  const auto state = formats::parse_json(formats::read_checked_file(place));
  if (!state.is_object()) throw broken("no JSON object");
  const auto value = [&](const char* name) { return state.value(name, nlohmann::json()); };
  const auto says = [&](const char* name) {
    return broken(fmt::format("{} = {}", name, printable(formats::json_text(value(name)))));
  };
  const auto step = value("step"), seconds = value("seconds"), compact = value("compact");
  Stand stand;
  stand.position.step = step.is_number_integer() ? step.get<std::int64_t>() : -1;
  if (stand.position.step < 0 || stand.position.step > kMostSteps) throw says("step");
  if (named && stand.position.step != *named) throw says("step");
  stand.position.seconds = seconds.is_number() ? seconds.get<double>() : -1;
  if (!(stand.position.seconds >= 0 && stand.position.seconds <= kMostSeconds))
    throw says("seconds");
  stand.compact = compact.is_boolean() && compact.get<bool>();
  return stand;
}

}  // namespace

TrainingState::TrainingState(nn::Model& trained, const OptimizerSettings& settings,
                             double ema_decay)
    : model(trained),
      optimizer(make_optimizer(settings, trained.parameters().trained())),
      ema(ema_decay > 0 ? std::make_unique<Ema>(trained.parameters().trained(), ema_decay)
                        : nullptr) {}

std::unique_ptr<Ema::InUse> TrainingState::averaged() const {
  return ema ? std::make_unique<Ema::InUse>(*ema) : nullptr;
}

void TrainingState::write(const std::filesystem::path& folder, const data::Vocabulary& vocabulary,
                          const spec::About& about, const nn::TensorFiles& files) const {
  {
    const auto in_use = averaged();
    const bool half = ema && files.compact;  // the averages; without any, these are the weights
    nn::write_model(folder, model, vocabulary, about,
                    {.max_shard_bytes = files.max_shard_bytes,
                     .dtype = half ? formats::Dtype::kBF16 : formats::Dtype::kF32});
  }
  if (ema)
    nn::write_tensors(folder, kRaw, weights(model), {.max_shard_bytes = files.max_shard_bytes});
  optimizer->save(folder, files);
  const nlohmann::json state{
      {"step", position.step}, {"seconds", position.seconds}, {"compact", files.compact}};
  write_file((folder / "trainer_state.json").string(), formats::json_text(state, 2) + "\n");
}

TrainingState::Restored TrainingState::read(const std::filesystem::path& folder) {
  const Stand stand = read_stand(folder);
  nn::load_trained(folder, model);
  if (ema) ema->restart();  // at the averages, which is what was loaded
  if (ema || formats::has_safetensors(folder, kRaw))
    nn::assign(weights(model), nn::read_tensors(folder, kRaw), (folder / kRaw).string());
  optimizer->load(folder);
  position = stand.position;
  return stand.compact ? Restored::kClosely : Restored::kExactly;
}

bool TrainingState::finite() const {
  at::Tensor all = at::ones({}, at::TensorOptions().device(model.device()).dtype(at::kBool));
  const auto look = [&](const at::Tensor& tensor) {
    all = all.logical_and(at::isfinite(tensor).all());
  };
  for (const nn::NamedTensor& tensor : weights(model)) look(tensor.value);
  if (ema)
    for (const at::Tensor& average : ema->averages()) look(average);
  return all.item<bool>();
}

void TrainingState::share(distributed::ProcessGroup& group) {
  if (group.alone()) return;
  for (const nn::NamedTensor& tensor : weights(model)) group.broadcast(tensor.value);
  if (ema)
    for (const at::Tensor& average : ema->averages()) group.broadcast(average);
  for (const nn::NamedTensor& tensor : optimizer->state()) group.broadcast(tensor.value);
  const at::Tensor numbers =
      at::tensor({static_cast<double>(position.step), position.seconds}, at::kDouble)
          .to(model.device());
  group.broadcast(numbers);
  const at::Tensor here = numbers.cpu();
  position = {static_cast<std::int64_t>(here.data_ptr<double>()[0]), here.data_ptr<double>()[1]};
}

}  // namespace mgdm::training
