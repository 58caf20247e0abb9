// Reasoners small enough, or known well enough, to say by hand what must come out.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "engine/fake_networks.h"
#include "evaluation/reasoner.h"
#include "nn/batch_tensors.h"
#include "objectives/objective.h"

namespace mgdm::evaluation {

// A network without weights as a model.
class NetworkModel : public nn::Model {
 public:
  NetworkModel(const spec::ModelSettings& settings, engine::Network network)
      : Model(settings, 0), network_(std::move(network)) {
    parameters_.add("none", {1}, {});  // says where the model is
  }
  std::vector<at::Tensor> forward(const nn::Input& input) override {
    return {network_(input.tokens, input.frozen)};
  }

 private:
  engine::Network network_;
};

// Answers each puzzle with the example's output, right or wrong. A token of difficulty d is only
// known once d others are shown right; difficulties are drawn from 0..hardest.
inline Reasoner scripted_reasoner(const std::string& task, int length,
                                  std::span<const tasks::Example> script, int hardest = 0) {
  const data::Vocabulary vocabulary;
  const auto layout = data::make_seq2seq(length);
  const auto columns = static_cast<std::size_t>(length);
  std::vector<data::Token> tokens(script.size() * columns);
  std::vector<std::uint8_t> frozen(tokens.size());
  for (std::size_t i = 0; i < script.size(); ++i) {
    layout->check_fits(script[i].input.size(), script[i].output.size());
    layout->write(vocabulary.encode(script[i].input), vocabulary.encode(script[i].output),
                  {std::span(tokens).subspan(i * columns, columns),
                   std::span(frozen).subspan(i * columns, columns)});
  }
  const at::Tensor answers =
      nn::tokens_tensor(tokens, static_cast<std::int64_t>(script.size()), at::kCPU);
  at::Tensor difficulty = at::empty_like(answers);
  Stream random(1, Purpose::kTest, 0);
  for (std::int64_t i = 0; i < difficulty.numel(); ++i)
    difficulty.data_ptr<std::int64_t>()[i] = random.between(0, hardest);
  auto model = std::make_shared<NetworkModel>(
      spec::ModelSettings(), engine::oracle_network(answers, difficulty, vocabulary.size()));
  return {std::move(model), {.task = task, .length = length}, vocabulary};
}

// A tiny GPT-2 with random weights, causal for objective "ar".
inline Reasoner tiny_reasoner(const std::string& objective, const std::string& task, int length,
                              const std::string& layout = "seq2seq", bool reverse = false) {
  spec::ModelSettings settings;
  settings.layers = 1;
  settings.heads = 2;
  settings.width = 16;
  settings.positions = length;
  settings.dropout = 0;
  settings.causal = spec::objective_kind(objective).causal;
  return {nn::make_model(settings, 7),
          {.task = task,
           .layout = layout,
           .length = length,
           .objective = objective,
           .reverse = reverse},
          data::Vocabulary()};
}

}  // namespace mgdm::evaluation
