#include "tasks/all_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace mgdm::tasks {

#define MGDM_TASK_FAMILY(folder) \
  namespace folder {             \
  const Family& family();        \
  }
#include "tasks/families.inc"
#undef MGDM_TASK_FAMILY

namespace {

const std::vector<const Family*>& families() {
#define MGDM_TASK_FAMILY(folder) &folder::family(),
  static const std::vector<const Family*> kFamilies{
#include "tasks/families.inc"
  };
#undef MGDM_TASK_FAMILY
  return kFamilies;
}

std::vector<std::string> names_in(std::vector<std::string> Family::*list) {
  std::vector<std::string> names;
  for (const Family* const family : families())
    names.insert(names.end(), (family->*list).begin(), (family->*list).end());
  return names;
}

std::size_t index_of(std::string_view name) {
  for (std::size_t i = 0; i < families().size(); ++i)
    if (contains(families()[i]->tasks, name) || contains(families()[i]->variants, name)) return i;
  std::vector<std::string> names = task_names();
  for (std::string& variant : variant_names()) names.push_back(std::move(variant));
  throw UsageError(fmt::format("unknown task {}", in_quotes(name)), joined_or(names),
                   did_you_mean(name, names));
}

// One family's options as settings, so that config::Fields reads them.
struct FamilyOptions {
  const Family& family;
  std::any values;
  void visit(config::Visitor& v) { family.visit(values, v); }
};

std::string assignment_of(const config::Field& field) {
  const auto* const text = std::get_if<std::string*>(&field.target);
  return field.key + "=" + (text != nullptr ? **text : field.value());
}

std::vector<std::string> assignments(const Family& family, const std::any& values, bool all) {
  FamilyOptions here{family, values}, usual{family, family.defaults};
  const config::Fields fields(here), defaults(usual);
  std::vector<std::string> found;
  for (std::size_t i = 0; i < fields.all().size(); ++i)
    if (all || fields.all()[i].value() != defaults.all()[i].value())
      found.push_back(assignment_of(fields.all()[i]));
  return found;
}

void refuse_others(std::string_view name, const Family& family, const std::any& values) {
  const std::vector<std::string> given = assignments(family, values, /*all=*/false);
  if (given.empty()) return;
  const std::string key = given.front().substr(0, given.front().find('='));
  FamilyOptions usual{family, family.defaults};
  for (const config::Field& field : config::Fields(usual).all())
    if (field.key == key)
      throw UsageError(fmt::format("{} has no option {}", name, key),
                       fmt::format("{} only with {}", key, family.name),
                       assignment_of(field) + ", the default");
}

}  // namespace

int number_after(std::string_view prefix, std::string_view task) {
  const auto number = parse_int(task.substr(std::min(prefix.size(), task.size())));
  MGDM_CHECK(task.starts_with(prefix) && number);
  return static_cast<int>(*number);
}

Options::Options() {
  for (const Family* const family : families()) values_.push_back(family->defaults);
}

Options::Options(std::initializer_list<std::string_view> assignments) : Options() {
  config::Fields fields(*this);
  for (const std::string_view assignment : assignments) fields.set(assignment);
}

Options::Options(std::span<const std::string> assignments) : Options() {
  config::Fields fields(*this);
  for (const std::string& assignment : assignments) fields.set(assignment);
}

void Options::visit(config::Visitor& v) {
  for (std::size_t i = 0; i < values_.size(); ++i) families()[i]->visit(values_[i], v);
}

std::vector<std::string> Options::chosen() const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < values_.size(); ++i)
    for (std::string& each : assignments(*families()[i], values_[i], /*all=*/false))
      all.push_back(std::move(each));
  return all;
}

std::vector<std::string> Options::of_task(std::string_view task) const {
  const std::size_t i = index_of(task);
  return assignments(*families()[i], values_[i], /*all=*/true);
}

std::unique_ptr<Task> make_task(std::string_view name, const Options& options, bool learned) {
  const std::size_t mine = index_of(name);
  for (std::size_t i = 0; i < families().size(); ++i)
    if (i != mine) refuse_others(name, *families()[i], options.values_[i]);
  return families()[mine]->make(name, options.values_[mine], learned);
}

std::vector<std::string> task_names() { return names_in(&Family::tasks); }

std::vector<std::string> variant_names() { return names_in(&Family::variants); }

std::string tasks_with(const std::function<bool(const Abilities&)>& can) {
  std::vector<std::string> names = task_names();
  std::erase_if(names, [&](const std::string& name) { return !can(make_task(name)->abilities()); });
  return joined_or(names);
}

std::string reversed_output(const Task& task, std::string_view output) {
  const Reversible* const reversible = task.abilities().reversible;
  if (reversible == nullptr)
    throw UsageError(task.name() + " has no reverse order", tasks_with(&Abilities::reversible));
  return reversible->reversed_output(output);
}

const Family& family_of(std::string_view name) { return *families()[index_of(name)]; }

}  // namespace mgdm::tasks
