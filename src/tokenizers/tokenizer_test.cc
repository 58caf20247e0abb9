#include "tokenizers/tokenizer.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/paths.h"
#include "support/error_of.h"
#include "tokenizers/protobuf.h"
#include "tokenizers/steps.h"

namespace mgdm::tokenizers {
namespace {

using Ids = std::vector<Id>;
using Words = std::vector<std::string>;

std::string document(const std::string& more, const std::string& model_more = "") {
  return R"({"added_tokens": [{"id": 7, "content": "<end>", "special": true}], )" + more +
         R"("model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4, "bc": 5,
            "?": 6}, "merges": ["b c", ["a", "b"], ["ab", "c"]])" +
         model_more + "}}";
}

Tokenizer parse(const std::string& more = "", const std::string& model_more = "") {
  return parse_tokenizer_json(document(more, model_more), "t.json");
}

std::string refusal(const std::string& text) {
  return error_of([&] { parse_tokenizer_json(text, "t.json"); });
}

TEST(Bpe, JoinsByRankFromTheLeft) {
  EXPECT_EQ(parse().encode("abc"), (Ids{0, 5}));  // "b c" comes first
  EXPECT_EQ(parse().encode("abab"), (Ids{3, 3}));
  EXPECT_EQ(parse().encode("abcab"), (Ids{0, 5, 3}));
  EXPECT_EQ(parse("", R"(, "ignore_merges": true)").encode("abc"), (Ids{4}));
}

TEST(Bpe, WhatItDoesNotKnow) {
  EXPECT_EQ(parse().encode("axxb"), (Ids{0, 1}));
  EXPECT_EQ(parse("", R"(, "unk_token": "?")").encode("axxb"), (Ids{0, 6, 6, 1}));
  EXPECT_EQ(parse("", R"(, "unk_token": "?", "fuse_unk": true)").encode("axxbx"),
            (Ids{0, 6, 1, 6}));
}

TEST(Bpe, ScoresDecideWhatIsJoinedFirst) {
  Bpe bpe({"a", "b", "c", "ab", "bc", "abc"}, {});
  bpe.merge_by_scores({-9, -9, -9, -2, -1, -5});
  Ids ids;
  bpe.encode("abcab", ids);
  EXPECT_EQ(ids, (Ids{5, 3}));  // bc, then ab; abc last of all
}

TEST(Tokenizer, AddedTokensStandInTheText) {
  const Tokenizer tokenizer = parse();
  EXPECT_EQ(tokenizer.encode("ab<end>c"), (Ids{3, 7, 2}));
  EXPECT_EQ(tokenizer.decode(Ids{3, 7, 2}), "abc");
  EXPECT_EQ(tokenizer.decode(Ids{3, 7, 2}, /*skip_special=*/false), "ab<end>c");
  EXPECT_EQ(tokenizer.size(), 8u);
  EXPECT_EQ(tokenizer.find("<end>"), std::optional<Id>(7));
  EXPECT_EQ(tokenizer.find("nowhere"), std::nullopt);
}

TEST(Tokenizer, RefusesWhatIsNoTextOrNoToken) {
  EXPECT_THROW(parse().encode("a\xff"), Error);
  EXPECT_THROW(parse().decode(Ids{8}), Error);
}

TEST(PreTokenizer, EachBehaviorOfASplit) {
  const auto words = [](Behavior behavior, bool invert = false) {
    return words_of({Split{Pattern::of_text("-"), behavior, invert}}, "the-final--countdown", true);
  };
  EXPECT_EQ(words(Behavior::kRemoved), (Words{"the", "final", "countdown"}));
  EXPECT_EQ(words(Behavior::kIsolated), (Words{"the", "-", "final", "-", "-", "countdown"}));
  EXPECT_EQ(words(Behavior::kMergedWithPrevious), (Words{"the-", "final-", "-", "countdown"}));
  EXPECT_EQ(words(Behavior::kMergedWithNext), (Words{"the", "-final", "-", "-countdown"}));
  EXPECT_EQ(words(Behavior::kContiguous), (Words{"the", "-", "final", "--", "countdown"}));
  EXPECT_EQ(words(Behavior::kRemoved, /*invert=*/true), (Words{"-", "-", "-"}));
}

// Older files have add_prefix_space where newer ones have prepend_scheme.
TEST(PreTokenizer, MetaspaceIsPutBeforeTheTextAsTheFileSays) {
  const auto ids = [](const std::string& setting) {
    return parse_tokenizer_json(R"({"pre_tokenizer": {"type": "Metaspace", "replacement": "_", )" +
                                    setting +
                                    R"(}, "model": {"vocab": {"a": 0, "_": 1}, "merges": []}})",
                                "t.json")
        .encode("a");
  };
  const Ids with{1, 0}, without{0};
  EXPECT_EQ(ids(R"("prepend_scheme": "always")"), with);
  EXPECT_EQ(ids(R"("prepend_scheme": "first")"), with);
  EXPECT_EQ(ids(R"("prepend_scheme": "never")"), without);
  EXPECT_EQ(ids(R"("add_prefix_space": true)"), with);
  EXPECT_EQ(ids(R"("add_prefix_space": false)"), without);
  EXPECT_NE(error_of([&] { ids(R"("prepend_scheme": "often")"); }).find("always, first or never"),
            std::string::npos);
}

