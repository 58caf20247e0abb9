// Values of JSON, beside the parser of the library, and the strings in them written and read again.
#include "formats/json_text.h"
#include "formats/json_tree.h"
#include "formats/jsonl.h"
#include "fuzz.h"

MGDM_FUZZ(text) {
  using namespace mgdm;
  using formats::JsonTree;
  JsonTree tree;
  if (tree.parse(text) != JsonTree::Result::kValue) return;
  fuzz::require(tree.size() <= text.size());
  const auto json = formats::parse_json(text.substr(0, tree.size()));
  fuzz::require(!json.is_discarded());
  if (!json.is_string()) return;
  fuzz::require(json.get<std::string>() == tree.text(0));
  const std::string again = formats::json_string(tree.text(0));
  JsonTree other;
  fuzz::require(other.parse(again) == JsonTree::Result::kValue && other.text(0) == tree.text(0));
}
