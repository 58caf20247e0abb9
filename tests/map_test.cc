// Holds docs/map.md, and what comments and documents name, against src/.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "base/files.h"
#include "base/text.h"

namespace mgdm {
namespace {

namespace fs = std::filesystem;

using RoomMap = std::map<std::string, std::set<std::string>>;

const fs::path kRoot = MGDM_SOURCE_DIR;

// Rows "| room | may include | ... |" of the first table.
RoomMap read_map() {
  RoomMap rooms;
  bool in_table = false;
  const std::string text = read_file(kRoot / "docs/map.md");
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with('|')) {
      if (in_table) break;
      continue;
    }
    const auto cells = split(line, '|');
    const std::string room(trim(cells.at(1)));
    if (in_table && !room.starts_with('-')) {
      std::set<std::string>& allowed = rooms[room];
      for (const std::string_view name : split(cells.at(2), ','))
        if (!trim(name).empty()) allowed.emplace(trim(name));
      allowed.insert(room);
    }
    in_table = true;
  }
  return rooms;
}

// The rooms that a source text includes: what stands before the first '/' of "room/file.h".
std::set<std::string> included_rooms(const std::string& text) {
  static const std::regex kInclude("(?:^|\n)\\s*#\\s*include\\s*\"([^/\"]+)/[^\"]*\"");
  std::set<std::string> rooms;
  for (std::sregex_iterator it(text.begin(), text.end(), kInclude), end; it != end; ++it)
    rooms.insert((*it)[1]);
  return rooms;
}

TEST(Map, NamesEveryRoomAndOnlyRooms) {
  std::set<std::string> on_map, on_disk;
  for (const auto& [room, allowed] : read_map()) on_map.insert(room);
  for (const auto& entry : fs::directory_iterator(kRoot / "src"))
    if (entry.is_directory()) on_disk.insert(entry.path().filename());
  EXPECT_EQ(on_map, on_disk);
}

// "tasks/task.h" in a comment or a document: files move, and what names them stays behind.
TEST(Map, SourceFilesThatAreNamedExist) {
  static const std::regex kFile("([a-z0-9_]+/)+[a-z0-9_]+\\.(h|cc|cu|cuh)\\b");
  std::vector<fs::path> readers{kRoot / "README.md", kRoot / "CONTRIBUTING.md"};
  for (const char* folder : {"src", "docs", "include"})
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder))
      if (entry.is_regular_file()) readers.push_back(entry.path());
  std::size_t named = 0;
  for (const fs::path& reader : readers) {
    const std::string text = read_file(reader);
    for (const std::string_view line : split(text, '\n')) {
      if (trim(line).starts_with('#') && line.find("include") != line.npos) continue;
      for (std::cregex_iterator it(line.begin(), line.end(), kFile), end; it != end;
           ++it, ++named) {
        const std::string file = it->str();
        const auto is_in = [&](const fs::path& folder) { return fs::exists(folder / file); };
        EXPECT_TRUE(file.starts_with("hwy/") || file.ends_with("/x_test.cc") || is_in(kRoot) ||
                    is_in(kRoot / "src") || is_in(kRoot / "include") || is_in(kRoot / "tests") ||
                    is_in(reader.parent_path()))
            << reader << " names " << file << ", which does not exist";
      }
    }
  }
  EXPECT_GT(named, 100u);
}

TEST(Map, EveryIncludeIsOnTheMap) {
  const RoomMap rooms = read_map();
  std::size_t files = 0;
  for (const auto& [room, allowed] : rooms) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / "src" / room)) {
      const std::string extension = entry.path().extension();
      if (!std::set<std::string>{".h", ".cc", ".cu", ".cuh"}.contains(extension)) continue;
      ++files;
      const std::string name = entry.path().filename();
      const bool is_test = name.ends_with("_test.cc") || name == "test_support.h";
      for (const std::string& included : included_rooms(read_file(entry.path())))
        EXPECT_TRUE(allowed.contains(included) || (is_test && included == "support"))
            << entry.path() << " includes " << included << "/, which docs/map.md does not allow";
    }
  }
  EXPECT_GT(files, 50u);
}

TEST(Map, NothingAboveTheTorchLineNamesTorch) {
  static const std::regex kTorch("#\\s*include\\s*[<\"](torch|ATen|c10)/");
  const RoomMap rooms = read_map();
  std::set<std::string> below{"compat"};  // the first room below, and all that include one below
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [room, allowed] : rooms)
      for (const std::string& other : allowed)
        if (below.contains(other)) grown = below.insert(room).second || grown;
  }
  EXPECT_EQ(below, (std::set<std::string>{"compat", "distributed", "engine", "nn", "objectives",
                                          "ops", "training", "torch_commands"}));
  for (const auto& [room, allowed] : rooms) {
    if (below.contains(room)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / "src" / room)) {
      if (!entry.is_regular_file()) continue;
      EXPECT_FALSE(std::regex_search(read_file(entry.path()), kTorch)) << entry.path();
    }
  }
}

TEST(Map, OnlyCompatAsksForTheVersionOfLibTorch) {
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "src"))
    if (entry.is_regular_file() && entry.path().parent_path().filename() != "compat") {
      EXPECT_EQ(read_file(entry.path()).find("TORCH_VERSION"), std::string::npos) << entry.path();
    }
}

// What a kind is stands in spec/kinds.cc; only the factories that make one compare its name.
TEST(Map, NobodyElseComparesTheNamesOfKinds) {
  static const std::regex kRow("\n      \\{\"([a-z0-9_]+)\",");
  static const std::set<std::string> kFactories{"src/spec/kinds.cc", "src/nn/model.cc",
                                                "src/torch_commands/signature.cc"};
  std::string names;
  // Objectives, architectures and orders; "linear" and the like of later tables have other
  // meanings.
  std::string table = read_file(kRoot / "src/spec/kinds.cc");
  table.resize(table.find("optimizers()"));
  for (std::sregex_iterator it(table.begin(), table.end(), kRow), end; it != end; ++it)
    names += (names.empty() ? "" : "|") + (*it)[1].str();
  EXPECT_NE(names.find("mgdm|rdm|d3pm_absorbing"), std::string::npos) << names;
  const std::regex compared("[!=]= \"(" + names + ")\"");
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "src")) {
    const std::string file = fs::relative(entry.path(), kRoot);
    if (!entry.is_regular_file() || kFactories.contains(file)) continue;
    if (file.ends_with("_test.cc") || file.ends_with("test_support.h")) continue;
    EXPECT_FALSE(std::regex_search(read_file(entry.path()), compared)) << file;
  }
}

TEST(Map, SeesIncludes) {
  EXPECT_EQ(included_rooms("#include \"base/error.h\"\n  # include \"tasks/task.h\"\n// x\n"),
            (std::set<std::string>{"base", "tasks"}));
}

}  // namespace
}  // namespace mgdm
