// The checkpoints in the folder of a training run: checkpoint-STEP/, complete when DONE is in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>

namespace mgdm::model_files {

inline constexpr std::string_view kCheckpointPrefix = "checkpoint-";
inline constexpr const char* kCheckpointDone = "DONE";

// The step in the name of a checkpoint's folder; none for any other name.
std::optional<std::int64_t> checkpoint_step(const std::filesystem::path& folder);

// Complete checkpoints by step, oldest first.
std::map<std::int64_t, std::filesystem::path> checkpoints(const std::filesystem::path& folder);

// A newer checkpoint than all complete ones that lacks DONE: its writing was interrupted, or it was
// copied in part. None in a folder that is as it should be.
std::optional<std::filesystem::path> newer_incomplete(const std::filesystem::path& folder);

// The newest complete checkpoint; none when there is no run.
std::optional<std::filesystem::path> newest_checkpoint(const std::filesystem::path& folder);

// A folder that is either complete or absent.
//
//   AtomicFolder folder("runs/7/checkpoint-1000");
//   write_file(folder.path() / "a.json", ...);      // under a temporary name beside the target
//   folder.commit();                                // writes checksums.txt, gives it its name
//
// Without commit() (an exception, Ctrl-C) nothing is left behind and an older folder stays as it
// was.

class AtomicFolder {
 public:
  // An Error when something stands there that is not an empty folder and not a checkpoint (a folder
  // with a config.json): it would be lost.
  explicit AtomicFolder(const std::filesystem::path& target);
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  const std::filesystem::path& path() const { return temporary_; }  // write here
  void commit();

 private:
  std::filesystem::path target_, temporary_;
};

}  // namespace mgdm::model_files
