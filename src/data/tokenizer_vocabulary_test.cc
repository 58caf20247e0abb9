// Puzzles in the tokens of a language model.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "data/encoded_dataset.h"
#include "data/layout.h"
#include "data/prepare_data.h"
#include "data/vocabulary.h"
#include "formats/test_support.h"

namespace mgdm::data {
namespace {

std::shared_ptr<const tokenizers::Tokenizer> golden_tokenizer(bool with_end = true) {
  const auto folder = std::filesystem::path(MGDM_SOURCE_DIR) / "tests/golden/tokenizers/llama2";
  tokenizers::Tokenizer tokenizer = tokenizers::load_tokenizer(folder);
  if (with_end) tokenizer.set_meanings({.begin = 1, .end = 2, .unknown = 0, .pad = {}});
  return std::make_shared<tokenizers::Tokenizer>(std::move(tokenizer));
}

int size_of(const tokenizers::Tokenizer& tokenizer) { return static_cast<int>(tokenizer.size()); }

TEST(TokenizerVocabulary, SpecialTokensAreTheModelsOwn) {
  const auto tokenizer = golden_tokenizer();
  const Vocabulary vocabulary(tokenizer, size_of(*tokenizer) + 3);
  const Specials& specials = vocabulary.specials();
  EXPECT_EQ(specials.eos, 2u);
  EXPECT_EQ(specials.sep, 3u + '\n');  // <0x0A>
  EXPECT_EQ(specials.pad, 0u);         // <unk>, which no text contains
  const auto all = specials.all();
  EXPECT_EQ(std::set<Token>(all.begin(), all.end()).size(), all.size());
  EXPECT_FALSE(vocabulary.is_special(1));  // the beginning
}

TEST(TokenizerVocabulary, TextsComeBack) {
  const auto tokenizer = golden_tokenizer();
  const Vocabulary vocabulary(tokenizer, size_of(*tokenizer) + 3);
  for (const char* text : {"86,28,13,31,96", "86-31=55,13+28=41,55+41=96", "6,2/2,10-8,3", ""}) {
    std::vector<Token> tokens = vocabulary.encode_first(text);
    EXPECT_EQ(tokens.front(), 1u);
    tokens.push_back(vocabulary.specials().eos);
    tokens.push_back(vocabulary.specials().pad);
    EXPECT_EQ(vocabulary.decode(tokens), std::string(text) + "[EOS][PAD]");
  }
  const Token beyond = static_cast<Token>(size_of(*tokenizer));  // only the model's tables have it
  EXPECT_EQ(vocabulary.decode({&beyond, 1}), "[UNK]");
  EXPECT_THROW(vocabulary.encode("two\nlines"), Error);
  EXPECT_THROW(vocabulary.encode("</s>"), Error);
}

TEST(TokenizerVocabulary, RefusesWithoutANeededToken) {
  const auto without = golden_tokenizer(/*with_end=*/false);
  EXPECT_THROW(Vocabulary(without, size_of(*without)), Error);
  const auto tokenizer = golden_tokenizer();
  EXPECT_THROW(Vocabulary(tokenizer, size_of(*tokenizer) - 1), Error);
}

TEST(TokenizerVocabulary, RefusesWithoutACharacterOfPuzzles) {
  const formats::TemporaryFolder folder;
  std::string text = read_file(MGDM_SOURCE_DIR "/tests/golden/tokenizers/llama2/tokenizer.json");
  const auto refusal = [&] {
    write_file((folder.path() / "tokenizer.json").string(), text);
    auto tokenizer =
        std::make_shared<tokenizers::Tokenizer>(tokenizers::load_tokenizer(folder.path().string()));
    tokenizer->set_meanings({.begin = 1, .end = 2, .unknown = 0, .pad = {}});
    return error_of([&] { Vocabulary(tokenizer, size_of(*tokenizer) + 3); });
  };
  EXPECT_EQ(refusal(), "");
  text.replace(text.find("\"<0x2F>\""), 8, "\"<slash>\"");  // which stood for /
  EXPECT_CONTAINS(refusal(), "the tokenizer has no token for '/'");
}

TEST(TokenizerVocabulary, RowsAreBeginningPuzzleBreakAnswerEnd) {
  const auto tokenizer = golden_tokenizer();
  // So large that ids take three bytes.
  const Vocabulary vocabulary(tokenizer, 70000);
  const std::shared_ptr<const Layout> layout = make_layout("seq2seq", 40, vocabulary);
  EncodedDataset dataset(vocabulary, layout);
  dataset.add({"12,34", "12+34=46"});
  dataset.add({"5", "6"});
  std::vector<Token> tokens(40);
  std::vector<std::uint8_t> frozen(40);
  dataset.write_row(0, {tokens, frozen});
  const std::size_t puzzle = vocabulary.encode_first("12,34").size();
  EXPECT_EQ(tokens[0], 1u);
  EXPECT_EQ(tokens[puzzle], vocabulary.specials().sep);
  EXPECT_EQ(tokens.back(), vocabulary.specials().pad);
  EXPECT_TRUE(frozen[puzzle]);
  EXPECT_FALSE(frozen[puzzle + 1]);
  EXPECT_TRUE(layout->read_answer(vocabulary, tokens, frozen).starts_with("12+34=46[EOS][PAD]"));
  EXPECT_EQ(dataset.example(1).input, "5");
  EXPECT_EQ(dataset.example(1).output, "6");
}

TEST(TokenizerVocabulary, DataAreMeasuredInTokens) {
  const auto tokenizer = golden_tokenizer();
  const Vocabulary vocabulary(tokenizer, size_of(*tokenizer) + 3);
  DataSettings settings;
  settings.count = 20;
  settings.held_out = 2;
  const PreparedData data = prepare_data("countdown-3", settings, 1, vocabulary);
  EXPECT_GT(data.train.length(), 10);
  EXPECT_LT(data.train.length(), 40);
  EXPECT_EQ(data.held_out.size(), 2u);
}

// Copies of a puzzle are measured in tokens, too: every one fits into its row.
TEST(TokenizerVocabulary, RowsHaveRoomForCopies) {
  const auto tokenizer = golden_tokenizer();
  const Vocabulary vocabulary(tokenizer, size_of(*tokenizer) + 3);
  DataSettings settings;
  settings.count = 20;
  settings.held_out = 0;
  settings.task = {"nodes=3"};
  settings.augment = true;
  const PreparedData data = prepare_data("planning", settings, 1, vocabulary);
  std::vector<Token> tokens(static_cast<std::size_t>(data.train.length()));
  std::vector<std::uint8_t> frozen(tokens.size());
  for (std::uint32_t item = 0; item < 20; ++item)
    for (std::uint32_t epoch = 0; epoch < 20; ++epoch) {
      data.train.parts()[0].source->write_row(item, epoch, {tokens, frozen});
      ASSERT_NE(std::ranges::find(tokens, vocabulary.specials().eos), tokens.end());
    }
  // As if every character were a token, and the beginning, two spaces, the line break and the end.
  std::size_t characters = 0;
  for (std::uint32_t item = 0; item < 20; ++item)
    characters = std::max(characters, data.task->abilities().symmetries->longest_copy(
                                          data.task->generate(1, tasks::Split::kTrain, item)));
  EXPECT_EQ(tokens.size(), characters + 5);
  settings.length = data.train.length() - 1;
  EXPECT_THROW(prepare_data("planning", settings, 1, vocabulary), UsageError);
}

}  // namespace
}  // namespace mgdm::data
