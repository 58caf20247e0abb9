#include "inference/voting.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"

namespace mgdm::inference {
namespace {

using decoding::Finished;
using decoding::Request;
using decoding::SlotId;
using Tokens = std::vector<data::Token>;

// One puzzle. View 0 is the puzzle as it was posed.
struct Election {
  decoding::Puzzle puzzle;
  std::vector<data::View> views;       // from 1 on
  std::map<SlotId, std::size_t> open;  // the other engine's slots, and which view each decodes
  std::vector<Tokens> answers;         // by view, in the puzzle's own row
  Finished result;
  // What observers tell, where there are any.
  std::int64_t seen = 0;  // passes of all views
  bool stopped = false;
};

class VotingEngine : public Engine {
 public:
  explicit VotingEngine(std::shared_ptr<Engine> engine) : engine_(std::move(engine)) {}

  SlotId join(Request request) override {
    const SlotId id = next_++;
    auto election = std::make_unique<Election>();
    election->result.slot = id;
    if (!request.verified) election->views = std::exchange(request.views, {});
    election->puzzle = request.puzzle;
    election->answers.resize(election->views.size() + 1);
    try {
      for (std::size_t k = 0; k < election->answers.size(); ++k)
        election->open.emplace(engine_->join(request_of(*election, k, request)), k);
    } catch (...) {
      leave(*election);
      throw;
    }
    for (const auto& [slot, view] : election->open) owners_.emplace(slot, id);
    elections_.emplace(id, std::move(election));
    return id;
  }

  bool cancel(SlotId slot) override {
    const auto found = elections_.find(slot);
    if (found == elections_.end()) return false;
    leave(*found->second);
    elections_.erase(found);
    return true;
  }

  std::size_t active() const override { return elections_.size(); }

  std::vector<Finished> pass() override {
    std::vector<Finished> all;
    for (Finished& finished : engine_->pass()) {
      const auto owner = owners_.find(finished.slot);
      if (owner == owners_.end()) continue;  // its election is over
      const auto election = elections_.find(owner->second);
      owners_.erase(owner);
      if (!take(*election->second, std::move(finished))) continue;
      leave(*election->second);
      all.push_back(std::move(election->second->result));
      elections_.erase(election);
    }
    return all;
  }

  std::size_t enough() const override { return engine_->enough(); }
  std::string device() const override { return engine_->device(); }
  std::string arithmetic() const override { return engine_->arithmetic(); }

 private:
  static Request request_of(Election& election, std::size_t k, const Request& asked) {
    Request request = asked;
    if (k > 0) {
      request.puzzle.tokens = election.views[k - 1].tokens;
      request.puzzle.frozen = election.views[k - 1].frozen;
    }
    if (!asked.observer) return request;
    request.observer = [&election, k, watch = asked.observer](const decoding::Step& step) {
      ++election.seen;
      if (k > 0) return true;
      decoding::Step mine = step;
      mine.slot = election.result.slot;
      const bool go_on = watch(mine);
      election.stopped = !go_on;
      return go_on;
    };
    return request;
  }

  // Whether that ends the election.
  static bool take(Election& election, Finished&& finished) {
    const auto open = election.open.find(finished.slot);
    const std::size_t view = open->second;
    election.open.erase(open);
    if (election.views.empty() || finished.error) {
      finished.slot = election.result.slot;
      finished.votes.asked = election.puzzle.settings.symmetries;
      election.result = std::move(finished);
      return true;
    }
    decoding::Answer& answer = election.result.best;
    answer.forward_passes += finished.best.forward_passes;
    Tokens& tokens = finished.best.tokens;
    if (view > 0)
      tokens = data::carried_back(election.views[view - 1], tokens, election.puzzle.tokens,
                                  election.puzzle.frozen);
    election.answers[view] = std::move(tokens);
    if (election.stopped && view == 0) {
      answer = {std::move(election.answers[0]), election.seen};
    } else if (election.open.empty()) {
      answer.tokens = election.answers[most_agreed(election.answers)];
      election.result.votes = {election.puzzle.settings.symmetries, std::ssize(election.answers),
                               std::ranges::count(election.answers, answer.tokens)};
    } else {
      return false;
    }
    election.result.first = answer;
    return true;
  }

  // The views that are still being decoded.
  void leave(const Election& election) {
    for (const auto& [slot, view] : election.open) {
      engine_->cancel(slot);
      owners_.erase(slot);
    }
  }

  const std::shared_ptr<Engine> engine_;
  std::map<SlotId, std::unique_ptr<Election>> elections_;  // by our slots; observers point to them
  std::map<SlotId, SlotId> owners_;                        // our slots by the other engine's
  SlotId next_ = 0;
};

}  // namespace

std::unique_ptr<Engine> voting_engine(std::shared_ptr<Engine> engine) {
  return std::make_unique<VotingEngine>(std::move(engine));
}

std::size_t most_agreed(std::span<const Tokens> answers) {
  MGDM_CHECK(!answers.empty());
  std::size_t best = 0, most = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto votes =
        static_cast<std::size_t>(std::count(answers.begin(), answers.end(), answers[i]));
    if (votes > most) {
      best = i;
      most = votes;
    }
  }
  return best;
}

}  // namespace mgdm::inference
