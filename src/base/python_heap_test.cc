// The expected order was printed by CPython 3.11.
#include "base/python_heap.h"

#include <gtest/gtest.h>

#include <vector>

namespace mgdm {
namespace {

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
