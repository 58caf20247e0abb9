#include "model_files/checkpoints.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "base/paths.h"
#include "formats/test_support.h"

namespace mgdm::model_files {
namespace {

TEST(AtomicFolder, ReplacesACheckpointOrAnEmptyFolderAndNothingElse) {
  const formats::TemporaryFolder folder;
  const std::filesystem::path target = folder.path() / "model";
  const auto write = [&](const std::string& config) {
    AtomicFolder atomic(target);
    write_file((atomic.path() / "config.json").string(), config);
    atomic.commit();
  };
  make_folder(target);
  write("first");
  write("second");
  EXPECT_EQ(read_file((target / "config.json").string()), "second");
  std::filesystem::remove(target / "config.json");
  write_file((target / "letters.txt").string(), "dear");
  EXPECT_CONTAINS(error_of([&] { write("third"); }), "exists and is not a checkpoint");
  EXPECT_EQ(read_file((target / "letters.txt").string()), "dear");
}

}  // namespace
}  // namespace mgdm::model_files
