// A small cache of the last kMost items used, most recent first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <list>
#include <utility>

namespace mgdm::engine {

template <class T, std::size_t kMost>
class Recent {
 public:
  // The item for which is() holds, or else a new one from the arguments.
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
