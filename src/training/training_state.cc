#include "training/training_state.h"

#include <ATen/ops/tensor.h>

#include <nlohmann/json.hpp>

#include "base/files.h"

namespace mgdm::training {

TrainingState::TrainingState(nn::Model& trained, const OptimizerSettings& settings)
    : model(trained), optimizer(make_optimizer(settings, trained.parameters().all())) {}

void TrainingState::write(const std::filesystem::path& folder, const data::Vocabulary& vocabulary,
                          const nn::Metadata& card) const {
  nn::write_model(folder, model, vocabulary, card);
  optimizer->save(folder / "optimizer.safetensors");
  const nlohmann::json state{{"step", position.step}, {"seconds", position.seconds}};
  write_file((folder / "trainer_state.json").string(), state.dump(2) + "\n");
}

void TrainingState::read(const std::filesystem::path& folder) {
  nn::load_weights(folder, model);
  optimizer->load(folder / "optimizer.safetensors");
  const auto state = nlohmann::json::parse(read_file(folder / "trainer_state.json"));
  position = {state.at("step"), state.at("seconds")};
}

void TrainingState::share(compat::ProcessGroup& group) {
  if (group.alone()) return;
  for (const nn::Parameter& parameter : model.parameters().all())
    group.broadcast(parameter.value.detach());
  for (const nn::NamedTensor& tensor : optimizer->state()) group.broadcast(tensor.value);
  const at::Tensor numbers =
      at::tensor({static_cast<double>(position.step), position.seconds}, at::kDouble)
          .to(model.device());
  group.broadcast(numbers);
  const at::Tensor here = numbers.cpu();
  position = {static_cast<std::int64_t>(here.data_ptr<double>()[0]), here.data_ptr<double>()[1]};
}

}  // namespace mgdm::training
