#include "training/loss_profile.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/interrupt.h"
#include "compat/device.h"
#include "nn/batch_tensors.h"
#include "objectives/objective.h"
#include "objectives/terms.h"
#include "spec/kinds.h"
#include "training/step.h"

namespace mgdm::training {
namespace {

using evaluation::Losses;
using evaluation::LossProfile;
using evaluation::LossTable;
using evaluation::TokenLosses;
using tasks::Example;

constexpr std::int64_t kNowhere = -1;

// The tokens of an answer that are shown around its hard subgoal.
struct Shown {
  const char* name;  // as in evaluation::SubgoalLosses
  bool before, after;
};
constexpr Shown kContexts[] = {{"before", true, false},
                               {"after", false, true},
                               {"both", true, true},
                               {"nothing", false, false}};

// Examples as training sees them, and where their losses go.
struct Rows {
  objectives::Batch batch;
  std::vector<std::int64_t> begin;           // (B) where each answer begins
  std::vector<std::int64_t> subgoal;         // (B) where its hard subgoal is; kNowhere: it has none
  std::vector<std::vector<Losses*>> tables;  // (B) that each example counts in
};

class Profiler {
 public:
  Profiler(nn::Model& model, const spec::ModelCard& card, const spec::PuzzleRows& rows,
           const ProfileSettings& settings, bool bf16)
      : model_(model),
        card_(card),
        puzzles_(rows),
        settings_(settings),
        bf16_(bf16),
        objective_(objectives::make_objective(objective_settings(card, rows, settings),
                                              &model.parameters())),
        profile_{empty(), {}} {}

  // part(p) is called when that part of the work is done.
  void add(std::span<const Example> examples, std::size_t first_item,
           const std::function<void(double)>& part) {
    const Rows rows = read(examples, first_item);
    const auto all = static_cast<double>(settings_.samples * objective_->levels() + 1);
    for (std::int64_t sample = 0; sample < settings_.samples; ++sample) {
      objectives::Batch batch = rows.batch;
      batch.step = at::full({}, sample, batch.items.options());
      for (std::int64_t t = 0; t < objective_->levels(); ++t) {
        stop_if_interrupted();
        const objectives::Noised noised = objective_->noise_at(
            batch, static_cast<std::uint64_t>(settings_.seed), at::full_like(batch.items, t));
        const auto level = static_cast<std::size_t>(t);
        count(rows, objective_->shown(batch, noised, guess_of(model_, bf16_)), noised.counted,
              [level](Losses& losses, std::size_t n, bool is_subgoal, const TokenLosses& token) {
                losses.noised.at(level, n).add(token);
                if (is_subgoal) losses.at_subgoal.by_level[level].add(token);
              });
        part(static_cast<double>(sample * objective_->levels() + t + 1) / all);
      }
    }
    if (profile_.all.left_to_right) {
      add_left_to_right(rows);
      add_contexts(rows);
    }
    part(1);
  }

  LossProfile take() { return std::move(profile_); }

 private:
  // Only noise and what is counted matter here, not weights: positions that training shows, or
  // shows wrong, are extras of a recipe that the figure leaves out.
  static objectives::Settings objective_settings(const spec::ModelCard& card,
                                                 const spec::PuzzleRows& rows,
                                                 const ProfileSettings& settings) {
    objectives::Settings objective;
    objective.kind = card.objective;
    objective.steps = settings.levels;
    objective.vocabulary = rows.vocabulary().size();
    objective.pad = rows.vocabulary().specials().pad;
    return objective;
  }

  Losses empty() const {
    const auto levels = static_cast<std::size_t>(objective_->levels());
    const auto positions = puzzles_.length();
    Losses losses{LossTable(levels, positions), std::nullopt, {}};
    losses.at_subgoal.by_level.resize(levels);
    if (spec::objective_kind(card_.objective).noise == spec::Noise::kMask)
      losses.left_to_right.emplace(1, positions);
    return losses;
  }

  Rows read(std::span<const Example> examples, std::size_t first_item) {
    data::Rows written(examples.size(), puzzles_.length());
    std::iota(written.items.begin(), written.items.end(), static_cast<std::uint32_t>(first_item));
    Rows rows;
    for (std::size_t b = 0; b < examples.size(); ++b) {
      const Example& example = examples[b];
      if (example.output.empty())
        throw Error(
            fmt::format("puzzle {} has no answer to measure a loss on", written.items[b] + 1),
            "an \"output\" for every puzzle");
      puzzles_.write_example(example, written[b]);
      rows.begin.push_back(
          static_cast<std::int64_t>(puzzles_.layout().answer_begin(written[b].frozen)));
      rows.subgoal.push_back(subgoal_of(example, rows.begin.back()));
      rows.tables.push_back({&profile_.all});
      if (const auto* const lookahead = puzzles_.task().abilities().lookahead)
        rows.tables.back().push_back(
            &profile_.by_planning_distance
                 .try_emplace(lookahead->planning_distance(example), empty())
                 .first->second);
    }
    rows.batch = {nn::tensors_of(written, model_.device()), at::Tensor()};
    return rows;
  }

