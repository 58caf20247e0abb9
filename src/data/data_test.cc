#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/error.h"
#include "base/random.h"
#include "data/batches.h"
#include "data/encoded_dataset.h"
#include "data/layout.h"
#include "data/mixture.h"
#include "data/vocabulary.h"
#include "formats/test_support.h"
#include "support/error_of.h"
#include "tasks/all_tasks.h"

namespace mgdm::data {
namespace {

TEST(Vocabulary, ThePapersThirtyOneTokens) {
  const Vocabulary vocabulary;
  EXPECT_EQ(vocabulary.size(), 31);
  // Ids as released: 0..4 special, digits from 5, then * + - / = , and a..j.
  EXPECT_EQ(vocabulary.encode("09*+-/=,aj"),
            (std::vector<Token>{5, 14, 15, 16, 17, 18, 19, 20, 21, 30}));
  EXPECT_EQ(vocabulary.decode(vocabulary.encode("12+3=15")), "12+3=15");
  EXPECT_EQ(vocabulary.decode(std::vector<Token>{6, kMask, kEos, kPad}), "1[MASK][EOS][PAD]");
}

TEST(Vocabulary, RefusesWhatItDoesNotKnow) {
  const Vocabulary vocabulary;
  for (const char* bad : {"x", " ", "\xc3\xa9", "."}) EXPECT_THROW(vocabulary.encode(bad), Error);
  EXPECT_THROW(Vocabulary("aba"), Error);
  EXPECT_THROW(Vocabulary(""), Error);
  EXPECT_EQ(Vocabulary("xyz").size(), 8);
  EXPECT_EQ(Vocabulary(" ~").size(), 7);  // the first and the last that are printable
}

TEST(Vocabulary, OfWordsTakesTheLongest) {
  const Vocabulary vocabulary("@search");
  EXPECT_EQ(vocabulary.size(), kSpecialTokens + 1000 + 12 + 14);
  EXPECT_EQ(vocabulary.alphabet(), "@search");
  EXPECT_EQ(vocabulary.words()[999], "999");
  // A number is one word, a longer one its digits in threes; no word begins with a 0 but 0 itself.
  EXPECT_EQ(vocabulary.count("95-90=5"), 5u);
  EXPECT_EQ(vocabulary.encode("12345007"),
            (std::vector<Token>{kSpecialTokens + 123, kSpecialTokens + 450, kSpecialTokens,
                                kSpecialTokens + 7}));
  EXPECT_EQ(vocabulary.encode("855"), (std::vector<Token>{kSpecialTokens + 855}));
  const std::string line =
      "Current State: 28:[32, 4], Operations: ['67-53=14', '14-10=4']\n"
      "Exploring Operation: 32-4=28, Resulting Numbers: [28]\n28,28 equal: Goal Reached";
  EXPECT_EQ(vocabulary.decode(vocabulary.encode(line)), line);
  EXPECT_EQ(vocabulary.count("Current State: 28:[32, 4], Operations: ['67-53=14', '14-10=4']\n"),
            21u);
  EXPECT_THROW(vocabulary.encode("love"), Error);
  EXPECT_EQ(Vocabulary("@find").size(), kSpecialTokens + 5);  // characters, as ever
  const Vocabulary copy = vocabulary;
  EXPECT_EQ(copy.encode(line), vocabulary.encode(line));
}

// Every text that the tasks make can be written, and is much shorter in words than in characters.
TEST(Vocabulary, CharactersAreCodePoints) {
  const Vocabulary vocabulary("aä\n→");
  EXPECT_EQ(vocabulary.size(), kSpecialTokens + 4);
  EXPECT_EQ(vocabulary.encode("ä→a\n"), (std::vector<Token>{6, 8, 5, 7}));
  EXPECT_EQ(vocabulary.decode(vocabulary.encode("ä→a\n")), "ä→a\n");
  EXPECT_CONTAINS(error_of([&] { vocabulary.encode("aü"); }), "character 'ü' of 'aü' has no token");
  for (const char* bad : {"aä→ä", "a\x01", "a\xff", "\u202e", ""})
    EXPECT_THROW(Vocabulary{bad}, Error) << bad;
}

TEST(Vocabulary, ManyCharactersAreManyTokens) {
  std::string alphabet;
  for (int i = 0; i < 1000; ++i)
    alphabet += {static_cast<char>(0xE4 + i / 4096), static_cast<char>(0x80 + i / 64),
                 static_cast<char>(0x80 + i % 64)};
  const Vocabulary vocabulary(alphabet);
  EXPECT_EQ(vocabulary.size(), kSpecialTokens + 1000);
  EXPECT_EQ(vocabulary.decode(vocabulary.encode(alphabet)), alphabet);
}

TEST(Vocabulary, KnowsTheWordsOfSearches) {
  const Vocabulary vocabulary("@search");
  for (const std::string& name : tasks::variant_names()) {
    const auto task = tasks::make_task(name);
    if (!task->abilities().generates) continue;
    for (std::uint32_t item = 0; item < (name.back() == '5' ? 3u : 20u); ++item) {
      const auto example = task->generate(0, tasks::Split::kTrain, item);
      EXPECT_EQ(vocabulary.decode(vocabulary.encode(example.input)), example.input);
      EXPECT_EQ(vocabulary.decode(vocabulary.encode(example.output)), example.output);
      EXPECT_LT(3 * vocabulary.count(example.output), 2 * example.output.size()) << name;
    }
  }
}

// Numbers are whole, but for the few large ones.
TEST(Vocabulary, KnowsTheNumbersOfCountdown) {
  const Vocabulary vocabulary("@countdown");
  EXPECT_EQ(vocabulary.size(), kSpecialTokens + 6 + 200 + 10);
  EXPECT_EQ(std::set<std::string>(vocabulary.words().begin(), vocabulary.words().end()).size(),
            vocabulary.words().size());
  EXPECT_EQ(vocabulary.count("5,43,16,199"), 7u);
  EXPECT_EQ(vocabulary.count("99*98=9702,9702-9606=96"), 11u + 3u);
  EXPECT_EQ(vocabulary.count("940005"), 3u);
  for (const auto& [name, length] : std::map<std::string, std::size_t>{
           {"countdown-3", 22}, {"countdown-4", 32}, {"countdown-5", 44}}) {
    const auto task = tasks::make_task(name);
    for (std::uint32_t item = 0; item < 200; ++item) {
      const auto example = task->generate(0, tasks::Split::kTrain, item);
      for (const std::string& text : {example.input, example.output})
        EXPECT_EQ(vocabulary.decode(vocabulary.encode(text)), text);
      EXPECT_LE(vocabulary.count(example.input) + vocabulary.count(example.output) + 2, length);
    }
  }
}

// A clause is one token, but for the last; so is a literal of the answer with its comma.
TEST(Vocabulary, KnowsTheClausesOfFormulas) {
  const std::map<int, int> clauses{{5, 80}, {7, 280}, {9, 672}};  // n over 3, times 8
  for (const auto& [n, count] : clauses) {
    const Vocabulary vocabulary(fmt::format("@sat-{}", n));
    EXPECT_EQ(vocabulary.size(), kSpecialTokens + 2 + 4 * n + count);
    EXPECT_EQ(std::set<std::string>(vocabulary.words().begin(), vocabulary.words().end()).size(),
              vocabulary.words().size());
    const auto task = tasks::make_task(fmt::format("sat-{}", n));
    for (std::uint32_t item = 0; item < 20; ++item) {
      const auto example = task->generate(0, tasks::Split::kTrain, item);
      EXPECT_EQ(vocabulary.decode(vocabulary.encode(example.input)), example.input);
      EXPECT_EQ(vocabulary.decode(vocabulary.encode(example.output)), example.output);
      const auto marks = std::count(example.input.begin(), example.input.end(), '/');
      // The literals of the last clause, two of them with a comma.
      EXPECT_EQ(vocabulary.count(example.input), static_cast<std::size_t>(marks) + 3);
      EXPECT_EQ(vocabulary.count(example.output), static_cast<std::size_t>(n));
    }
  }
}

struct RowData {
  std::vector<Token> tokens;
  std::vector<std::uint8_t> frozen;
};

RowData row_of(const Layout& layout, const tasks::Example& example) {
  const Vocabulary vocabulary;
  const auto length = static_cast<std::size_t>(layout.length());
  RowData row{std::vector<Token>(length, 99), std::vector<std::uint8_t>(length, 99)};
  layout.check_fits(example.input.size(), example.output.size());
  layout.write(vocabulary.encode(example.input), vocabulary.encode(example.output),
               {row.tokens, row.frozen});
  return row;
}

TEST(Layout, Seq2Seq) {
  const auto layout = make_seq2seq(9);
  const RowData row = row_of(*layout, {"1,2", "3"});
  EXPECT_EQ(Vocabulary().decode(row.tokens), "1,2[SEP]3[EOS][PAD][PAD][PAD]");
  EXPECT_EQ(row.frozen, (std::vector<std::uint8_t>{1, 1, 1, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(layout->read_answer(Vocabulary(), row.tokens, row.frozen), "3[EOS][PAD][PAD][PAD]");
  EXPECT_NO_THROW(layout->check_fits(3, 4));
  EXPECT_THROW(layout->check_fits(4, 4), Error);
}

TEST(Layout, InPlace) {
  const auto layout = make_in_place(4, Vocabulary().encode("0")[0]);
  const RowData row = row_of(*layout, {"1030", "1234"});
  EXPECT_EQ(Vocabulary().decode(row.tokens), "1234");
  EXPECT_EQ(row.frozen, (std::vector<std::uint8_t>{1, 0, 1, 0}));
  EXPECT_EQ(layout->read_answer(Vocabulary(), row.tokens, row.frozen), "1234");
  EXPECT_THROW(layout->check_fits(4, 3), Error);
}

// "12" with an answer of seven in rows of six: 1 2 [SEP] a b c | d e f g [EOS].
TEST(Layout, LongCutsExamples) {
  const auto layout = make_long(6);
  const Vocabulary vocabulary;
  EncodedDataset dataset(vocabulary, make_long(6));
  dataset.add({"12", "abcdefg"});
  dataset.add({"3", "4"});
  dataset.add({"12", "abcdefghij"});
  std::vector<std::string> rows;
  std::vector<std::vector<std::uint8_t>> frozen;
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    RowData row{std::vector<Token>(6, 99), std::vector<std::uint8_t>(6, 99)};
    dataset.write_row(i, {row.tokens, row.frozen});
    rows.push_back(vocabulary.decode(row.tokens));
    frozen.push_back(row.frozen);
  }
  EXPECT_EQ(rows,
            (std::vector<std::string>{"12[SEP]abc", "defg[EOS][PAD]", "3[SEP]4[EOS][PAD][PAD]",
                                      "12[SEP]abc", "defghi", "j[EOS][PAD][PAD][PAD][PAD]"}));
  EXPECT_EQ(frozen[0], (std::vector<std::uint8_t>{1, 1, 1, 0, 0, 0}));
  EXPECT_EQ(frozen[1], (std::vector<std::uint8_t>{1, 0, 0, 0, 0, 0}));
  RowData puzzle{std::vector<Token>(6, 99), std::vector<std::uint8_t>(6, 99)};
  layout->write_puzzle(vocabulary.encode("12"), {puzzle.tokens, puzzle.frozen});
  EXPECT_EQ(puzzle.frozen, (std::vector<std::uint8_t>{1, 1, 1, 0, 0, 0}));
  EXPECT_EQ(layout->answer_begin(puzzle.frozen), 3u);
  // A puzzle fits when a token of its answer does.
  EXPECT_TRUE(layout->has_room(3, 1000));
  EXPECT_FALSE(layout->has_room(4, 1));
  EXPECT_THROW(layout->check_fits(4, 1), Error);
}

TEST(Layout, ByName) {
  EXPECT_EQ(make_layout("long", 9, Vocabulary())->name(), "long");
  EXPECT_EQ(make_layout("seq2seq", 9, Vocabulary())->name(), "seq2seq");
  EXPECT_EQ(make_layout("in_place", 81, Vocabulary())->name(), "in_place");
  EXPECT_THROW(make_layout("sideways", 9, Vocabulary()), UsageError);
}

EncodedDataset countdown(std::size_t count, int threads) {
  return generate_encoded(*tasks::make_task("countdown-4"), 1, tasks::Split::kTrain, count,
                          Vocabulary(), make_seq2seq(64), threads);
}

TEST(EncodedDataset, HoldsTheExamplesWhateverTheThreads) {
  const auto task = tasks::make_task("countdown-4");
  const EncodedDataset one = countdown(10000, 1), three = countdown(10000, 3);
  ASSERT_EQ(one.size(), 10000u);
  for (std::size_t i = 0; i < one.size(); ++i) {
    ASSERT_TRUE(std::ranges::equal(one.input(i), three.input(i)));
    ASSERT_TRUE(std::ranges::equal(one.output(i), three.output(i)));
  }
  for (const std::uint32_t i : {0u, 1u, 4095u, 4096u, 9999u})
    EXPECT_EQ(one.example(i), task->generate(1, tasks::Split::kTrain, i));
}

TEST(EncodedDataset, IsCompact) {
  // 500,000 examples must stay under 64 MiB; a fiftieth of them under a fiftieth of it.
  EXPECT_LT(countdown(10000, 2).memory_bytes() * 50, std::size_t{64} << 20);
}

TEST(EncodedDataset, RefusesWhatDoesNotFit) {
  EncodedDataset dataset(Vocabulary(), make_seq2seq(8));
  EXPECT_THROW(dataset.add({"1234", "567"}), Error);
  EXPECT_THROW(dataset.add({"x", "1"}), Error);
  dataset.add({"1", "2"});
  EXPECT_EQ(dataset.size(), 1u);
}

TEST(Batches, EpochOrdersArePermutationsAndDiffer) {
  const auto first = epoch_order(1000, 1, 0), second = epoch_order(1000, 1, 1);
  EXPECT_NE(first, second);
  EXPECT_NE(first, epoch_order(1000, 2, 0));
  EXPECT_EQ(first, epoch_order(1000, 1, 0));
  auto sorted = first;
  std::sort(sorted.begin(), sorted.end());
  for (std::uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(sorted[i], i);
}

TEST(Batches, GoThroughTheEpochsInOrder) {
  const EncodedDataset dataset = countdown(10, 1);
  const Mixture mixture = Mixture::of(dataset);
  Batches batches(mixture, 4, /*seed=*/3);
  std::vector<std::uint32_t> items, expected;
  for (std::uint32_t epoch = 0; epoch < 4; ++epoch)
    for (const std::uint32_t item : epoch_order(10, 3, epoch)) expected.push_back(item);
  for (std::uint64_t step = 0; step < 10; ++step) {
    const Batch batch = batches.next();
    EXPECT_EQ(batch.step, step);
    for (std::size_t row = 0; row < 4; ++row) {
      items.push_back(batch.rows.items[row]);
      EXPECT_EQ(batch.epochs[row], (step * 4 + row) / 10);
      std::vector<Token> tokens(64);
      std::vector<std::uint8_t> frozen(64);
      dataset.write_row(batch.rows.items[row], {tokens, frozen});
      EXPECT_TRUE(std::equal(tokens.begin(), tokens.end(),
                             batch.rows.tokens.begin() + static_cast<std::ptrdiff_t>(row * 64)));
    }
  }
  EXPECT_EQ(items, expected);
}

TEST(Batches, DoNotDependOnThreadsAndResumeAnywhere) {
  const Mixture mixture = Mixture::of(countdown(100, 1));
  Batches one(mixture, 32, 7, 0, 1), three(mixture, 32, 7, 0, 3), later(mixture, 32, 7, 5, 2);
  for (std::uint64_t step = 0; step < 20; ++step) {
    const Batch a = one.next(), b = three.next();
    ASSERT_EQ(a.rows.items, b.rows.items);
    ASSERT_EQ(a.rows.tokens, b.rows.tokens);
    ASSERT_EQ(a.rows.frozen, b.rows.frozen);
    if (step < 5) continue;
    const Batch c = later.next();
    ASSERT_EQ(c.step, step);
    ASSERT_EQ(a.rows.items, c.rows.items);
  }
}

TEST(Batches, ABatchLargerThanTheDatasetSpansEpochs) {
  const Mixture mixture = Mixture::of(countdown(3, 1));
  Batches batches(mixture, 64, 0);
  const Batch batch = batches.next();
  EXPECT_EQ(batch.epochs.back(), 21u);
  for (std::uint32_t item = 0; item < 3; ++item)
    EXPECT_NEAR(
        static_cast<double>(std::count(batch.rows.items.begin(), batch.rows.items.end(), item)), 21,
        1);
}

TEST(Batches, SharesMakeUpTheBatch) {
  const Mixture mixture = Mixture::of(countdown(100, 1));
  Batches whole(mixture, 7, /*seed=*/3);
  const Share shares[] = {share_of(7, 0, 3), share_of(7, 1, 3), share_of(7, 2, 3)};
  EXPECT_EQ(shares[0].begin, 0u);
  EXPECT_EQ(shares[2].end, 7u);
  Batches first(mixture, 7, shares[0], 3), second(mixture, 7, shares[1], 3),
      third(mixture, 7, shares[2], 3);
  for (int step = 0; step < 30; ++step) {
    const Batch expected = whole.next();
    Batch all = first.next();
    for (Batches* const rest : {&second, &third}) {
      const Batch more = rest->next();
      EXPECT_EQ(more.step, expected.step);
      all.rows.items.insert(all.rows.items.end(), more.rows.items.begin(), more.rows.items.end());
      all.epochs.insert(all.epochs.end(), more.epochs.begin(), more.epochs.end());
      all.rows.tokens.insert(all.rows.tokens.end(), more.rows.tokens.begin(),
                             more.rows.tokens.end());
      all.rows.frozen.insert(all.rows.frozen.end(), more.rows.frozen.begin(),
                             more.rows.frozen.end());
    }
    EXPECT_EQ(all.rows.items, expected.rows.items);
    EXPECT_EQ(all.epochs, expected.epochs);
    EXPECT_EQ(all.rows.tokens, expected.rows.tokens);
    EXPECT_EQ(all.rows.frozen, expected.rows.frozen);
  }
}

TEST(Batches, AugmentedRowsAreFreshInEveryEpoch) {
  const std::shared_ptr<const tasks::Task> task = tasks::make_task("sudoku");
  const EncodedDataset dataset =
      generate_encoded(*task, 1, tasks::Split::kTrain, 2, Vocabulary(), make_seq2seq(164), 1);
  const Mixture mixture = Mixture::of(dataset, symmetries(task, 1));
  Batches one(mixture, 2, 7, 0, 1), two(mixture, 2, 7, 0, 2);
  const Batch first = one.next(), second = one.next();
  EXPECT_EQ(first.rows.tokens, two.next().rows.tokens);
  EXPECT_NE(first.rows.tokens, second.rows.tokens);
  const std::string row = Vocabulary().decode(std::span(first.rows.tokens).first(164));
  EXPECT_TRUE(task->verify({row.substr(0, 81), ""}, row.substr(86, 81)).correct) << row;
}

TEST(Batches, ATwinThatDoesNotFitIsAnError) {
  EncodedDataset dataset(Vocabulary(), make_seq2seq(13));
  dataset.add({"0,1-0,1", "0,1"});  // 12 tokens with [SEP] and [EOS]
  const Augment longer = [](const tasks::Example&, std::uint32_t, std::uint32_t) {
    return tasks::Example{"10,11-10,11", "10,11"};
  };
  const Mixture mixture = Mixture::of(dataset, longer);
  Batches batches(mixture, 1, 7, 0, 1);
  EXPECT_THROW(batches.next(), Error);
}

// Two fixed sets and a generator, 2 : 1 : 3 in every six places, each in its own order.
TEST(Mixtures, DealOutTheirSourcesByWeight) {
  const EncodedDataset first = countdown(10, 1), second = countdown(4, 2);
  const std::shared_ptr<const tasks::Task> task = tasks::make_task("countdown-4");
  const std::shared_ptr<const Layout> layout = make_seq2seq(64);
  const Generate generate = [&](std::uint32_t item) {
    return task->generate(9, tasks::Split::kTrain, item);
  };
  const Mixture mixture({{fixed_source(first), 2},
                         {fixed_source(second), 1},
                         {endless_source(generate, Vocabulary(), layout), 3}},
                        64);
  EXPECT_EQ(mixture.size(), 0u);  // without end
  Batches batches(mixture, 6, /*seed=*/3), later(mixture, 6, 3, /*first_step=*/7, 2);
  for (std::uint64_t step = 0; step < 20; ++step) {
    const Batch batch = batches.next();
    if (step >= 7) {
      EXPECT_EQ(batch.rows.tokens, later.next().rows.tokens);
    }
    for (std::size_t row = 0; row < 6; ++row) {
      const bool endless = row >= 3;
      std::vector<Token> expected(64);
      std::vector<std::uint8_t> frozen(64);
      if (endless) {
        const auto item = static_cast<std::uint32_t>(step * 3 + row - 3);
        const tasks::Example example = generate(item);
        layout->write(Vocabulary().encode(example.input), Vocabulary().encode(example.output),
                      {expected, frozen});
        EXPECT_EQ(batch.rows.items[row], mixture.key(2, item));
      } else {
        const EncodedDataset& set = row < 2 ? first : second;
        const std::uint64_t position = row < 2 ? step * 2 + row : step;
        const auto epoch = static_cast<std::uint32_t>(position / set.size());
        const auto order = epoch_order(set.size(), 3, epoch, row < 2 ? 0 : 1);
        EXPECT_EQ(batch.epochs[row], epoch);
        set.write_row(order[position % set.size()], {expected, frozen});
      }
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(),
                             batch.rows.tokens.begin() + static_cast<std::ptrdiff_t>(row * 64)));
    }
  }
}

// Three parts share the 2^32 numbers evenly.
TEST(Mixtures, KeysOfPartsDoNotMeet) {
  const auto source = [] { return fixed_source(countdown(10, 1)); };
  const Mixture mixture({{source(), 1}, {source(), 1}, {source(), 1}}, 64);
  EXPECT_EQ(mixture.key(0, 5), 5u);
  EXPECT_EQ(mixture.key(1, 5), 1431655765u + 5);
  EXPECT_EQ(mixture.key(2, 5), 2 * 1431655765u + 5);
}

TEST(Mixtures, AloneASourceIsADataset) {
  const Mixture mixture = Mixture::of(countdown(5, 1));
  EXPECT_EQ(mixture.size(), 5u);
  EXPECT_EQ(mixture.place(12).position, 12u);
  EXPECT_EQ(mixture.key(0, 4000000000u), 4000000000u);
}

}  // namespace
}  // namespace mgdm::data
