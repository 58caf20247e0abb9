#include "data/rows.h"

namespace mgdm::data {

std::vector<Token> carried_back(const View& view, std::span<const Token> there,
                                std::span<const Token> tokens,
                                std::span<const std::uint8_t> frozen) {
  std::vector<Token> meaning(view.names.size()), carried(tokens.begin(), tokens.end());
  for (std::size_t v = 0; v < meaning.size(); ++v) meaning[view.names[v]] = static_cast<Token>(v);
  for (std::size_t n = 0; n < carried.size(); ++n)
    if (!frozen[n]) carried[n] = meaning.at(there[view.places[n]]);
  return carried;
}

}  // namespace mgdm::data
