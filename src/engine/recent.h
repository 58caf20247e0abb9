// The last few things that were used, most recent first; beyond kMost the oldest is forgotten.
#pragma once

#include <algorithm>
#include <cstddef>
#include <list>
#include <utility>

namespace mgdm::engine {

template <class T, std::size_t kMost>
class Recent {
 public:
  // The one that is(it); where there is none, one made of the arguments.
  template <class Is, class... Arguments>
  T& get(Is&& is, Arguments&&... arguments) {
    const auto known = std::ranges::find_if(list_, is);
    if (known != list_.end()) {
      list_.splice(list_.begin(), list_, known);
    } else {
      if (list_.size() == kMost) list_.pop_back();
      list_.emplace_front(std::forward<Arguments>(arguments)...);
    }
    return list_.front();
  }

 private:
  std::list<T> list_;
};

}  // namespace mgdm::engine
