// Settings by one list of fields.
//
// A settings struct names each field once, in visit(). From that list come the TOML reader,
// `key=value` overrides, the help text, the dump into a run folder, and comparison:
//
//   struct Decoding {
//     std::int64_t steps = 20;
//     std::string order = "topk";
//     void visit(config::Visitor& v) {
//       v.field("steps", steps, "denoising steps", config::range(1, 1000));
//       v.field("order", order, "which positions to show first", config::one_of({"topk",
//       "random"}));
//     }
//   };
//   struct Recipe {
//     Decoding decoding;
//     void visit(config::Visitor& v) { v.section("decoding", decoding); }
//   };
//
//   Recipe recipe;
//   config::Fields fields(recipe);
//   fields.read_toml(read_file("recipe.toml"), "recipe.toml");
//   fields.set("decoding.steps=10");
//
// An unknown key, a wrong type or a value out of range is a UsageError that names the place, the
// nearest valid key and what is allowed.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mgdm::config {

// What a value must satisfy beyond its type.
struct Constraint {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices;  // for text; empty means any
};

Constraint range(double low, double high);
Constraint at_least(double low);
Constraint one_of(std::vector<std::string> choices);

using Target = std::variant<bool*, std::int64_t*, double*, std::string*, std::vector<std::string>*>;

struct Field {
  std::string key;  // dotted: "decoding.steps"
  Target target;
  std::string help;
  Constraint constraint;

  // The value now, as TOML writes it: 20, 0.25, "topk", true, ["a", "b"].
  std::string value() const;
  // "integer, 1 to 1000", "text: topk or random": what is allowed, for help and errors.
  std::string allowed() const;
};

class Visitor {
 public:
  template <class T>
  void field(std::string_view name, T& value, std::string_view help, Constraint constraint = {}) {
    fields_.push_back(
        {prefix_ + std::string(name), &value, std::string(help), std::move(constraint)});
  }

  template <class Settings>
  void section(std::string_view name, Settings& settings) {
    const std::size_t length = prefix_.size();
    prefix_ += std::string(name) + ".";
    settings.visit(*this);
    prefix_.resize(length);
  }

 private:
  friend class Fields;
  std::string prefix_;
  std::vector<Field> fields_;
};

// The fields of one settings object, which must outlive them.
class Fields {
 public:
  template <class Settings>
  explicit Fields(Settings& settings) {
    Visitor visitor;
    settings.visit(visitor);
    fields_ = std::move(visitor.fields_);
  }

  const std::vector<Field>& all() const& { return fields_; }
  std::vector<Field> all() && { return std::move(fields_); }  // for (f : Fields(x).all()) is safe

  // Sets what the text names and leaves the rest. `name` stands in error messages.
  void read_toml(std::string_view text, std::string_view name);

  // "decoding.steps=10", as on the command line. Text needs no quotes: order=random.
  void set(std::string_view assignment);

  // All fields as TOML, sections in order, that read_toml takes back; with `comments`, each field
  // is followed by its help and what is allowed.
  std::string dump(bool comments = false) const;

  // One line per field: key, value now, help, what is allowed.
  std::string help() const;

  // The fields whose values differ from those of `other`, which must have the same fields.
  struct Difference {
    std::string key, here, there;  // values as TOML writes them
    bool operator==(const Difference&) const = default;
  };
  std::vector<Difference> differences(const Fields& other) const;

 private:
  const Field& find(std::string_view key, const std::string& place) const;

  std::vector<Field> fields_;
};

}  // namespace mgdm::config
