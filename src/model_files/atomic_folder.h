// A folder that is either complete or absent.
//
//   AtomicFolder folder("runs/7/checkpoint-1000");
//   write_file(folder.path() / "a.json", ...);      // under a temporary name beside the target
//   folder.commit();                                // writes checksums.txt, gives it its name
//
// Without commit() (an exception, Ctrl-C) nothing is left behind and an older folder stays as it
// was.
#pragma once

#include <filesystem>

namespace mgdm::model_files {

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
