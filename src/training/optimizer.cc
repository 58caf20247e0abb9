#include "training/optimizer.h"

#include <ATen/ops/full.h>

#include <utility>

#include "training/adamw.h"
#include "training/muon.h"

namespace mgdm::training {
namespace {

constexpr const char* kStateName = "optimizer";

}  // namespace

void Optimizer::step(double factor) {
  step(at::full({}, factor, parameters_.front().value.options().dtype(at::kFloat)));
}

void Optimizer::zero_grad() {
  for (nn::Parameter& parameter : parameters_) parameter.value.mutable_grad() = at::Tensor();
}

void Optimizer::load_state(const std::vector<nn::NamedTensor>& tensors, const std::string& source) {
  nn::assign(state(), tensors, source);
}

void Optimizer::save(const std::filesystem::path& folder, const nn::TensorFiles& files) const {
  nn::write_tensors(folder, kStateName, state(), files);
}

void Optimizer::load(const std::filesystem::path& folder) {
  load_state(nn::read_tensors(folder, kStateName), (folder / kStateName).string());
}

namespace {

// Several as one: each has its own part of the parameters.
class Composite : public Optimizer {
 public:
  Composite(const std::vector<nn::Parameter>& parameters,
            std::vector<std::unique_ptr<Optimizer>> parts)
      : Optimizer(parameters), parts_(std::move(parts)) {}

  void step(const at::Tensor& factor) override {
    for (const auto& part : parts_) part->step(factor);
  }
  std::vector<nn::NamedTensor> state() const override {
    std::vector<nn::NamedTensor> all;
    for (const auto& part : parts_)
      for (nn::NamedTensor& tensor : part->state()) all.push_back(std::move(tensor));
    return all;
  }

 private:
  std::vector<std::unique_ptr<Optimizer>> parts_;
};

}  // namespace

std::unique_ptr<Optimizer> make_optimizer(const OptimizerSettings& settings,
                                          const std::vector<nn::Parameter>& parameters) {
  if (settings.optimizer == "adamw") return std::make_unique<Adamw>(settings, parameters);
  std::vector<nn::Parameter> matrices, others;
  for (const nn::Parameter& parameter : parameters)
    (parameter.role == nn::Role::kMatrix ? matrices : others).push_back(parameter);
  std::vector<std::unique_ptr<Optimizer>> parts;
  if (!matrices.empty()) parts.push_back(std::make_unique<Muon>(settings, std::move(matrices)));
  if (!others.empty()) parts.push_back(std::make_unique<Adamw>(settings, std::move(others)));
  return std::make_unique<Composite>(parameters, std::move(parts));
}

}  // namespace mgdm::training
