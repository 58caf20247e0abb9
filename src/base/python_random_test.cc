// The expected numbers were printed by CPython 3.11.
// The expected order was printed by CPython 3.11.
#include "base/python_random.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace mgdm {
namespace {

TEST(PythonRandom, DrawsPythonsWords) {
  const auto words = [](std::uint64_t seed) {
    PythonRandom random(seed);
    std::vector<std::uint32_t> drawn;
    for (int i = 0; i < 4; ++i) drawn.push_back(random.getrandbits(32));
    return drawn;
  };
  using Words = std::vector<std::uint32_t>;
  EXPECT_EQ(words(0), (Words{3626764237, 1654615998, 3255389356, 3823568514}));
  EXPECT_EQ(words(1), (Words{577090037, 2444712010, 3639700191, 3445702192}));
  EXPECT_EQ(words(4), (Words{1013818839, 1302657532, 443094727, 3097603021}));
  EXPECT_EQ(words(0xffffffff), (Words{2728839433, 2661025012, 872737089, 924893097}));
  // Seeds of two words.
  EXPECT_EQ(words(0x100000005), (Words{675479763, 2085189291, 1213270837, 3822202474}));
  EXPECT_EQ(words(~std::uint64_t{0}), (Words{93740670, 1068495656, 1452108352, 2657516307}));
}

TEST(PythonRandom, GoesOnBeyondItsState) {
  PythonRandom random(4);
  for (int i = 1; i < 10000; ++i) random.getrandbits(32);
  EXPECT_EQ(random.getrandbits(32), 864937783u);
}

TEST(PythonRandom, DrawsFewerBits) {
  PythonRandom random(7);
  std::vector<std::uint32_t> drawn;
  for (const int bits : {1, 2, 3, 7, 8, 31, 32}) drawn.push_back(random.getrandbits(bits));
  EXPECT_EQ(drawn, (std::vector<std::uint32_t>{0, 3, 1, 50, 166, 103694312, 311111475}));
}

// One after another from one generator, so each must consume as much as Python's does.
TEST(PythonRandom, DrawsNumbersChoicesAndShuffles) {
  PythonRandom random(7);
  std::vector<int> numbers;
  for (int i = 0; i < 10; ++i) numbers.push_back(random.randint(1, 99));
  EXPECT_EQ(numbers, (std::vector<int>{42, 20, 51, 84, 7, 10, 69, 13, 47, 75}));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(random.randint(4, 4), 4);
  std::string letters;
  for (int i = 0; i < 10; ++i) letters += random.choice(std::span("abcde", 5));
  EXPECT_EQ(letters, "addabaedae");
  std::vector<int> list(10);
  std::iota(list.begin(), list.end(), 0);
  random.shuffle(std::span(list));
  EXPECT_EQ(list, (std::vector<int>{9, 2, 5, 7, 8, 6, 4, 0, 3, 1}));
  EXPECT_EQ(random.randint(0, 1000000), 583705);
}

struct Element {
  int key = 0, number = 0;
  bool operator<(const Element& other) const { return key < other.key; }
};

TEST(PythonHeap, BreaksTiesAsPythonDoes) {
  PythonHeap<Element> heap;
  int number = 0;
  for (const int key : {3, 1, 2, 3, 1, 2, 2, 1, 3, 1, 0, 2}) heap.push({key, number++});
  std::vector<int> order;
  for (int i = 0; i < 5; ++i) order.push_back(heap.pop().number);
  for (const int key : {1, 1, 0, 2, 1}) heap.push({key, number++});
  while (!heap.empty()) order.push_back(heap.pop().number);
  EXPECT_EQ(order, (std::vector<int>{10, 1, 4, 9, 7, 14, 16, 12, 13, 6, 5, 11, 15, 2, 8, 3, 0}));
}

}  // namespace
}  // namespace mgdm
