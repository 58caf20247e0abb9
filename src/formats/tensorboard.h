// Event files for TensorBoard, written without protobuf.
//
//   EventWriter events("runs/7");
//   events.add_scalars({{"loss", 0.31f}, {"accuracy", 0.97f}}, step);
//
// and then `tensorboard --logdir runs`.
//
// A file is a sequence of TFRecords
//   uint64 length | uint32 masked CRC-32C of the length | bytes | uint32 masked CRC-32C of the
//   bytes
// whose bytes are messages of type Event (tensorflow/core/util/event.proto); the first one carries
// the version "brain.Event:2".
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mgdm::formats {

struct Scalar {
  std::string tag;
  float value = 0;
};

// Each record reaches the operating system before the call returns, so a live TensorBoard sees it
// and a killed process loses nothing. Not thread-safe.
class EventWriter {
 public:
  // Creates the folder if needed, and in it a new file events.out.tfevents.<seconds>.<host>. A
  // second writer within the same second appends ".1"; TensorBoard reads it after the first.
  explicit EventWriter(const std::filesystem::path& folder);

  void add_scalars(const std::vector<Scalar>& scalars, std::int64_t step);

  const std::filesystem::path& path() const { return path_; }

 private:
  void write(const std::string& event);

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

// The parts of the format; tests compare their bytes.
std::string to_record(std::string_view bytes);
std::string encode_event(double wall_time, std::int64_t step, std::span<const Scalar> scalars);

}  // namespace mgdm::formats
