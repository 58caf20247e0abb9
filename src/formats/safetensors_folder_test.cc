#include "formats/safetensors_folder.h"

#include <gtest/gtest.h>

#include <set>

#include "base/files.h"
#include "formats/test_support.h"

namespace mgdm::formats {
namespace {

namespace fs = std::filesystem;

class SafetensorsFolder : public testing::Test {
 protected:
  // Four tensors of 3, 3, 3 and 9 bytes.
  std::vector<TensorView> tensors() const {
    return {{"a", Dtype::kU8, {3}, bytes_of(text_).first(3)},
            {"b", Dtype::kU8, {3}, bytes_of(text_).subspan(3, 3)},
            {"c", Dtype::kU8, {3}, bytes_of(text_).subspan(6, 3)},
            {"d", Dtype::kU8, {9}, bytes_of(text_)}};
  }
  void write(std::uint64_t max_shard_bytes) const {
    write_safetensors_folder(path_, tensors(), kDefaultMetadata, max_shard_bytes);
  }
  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(path_))
      names.insert(entry.path().filename().string());
    return names;
  }
  std::string complaint() const {
    return error_of([&] { open_safetensors_folder(path_); });
  }
  void write_index(const std::string& json) const { write_file(index_.string(), json); }

  TemporaryFolder folder_;
  fs::path path_ = folder_.path() / "model";
  fs::path index_ = path_ / "model.safetensors.index.json";
  std::string text_ = "abcdefghi";
  std::set<std::string> sharded_names_{
      "model.safetensors.index.json", "model-00001-of-00003.safetensors",
      "model-00002-of-00003.safetensors", "model-00003-of-00003.safetensors"};
};

TEST_F(SafetensorsFolder, SmallModelIsOneFile) {
  write(18);
  EXPECT_EQ(names(), std::set<std::string>{"model.safetensors"});
  const Safetensors model = open_safetensors_folder(path_);
  EXPECT_EQ(model.tensors().size(), 4u);
  EXPECT_EQ(model.metadata(), kDefaultMetadata);
  EXPECT_TRUE(has_safetensors(path_, "model"));
}

TEST_F(SafetensorsFolder, LargeModelIsShardsAndAnIndex) {
  write(7);
  EXPECT_TRUE(has_safetensors(path_, "model"));
  EXPECT_EQ(names(), sharded_names_);
  EXPECT_EQ(read_file(index_), R"({
  "metadata": {
    "total_size": 18
  },
  "weight_map": {
    "a": "model-00001-of-00003.safetensors",
    "b": "model-00001-of-00003.safetensors",
    "c": "model-00002-of-00003.safetensors",
    "d": "model-00003-of-00003.safetensors"
  }
}
)");
  const Safetensors model = open_safetensors_folder(path_);
  ASSERT_EQ(model.tensors().size(), 4u);
  for (const TensorView& written : tensors()) {
    const auto read = model.at(written.name).bytes;
    EXPECT_TRUE(std::equal(read.begin(), read.end(), written.bytes.begin(), written.bytes.end()));
  }
  EXPECT_EQ(model.metadata(), kDefaultMetadata);
  EXPECT_EQ(model.source(), path_.string());
}

TEST_F(SafetensorsFolder, OneHugeTensorNeedsNoIndex) {
  write_safetensors_folder(path_, std::vector{tensors()[3]}, kDefaultMetadata, 1);
  EXPECT_EQ(names(), std::set<std::string>{"model.safetensors"});
}

TEST_F(SafetensorsFolder, FilesOfAnOlderSaveGoAndOthersStay) {
  write(100);
  write_file((path_ / "model-best.safetensors").string(), "");
  write_file((path_ / "config.json").string(), "");
  write(7);
  std::set<std::string> expected = sharded_names_;
  expected.insert({"config.json", "model-best.safetensors"});
  EXPECT_EQ(names(), expected);
  write(3);  // one shard for each of the four
  EXPECT_EQ(names().size(), 4u + 1 + 2);
  EXPECT_EQ(complaint(), "");
  write(100);
  EXPECT_EQ(names(),
            (std::set<std::string>{"config.json", "model-best.safetensors", "model.safetensors"}));
}

TEST_F(SafetensorsFolder, AFailedOverwriteOfShardsLeavesNoMixture) {
  write(7);
  std::vector<TensorView> bad = tensors();
  bad[3].shape = {8};  // the last shard cannot be written
  EXPECT_NE(error_of([&] { write_safetensors_folder(path_, bad, kDefaultMetadata, 7); }), "");
  EXPECT_CONTAINS(complaint(), "neither");
}

