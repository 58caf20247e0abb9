#include "data/settings.h"

#include <fmt/format.h>

#include "base/cores.h"
#include "base/error.h"
#include "base/text.h"
#include "data/word_lists.h"
#include "formats/keys.h"
#include "tasks/all_tasks.h"

namespace mgdm::data {

using config::at_least;
using config::one_of;
using config::range;

void SourceSettings::visit(config::Visitor& v) {
  v.field("files", files, "training data (default: generated)");
  v.field("keys", keys, formats::kKeysHelp);
  v.field("count", count,
          "number of training examples to generate, or to take from the files (0 = all)",
          range(0, 4e9));
  v.field("endless", endless, "generate new examples throughout training");
  static const std::string kReleased = tasks::tasks_with(&tasks::Abilities::released);
  v.field("as_released", as_released,
          kReleased + ": use the paper's own examples, whatever the seed");
  task.visit(v);
  v.field("weight", weight, "weight of this source among the sources", range(1, 1e6));
}

void DataSettings::visit(config::Visitor& v) {
  SourceSettings::visit(v);
  v.field("sources", sources,
          "a mixture: one text per source with the fields above that differ, such as \"weight=3 "
          "difficulty=hard\"; values have no spaces");
  v.field("layout", layout, "layout of an example: in one row, or in several (long)",
          one_of({"seq2seq", "in_place", "long"}));
  v.field("length", length, "tokens per row (0 = the longest example's)", range(0, 65536));
  v.field("alphabet", alphabet,
          "characters that have a token (empty = the paper's 26, or for the task text those of "
          "the files), or a list of words: " +
              joined_or(word_list_names()));
  v.field("words", words,
          "text: a file with a word in each line; each has a token, and so has every character of "
          "data.files");
  v.field("blank", blank, "layout in_place: the character of a puzzle that is filled in");
  static const std::string kReversible = tasks::tasks_with(&tasks::Abilities::reversible);
  v.field("reverse", reverse, kReversible + ": learn the answer backwards, last token first");
  v.field("augment", augment, "show another symmetric variant of every puzzle in each epoch");
  v.field("held_out", held_out,
          "number of further examples for the held-out loss; from files, the last ones",
          at_least(0));
  v.field("threads", threads, kThreadsHelp, range(0, kMostThreads));
}

std::vector<SourceSettings> DataSettings::all_sources() const {
  if (sources.empty()) return {*this};
  std::vector<SourceSettings> all;
  for (const std::string& text : sources) {
    SourceSettings source = *this;
    config::Fields fields(source);
    try {
      for (const std::string_view word : split(text, ' '))
        if (!word.empty()) fields.set(word);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("data.sources: {}: {}", in_quotes(text), error.what()));
    }
    all.push_back(std::move(source));
  }
  return all;
}

}  // namespace mgdm::data