TEST(ByteLevelText, EveryByteHasACharacterAndComesBack) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(text_as_bytes(bytes_as_text(all)), all);
  EXPECT_EQ(bytes_as_text(" a\n"),
            "Ġ"
            "aĊ");
}

TEST(DecoderSteps, BytesThatAreNoCharacter) {
  EXPECT_EQ(decoded({JoinBytes{}}, {"<0xC3>", "<0xA9>", "x", "<0xC3>"}), "éx\uFFFD");
}

TEST(TokenizerJson, SaysWhatItCannotRead) {
  EXPECT_NE(refusal("{").find("t.json: not valid JSON"), std::string::npos);
  EXPECT_NE(refusal(R"({"model": {"type": "Unigram", "vocab": {"a": 0}, "merges": []}})")
                .find("tokenizer.model.type is 'Unigram'"),
            std::string::npos);
  EXPECT_NE(refusal(document(R"("normalizer": {"type": "NFKC"}, )"))
                .find("tokenizer.normalizer.type is 'NFKC'"),
            std::string::npos);
  EXPECT_NE(refusal(document("", R"(, "unk_token": "nowhere")")).find("unk_token"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"model": {"vocab": {"a": 0, "b": 0}, "merges": []}})").find("both"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"model": {"vocab": {"a": 0}, "merges": ["a b"]}})").find("is no token"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"model": {"vocab": {"a": 4294967296}, "merges": []}})").find("number"),
            std::string::npos);
}

#ifdef MGDM_HAVE_PCRE2
TEST(Regex, NeverTakesForEver) {
  const Regex regex("(a+)+$");
  EXPECT_THROW(regex.matches(std::string(40, 'a') + "b"), Error);
  EXPECT_THROW(Regex("("), Error);
  EXPECT_TRUE(Regex("x*").matches("aaa").empty());
}
#endif

TEST(Protobuf, ReadsFieldsAndRefusesTheRest) {
  Fields fields(std::string_view("\x08\x96\x01\x12\x02hi\x1d\x00\x00\x80\x3f", 12));
  EXPECT_EQ(fields.next()->value, 150u);
  EXPECT_EQ(fields.next()->bytes, "hi");
  EXPECT_EQ(fields.next()->as_float(), 1.0f);
  EXPECT_FALSE(fields.next());
  EXPECT_THROW(Fields("\x12\x7fx").next(), Error);
  EXPECT_THROW(Fields("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff").next(), Error);
  EXPECT_THROW(Fields("\x0b").next(), Error);
}

TEST(TokenizerModel, RefusesWhatIsNotBytePairEncoding) {
  // One piece "a", and no more: SentencePiece's default is a unigram model.
  EXPECT_THROW(parse_tokenizer_model(std::string_view("\x0a\x03\x0a\x01"
                                                      "a",
                                                      5),
                                     "t.model"),
               Error);
  EXPECT_THROW(parse_tokenizer_model("", "t.model"), Error);
}

TEST(LoadTokenizer, ReadsMeaningsAndKeepsTheFiles) {
  std::string name = testing::TempDir() + "mgdm_XXXXXX";
  const std::filesystem::path folder = ::mkdtemp(name.data());
  EXPECT_THROW(load_tokenizer(folder), Error);
  write_file((folder / "tokenizer.json").string(), document(""));
  write_file((folder / "tokenizer_config.json").string(),
             R"({"eos_token": {"content": "<end>"}, "bos_token": null, "unk_token": "?"})");
  const Tokenizer tokenizer = load_tokenizer(folder);
  EXPECT_EQ(tokenizer.meanings().end, std::optional<Id>(7));
  EXPECT_EQ(tokenizer.meanings().unknown, std::optional<Id>(6));
  EXPECT_EQ(tokenizer.meanings().begin, std::nullopt);
  EXPECT_EQ(tokenizer.files().size(), 2u);
  write_file((folder / "special_tokens_map.json").string(), R"({"pad_token": ""})");
  EXPECT_EQ(load_tokenizer(folder).meanings().pad, std::nullopt);
  write_file((folder / "special_tokens_map.json").string(), R"({"pad_token": "<nowhere>"})");
  EXPECT_THROW(load_tokenizer(folder), Error);
  remove_tree(folder);
}

}  // namespace
}  // namespace mgdm::tokenizers
