#include "config/settings.h"

#include <fmt/format.h>

// toml++ 3.3 asserts, or lets clang assume, that a key follows "[ \n": wrong for a broken file.
// Without the assumption it goes on to complain about the file.
#include <toml++/impl/preprocessor.h>
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT_ASSUME(...) static_assert(true)
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "config/ascii_toml.h"

namespace mgdm::config {
namespace {

std::string toml_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20 || c == '\x7f')
      out += fmt::format("\\u{:04x}", c);
    else
      out += c;
  }
  return out + '"';
}

// Shortest text that reads back as the same double, and that TOML takes for a float.
std::string toml_float(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string toml_value(const bool* value) { return *value ? "true" : "false"; }
std::string toml_value(const std::int64_t* value) { return fmt::format("{}", *value); }
std::string toml_value(const double* value) { return toml_float(*value); }
std::string toml_value(const std::string* value) { return toml_quoted(*value); }
std::string toml_value(const std::vector<std::string>* value) {
  std::string out = "[";
  for (const std::string& item : *value) out += (out.size() > 1 ? ", " : "") + toml_quoted(item);
  return out + "]";
}

std::string_view type_name(const Target& target) {
  constexpr std::string_view kNames[] = {"true or false", "an integer", "a number", "text",
                                         "a list of text"};
  return kNames[target.index()];
}

[[noreturn]] void refuse(const Field& field, const std::string& place, const std::string& seen) {
  throw UsageError(fmt::format("{}{} = {}", place, field.key, seen),
                   fmt::format("{} ({})", field.allowed(), field.help));
}

template <class T>
bool in_range(const Constraint& constraint, T value) {
  const auto number = static_cast<double>(value);
  return std::isfinite(number) && number >= constraint.low && number <= constraint.high;
}

bool allowed_text(const Constraint& constraint, const std::string& text) {
  const auto& choices = constraint.choices;
  return choices.empty() || std::find(choices.begin(), choices.end(), text) != choices.end();
}

// Puts a TOML value into a field, or refuses it.
class Assign {
 public:
  Assign(const Field& field, const toml::node& node, const std::string& place)
      : field_(field), node_(node), place_(place) {}

  void operator()(bool* target) const {
    if (!node_.is_boolean()) wrong_type();
    *target = node_.as_boolean()->get();
  }
  void operator()(std::int64_t* target) const {
    if (!node_.is_integer()) wrong_type();
    const std::int64_t value = node_.as_integer()->get();
    if (!in_range(field_.constraint, value)) refuse(field_, place_, toml_value(&value));
    *target = value;
  }
  void operator()(double* target) const {
    if (!node_.is_number()) wrong_type();
    const double value = node_.is_integer() ? static_cast<double>(node_.as_integer()->get())
                                            : node_.as_floating_point()->get();
    if (!in_range(field_.constraint, value)) refuse(field_, place_, toml_value(&value));
    *target = value;
  }
  void operator()(std::string* target) const {
    if (!node_.is_string()) wrong_type();
    *target = text(node_);
  }
  void operator()(std::vector<std::string>* target) const {
    if (!node_.is_array()) wrong_type();
    std::vector<std::string> values;
    for (const toml::node& item : *node_.as_array()) {
      if (!item.is_string()) wrong_type();
      values.push_back(text(item));
    }
    *target = std::move(values);
  }

 private:
  std::string text(const toml::node& node) const {
    const std::string& value = node.as_string()->get();
    if (!allowed_text(field_.constraint, value)) {
      throw UsageError(fmt::format("{}{} = {}", place_, field_.key, toml_quoted(value)),
                       field_.allowed(), did_you_mean(value, field_.constraint.choices));
    }
    return value;
  }

  [[noreturn]] void wrong_type() const {
    if (const auto* number = node_.as_floating_point()) {
      const double value = number->get();
      refuse(field_, place_, toml_value(&value));
    }
    constexpr std::string_view kKinds[] = {
        "nothing",  "a table",       "a list", "text",   "an integer",
        "a number", "true or false", "a date", "a time", "a date and time"};
    refuse(field_, place_, std::string(kKinds[static_cast<std::size_t>(node_.type())]));
  }

  const Field& field_;
  const toml::node& node_;
  const std::string& place_;
};

bool is_whole_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// For a number that has no room in 64 bits, the ends that help leaves out.
std::string whole_range(const Constraint& constraint) {
  using Limits = std::numeric_limits<std::int64_t>;
  const auto end = [](double given, std::int64_t last) {
    return std::isfinite(given) ? fmt::format("{}", given) : fmt::format("{}", last);
  };
  return fmt::format("an integer, {} to {}", end(constraint.low, Limits::min()),
                     end(constraint.high, Limits::max()));
}

toml::table parse(std::string_view text, std::string_view name) {
  try {
    return toml::parse(ascii_toml(text, name), name);
  } catch (const toml::parse_error& error) {
    throw UsageError(at(name, error.source().begin.line) + std::string(error.description()),
                     "TOML, lines such as key = value");
  }
}

}  // namespace