  // Where it stands in the row of an answer that begins there. A token is a character here, and the
  // label stands as it is: of other models the subgoal is not looked at.
  std::int64_t subgoal_of(const Example& example, std::int64_t begin) const {
    const tasks::Lookahead* const lookahead = puzzles_.task().abilities().lookahead;
    if (lookahead == nullptr || card_.reverse ||
        puzzles_.vocabulary().encode(example.output).size() != example.output.size())
      return kNowhere;
    const auto place = lookahead->hard_subgoal(example);
    return place ? begin + static_cast<std::int64_t>(*place) : kNowhere;
  }

  // One pass over the input; the losses at `counted` (B, N), each as add(table, position, whether
  // it is the hard subgoal, loss).
  template <class Add>
  void count(const Rows& rows, const nn::Input& input, const at::Tensor& counted, Add&& add) {
    const at::Tensor& targets = rows.batch.tokens;
    const compat::Autocast autocast(model_.device(), bf16_);
    const at::Tensor logits = model_.forward(input).last().logits();  // (B, N, V)
    const at::Tensor loss =
        objectives::token_cross_entropy(logits, targets).to(at::kCPU).contiguous();
    const at::Tensor right = (logits.argmax(-1) == targets).to(at::kCPU).contiguous();
    const at::Tensor here = counted.to(at::kCPU).contiguous();
    const std::int64_t length = targets.size(1);
    for (std::size_t b = 0; b < rows.begin.size(); ++b)
      for (std::int64_t n = rows.begin[b]; n < length; ++n) {
        const std::int64_t i = static_cast<std::int64_t>(b) * length + n;
        if (!here.data_ptr<bool>()[i]) continue;
        TokenLosses token;
        token.add(loss.data_ptr<float>()[i], right.data_ptr<bool>()[i]);
        for (Losses* const losses : rows.tables[b])
          add(*losses, static_cast<std::size_t>(n - rows.begin[b]), n == rows.subgoal[b], token);
      }
  }

  void add_left_to_right(const Rows& rows) {
    const at::Tensor& tokens = rows.batch.tokens;
    const at::Tensor output = rows.batch.frozen.logical_not();
    const at::Tensor begin = at::tensor(rows.begin, tokens.options()).unsqueeze(1);  // (B, 1)
    const at::Tensor place = at::arange(tokens.size(1), tokens.options()) - begin;   // (B, N)
    const at::Tensor asked = at::logical_and(output, tokens != data::kPad);
    const auto last = place.masked_fill(~asked, -1).max().item<std::int64_t>();
    for (std::int64_t n = 0; n <= last; ++n) {
      stop_if_interrupted();
      const at::Tensor hidden = at::logical_and(output, place >= n);
      count(rows, {tokens.masked_fill(hidden, data::kMask), rows.batch.frozen},
            at::logical_and(asked, place == n),
            [](Losses& losses, std::size_t position, bool, const TokenLosses& token) {
              losses.left_to_right->at(0, position).add(token);
            });
    }
  }

  // The subgoal alone, under each of the contexts: one pass for each.
  void add_contexts(const Rows& rows) {
    if (std::ranges::all_of(rows.subgoal, [](std::int64_t place) { return place == kNowhere; }))
      return;
    const at::Tensor& tokens = rows.batch.tokens;
    const at::Tensor output = rows.batch.frozen.logical_not();
    const at::Tensor subgoal = at::tensor(rows.subgoal, tokens.options()).unsqueeze(1);  // (B, 1)
    const at::Tensor place = at::arange(tokens.size(1), tokens.options()) - subgoal;     // (B, N)
    const at::Tensor asked = at::logical_and(place == 0, subgoal != kNowhere);
    for (const Shown& shown : kContexts) {
      stop_if_interrupted();
      at::Tensor hidden = asked;
      if (!shown.before) hidden = at::logical_or(hidden, place < 0);
      if (!shown.after) hidden = at::logical_or(hidden, place > 0);
      hidden = at::logical_and(hidden, output);
      count(rows, {tokens.masked_fill(hidden, data::kMask), rows.batch.frozen}, asked,
            [&shown](Losses& losses, std::size_t, bool, const TokenLosses& token) {
              losses.at_subgoal.by_context[shown.name].add(token);
            });
    }
  }

  nn::Model& model_;
  const spec::ModelCard& card_;
  const spec::PuzzleRows& puzzles_;
  const ProfileSettings settings_;
  const bool bf16_;
  const std::unique_ptr<objectives::Objective> objective_;
  LossProfile profile_;
};

}  // namespace

LossProfile profile_losses(nn::Model& model, const spec::ModelCard& card,
                           const spec::PuzzleRows& rows, std::span<const Example> examples,
                           const ProfileSettings& settings, bool bf16,
                           const std::function<void(std::size_t)>& progress) {
  const at::NoGradGuard no_grad;
  Profiler profiler(model, card, rows, settings, bf16);
  const auto batch = static_cast<std::size_t>(settings.batch);
  for (std::size_t begin = 0; begin < examples.size(); begin += batch) {
    const std::size_t count = std::min(batch, examples.size() - begin);
    std::size_t told = 0;  // of these, in parts: one batch may be all there is
    profiler.add(examples.subspan(begin, count), begin, [&](double part) {
      const auto now = static_cast<std::size_t>(part * static_cast<double>(count));
      if (progress && now > told) progress(now - std::exchange(told, now));
    });
  }
  return profiler.take();
}

}  // namespace mgdm::training
