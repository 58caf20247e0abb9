// Reads JSON fast: the parser only marks where each value lies in the text, and is used again for
// the next value without another allocation. (json_text.h has a parser that builds values.)
//
//   JsonTree tree;
//   if (tree.parse(R"({"input": "1,2"} more)") == JsonTree::Result::kValue)
//     for (std::size_t key : tree.children(0)) use(tree.text(key), tree.text(key + 1));
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mgdm::formats {

class JsonTree {
 public:
  enum class Kind : std::uint8_t { kObject, kList, kString, kNumber, kWord };
  enum class Result { kValue, kUnfinished, kWrong };

  // Parses the value at the front of `text`, which must live as long as the tree is used. It is
  // unfinished where more text might make it a value, and wrong where nothing does: then size() is
  // the place. Values are valid UTF-8, and nested at most kMostDepth deep.
  static constexpr std::size_t kMostDepth = 64;
  Result parse(std::string_view text);

  std::size_t size() const { return size_; }            // in bytes
  std::size_t line_ends() const { return line_ends_; }  // in it

  // Values are numbered as they stand in the text; 0 is the whole. The children of an object are
  // keys, each followed by its value.
  Kind kind(std::size_t node) const { return nodes_[node].kind; }
  bool holds_others(std::size_t node) const { return kind(node) <= Kind::kList; }
  std::size_t next(std::size_t node) const { return nodes_[node].next; }  // behind its children
  std::vector<std::size_t> children(std::size_t node) const;  // keys of an object, items of a list

  // What a string says; other values as they stand in the text.
  std::string text(std::size_t node) const;
  void text(std::size_t node, std::string& out) const;
  std::string_view raw(std::size_t node) const {  // without quotes, with escapes
    return text_.substr(nodes_[node].begin, nodes_[node].length);
  }

 private:
  struct Node {
    Kind kind;
    bool escaped;
    std::uint32_t begin, length, next;
  };
  Result string(std::size_t& at);
  Result number_or_word(std::size_t& at);

  std::string_view text_;
  std::size_t size_ = 0, line_ends_ = 0;
  std::vector<Node> nodes_;
};

}  // namespace mgdm::formats