Constraint range(double low, double high) { return {low, high, {}}; }
Constraint at_least(double low) { return {.low = low, .choices = {}}; }
Constraint one_of(std::vector<std::string> choices) { return {.choices = std::move(choices)}; }

std::string Field::value() const {
  return std::visit([](const auto* value) { return toml_value(value); }, target);
}

std::string Field::allowed() const {
  std::string text(type_name(target));
  if (!constraint.choices.empty()) return text + ": " + joined_or(constraint.choices);
  const bool low = std::isfinite(constraint.low), high = std::isfinite(constraint.high);
  if (low && high) text += fmt::format(", {} to {}", constraint.low, constraint.high);
  if (low && !high) text += fmt::format(", at least {}", constraint.low);
  if (!low && high) text += fmt::format(", at most {}", constraint.high);
  return text;
}

const Field& Fields::find(std::string_view key, const std::string& place) const {
  std::vector<std::string> keys;
  for (const Field& field : fields_) {
    if (field.key == key) return field;
    keys.push_back(field.key);
  }
  std::vector<std::string> longer;  // "steps" may be short for "training.steps"
  for (const std::string& known : keys)
    if (const std::size_t dot = known.rfind('.');
        dot != std::string::npos && known.substr(dot + 1) == key)
      longer.push_back(known);
  throw UsageError(fmt::format("{}unknown key {}", place, in_quotes(key)),
                   longer.empty() ? "" : joined_or(longer),
                   longer.empty() ? did_you_mean(key, keys) : "");
}

void Fields::read_toml(std::string_view text, std::string_view name) {
  const toml::table table = parse(text, name);
  const auto walk = [&](const auto& self, const toml::table& section,
                        const std::string& prefix) -> void {
    for (const auto& [key, node] : section) {
      const std::string path = prefix + std::string(key.str());
      if (node.is_table()) {
        self(self, *node.as_table(), path + ".");
        continue;
      }
      const std::string place = at(name, node.source().begin.line);
      const Field& field = find(path, place);
      std::visit(Assign(field, node, place), field.target);
    }
  };
  walk(walk, table, "");
}

void Fields::set(std::string_view assignment) {
  const std::size_t sign = assignment.find('=');
  if (sign == std::string_view::npos)
    throw UsageError(fmt::format("{} is no setting", in_quotes(assignment)), "key=value");
  const std::string key(trim(assignment.substr(0, sign)));
  std::string value(trim(assignment.substr(sign + 1)));
  const Field& field = find(key, "");
  const std::string place;
  // Text is taken as it stands unless it is quoted.
  if (std::holds_alternative<std::string*>(field.target) && !value.starts_with('"')) {
    const toml::value<std::string> node(value);
    Assign(field, node, place)(std::get<std::string*>(field.target));
    return;
  }
  // One text may stand for a list of it.
  if (std::holds_alternative<std::vector<std::string>*>(field.target) && !value.empty() &&
      !value.starts_with('['))
    value = "[" + (value.starts_with('"') ? value : toml_quoted(value)) + "]";
  try {
    const toml::table table = toml::parse(ascii_toml("value = " + value, "value"));
    const toml::node* const node = table.get("value");
    if (node == nullptr || table.size() != 1) refuse(field, place, in_quotes(value));
    std::visit(Assign(field, *node, place), field.target);
  } catch (const toml::parse_error&) {
    if (std::holds_alternative<std::int64_t*>(field.target) && is_whole_number(value))
      throw UsageError(fmt::format("{} = {}", field.key, value), whole_range(field.constraint));
    refuse(field, place, value.empty() ? "nothing" : in_quotes(value));
  }
}

std::string Fields::dump(bool comments) const {
  std::string out, section;
  for (const Field& field : fields_) {
    const std::size_t dot = field.key.rfind('.');
    const std::string here = dot == std::string::npos ? "" : field.key.substr(0, dot);
    if (here != section) out += fmt::format("\n[{}]\n", here);
    section = here;
    out += fmt::format("{} = {}", field.key.substr(dot + 1), field.value());
    if (comments) out += fmt::format("  # {} ({})", field.help, field.allowed());
    out += '\n';
  }
  return out;
}

std::string Fields::help() const {
  std::size_t width = 0;
  for (const Field& field : fields_)
    width = std::max(width, field.key.size() + 3 + field.value().size());
  std::string out;
  for (const Field& field : fields_)
    out += fmt::format("  {:<{}}  {} ({})\n", field.key + " = " + field.value(), width, field.help,
                       field.allowed());
  return out;
}

std::vector<Fields::Difference> Fields::differences(const Fields& other) const {
  MGDM_CHECK(fields_.size() == other.fields_.size());
  std::vector<Difference> found;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    MGDM_CHECK(fields_[i].key == other.fields_[i].key);
    Difference difference{fields_[i].key, fields_[i].value(), other.fields_[i].value()};
    if (difference.here != difference.there) found.push_back(std::move(difference));
  }
  return found;
}

}  // namespace mgdm::config