TEST_F(SafetensorsFolder, AFailedSaveInTheOtherFormKeepsTheOldOne) {
  write(100);
  std::vector<TensorView> bad = tensors();
  bad[3].shape = {8};
  EXPECT_NE(error_of([&] { write_safetensors_folder(path_, bad, kDefaultMetadata, 7); }), "");
  EXPECT_EQ(complaint(), "");
}

TEST_F(SafetensorsFolder, RefusesANameInTwoShards) {
  std::vector<TensorView> bad = tensors();
  bad[3].name = "a";
  EXPECT_CONTAINS(error_of([&] { write_safetensors_folder(path_, bad, kDefaultMetadata, 7); }),
                  "tensor 'a': the name appears twice");
  EXPECT_TRUE(names().empty());
}

TEST_F(SafetensorsFolder, NeitherFormAndNoFolder) {
  EXPECT_CONTAINS(complaint(), path_.string() + ": not a folder");
  fs::create_directories(path_);
  EXPECT_CONTAINS(complaint(), path_.string() + ": neither model.safetensors nor");
  EXPECT_FALSE(has_safetensors(path_, "model"));
}

TEST_F(SafetensorsFolder, BothForms) {
  write(7);
  write_safetensors(path_ / "model.safetensors", tensors());
  EXPECT_CONTAINS(complaint(), path_.string() + ": both model.safetensors and");
}

TEST_F(SafetensorsFolder, IndexNamesAMissingFile) {
  write(7);
  fs::remove(path_ / "model-00002-of-00003.safetensors");
  EXPECT_CONTAINS(
      complaint(),
      index_.string() + ": names 'model-00002-of-00003.safetensors', which is not there");
}

TEST_F(SafetensorsFolder, TensorAbsentInItsShard) {
  write(7);
  write_safetensors(path_ / "model-00001-of-00003.safetensors", std::vector{tensors()[0]});
  EXPECT_CONTAINS(complaint(), "model-00001-of-00003.safetensors: no tensor 'b'");
}

TEST_F(SafetensorsFolder, ShardTensorNotInTheIndex) {
  write(7);
  std::vector<TensorView> more{tensors()[3]};
  more.push_back({"extra", Dtype::kU8, {0}, {}});
  write_safetensors(path_ / "model-00003-of-00003.safetensors", more);
  EXPECT_CONTAINS(complaint(),
                  "model-00003-of-00003.safetensors: tensor 'extra' is not in the index");
}

TEST_F(SafetensorsFolder, ShardTensorThatTheIndexHasElsewhere) {
  write(7);
  std::vector<TensorView> more{tensors()[3], tensors()[0]};
  write_safetensors(path_ / "model-00003-of-00003.safetensors", more);
  EXPECT_CONTAINS(complaint(), "tensor 'a' is not in the index for this file");
}

TEST_F(SafetensorsFolder, FileNameWithAPath) {
  write(7);
  for (const char* name : {"../x", "/etc/passwd", "..", "a\\\\b", "", "x\\u0000y"}) {
    write_index(std::string(R"({"weight_map":{"a":")") + name + "\"}}");
    EXPECT_CONTAINS(complaint(), "is not in this folder");
  }
}

TEST_F(SafetensorsFolder, BrokenIndex) {
  fs::create_directories(path_);
  const auto says = [&](const std::string& json) {
    write_index(json);
    return complaint();
  };
  EXPECT_CONTAINS(says(""), index_.string() + ": not valid JSON");
  EXPECT_CONTAINS(says("{\"\xFF\":1}"), "not valid JSON");
  EXPECT_CONTAINS(says("[]"), "no weight_map");
  EXPECT_CONTAINS(says("{}"), "no weight_map");
  EXPECT_CONTAINS(says(R"({"weight_map":[]})"), "no weight_map");
  EXPECT_CONTAINS(says(R"({"weight_map":{"a":1}})"), "tensor 'a': the file is not a string");
  EXPECT_CONTAINS(says(R"({"weight_map":{"a":"x","a":"y"}})"), "'a' appears twice");
  EXPECT_CONTAINS(says(R"({"weight_map":{},"weight_map":{}})"), "'weight_map' appears twice");
  EXPECT_CONTAINS(says(std::string("{}\0", 3)), "zero byte");
  EXPECT_CONTAINS(says(std::string(100000, '[')), "nested too deeply");
  // Equal keys of different objects are fine, and other fields are not ours to judge.
  EXPECT_EQ(says(R"({"metadata":{"a":{"b":1},"b":1,"total_size":9e9},"weight_map":{}})"), "");
}

}  // namespace
}  // namespace mgdm::formats
