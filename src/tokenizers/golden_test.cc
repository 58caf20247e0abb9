// Tokens as other libraries make them (tests/golden/tokenizers: made_by says which).
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "tokenizers/tokenizer.h"

namespace mgdm::tokenizers {
namespace {

const std::filesystem::path kGolden =
    std::filesystem::path(MGDM_SOURCE_DIR) / "tests/golden/tokenizers";

using Ids = std::vector<Id>;

class Golden : public testing::TestWithParam<const char*> {};

TEST_P(Golden, TokensAndTextsAreTheSame) {
#ifndef MGDM_HAVE_PCRE2
  GTEST_SKIP() << "built without PCRE2";
#endif
  const std::filesystem::path folder = kGolden / GetParam();
  const Tokenizer tokenizer = load_tokenizer(folder);
  const auto golden = nlohmann::json::parse(read_file(folder / "golden.json"));
  ASSERT_GT(golden["texts"].size(), 10u);
  for (const auto& item : golden["texts"]) {
    const auto text = item["text"].get<std::string>();
    const Ids ids = tokenizer.encode(text);
    EXPECT_EQ(ids, item["ids"].get<Ids>()) << item["text"];
    EXPECT_EQ(tokenizer.decode(ids), item["decoded"].get<std::string>()) << item["text"];
  }
}

INSTANTIATE_TEST_SUITE_P(All, Golden,
                         testing::Values("gpt2", "llama3", "llama2", "metaspace", "spm"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace mgdm::tokenizers
