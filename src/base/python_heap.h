// Python's heapq, move for move: which of several equal elements comes first is decided by how they
// were sifted, so a search that breaks ties by its heap can be repeated exactly.
//
// Beside std::push_heap: Python's pop lets the hole sink to a leaf along the smaller children (the
// right one where both are equal) and only then lets the last element rise from there.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace mgdm {

// Elements need only <.
template <class T>
class PythonHeap {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }

  // heapq.heappush
  void push(T element) {
    heap_.push_back(std::move(element));
    rise(heap_.size() - 1);
  }

  // heapq.heappop; there must be one.
  T pop() {
    T last = std::move(heap_.back());
    heap_.pop_back();
    if (heap_.empty()) return last;
    T first = std::exchange(heap_.front(), std::move(last));
    rise(sink_to_leaf());
    return first;
  }

 private:
  void rise(std::size_t place) {
    T element = std::move(heap_[place]);
    while (place > 0) {
      const std::size_t parent = (place - 1) / 2;
      if (!(element < heap_[parent])) break;
      heap_[place] = std::move(heap_[parent]);
      place = parent;
    }
    heap_[place] = std::move(element);
  }

  // Moves the front element to a leaf; returns where it is.
  std::size_t sink_to_leaf() {
    T element = std::move(heap_.front());
    std::size_t place = 0;
    for (std::size_t child = 1; child < heap_.size(); child = 2 * place + 1) {
      if (child + 1 < heap_.size() && !(heap_[child] < heap_[child + 1])) ++child;
      heap_[place] = std::move(heap_[child]);
      place = child;
    }
    heap_[place] = std::move(element);
    return place;
  }

  std::vector<T> heap_;
};

}  // namespace mgdm
