#include "formats/jsonl.h"
#include "fuzz.h"

MGDM_FUZZ(text) {
  using namespace mgdm;
  for (const auto& [key, value] : formats::parse_jsonl_line(text)) {
    const auto again = formats::parse_jsonl_line(formats::jsonl_line({{key, value}}));
    fuzz::require(again == formats::JsonStrings{{key, value}});
  }
}
