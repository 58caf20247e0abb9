// A table as JSON, and back.
#include "base/error.h"
#include "reproduction/table.h"

namespace mgdm::reproduction {
namespace {

void put(Json& json, const char* name, const std::optional<double>& value) {
  if (value) json[name] = *value;
}

std::optional<double> get(const Json& json, const char* name) {
  return json.contains(name) ? std::optional(json[name].get<double>()) : std::nullopt;
}

Json value_json(const Value& value) {
  Json json = Json::object();
  put(json, "paper", value.paper);
  put(json, "ours", value.ours);
  put(json, "stderr", value.error);
  put(json, "strict", value.strict);
  if (value.n > 0) json["n"] = value.n;
  put(json, "x", value.x);
  for (const Part& part : value.parts)
    json["parts"].push_back({{"text", part.text},
                             {"planning_error", part.planning_error},
                             {"calculation_error", part.calculation_error}});
  if (!value.note.empty()) json["note"] = value.note;
  if (!value.commands.empty()) json["commands"] = value.commands;
  if (!value.revision.empty()) json["git_revision"] = value.revision;
  return json;
}

Value value_from(const Json& json) {
  Value value{get(json, "paper"), get(json, "ours"), get(json, "stderr"), get(json, "strict")};
  value.n = json.value("n", std::size_t{0});
  value.x = get(json, "x");
  if (json.contains("parts"))
    for (const Json& part : json["parts"])
      value.parts.push_back({part.at("text"), part.at("planning_error").get<bool>(),
                             part.at("calculation_error").get<bool>()});
  value.note = json.value("note", "");
  value.commands = json.value("commands", std::vector<std::string>{});
  value.revision = json.value("git_revision", "");
  return value;
}

}  // namespace

Json to_json(const Table& table) {
  Json json{{"name", table.name},    {"title", table.title},   {"where", table.where},
            {"unit", table.unit},    {"corner", table.corner}, {"columns", table.columns},
            {"rows", Json::array()}, {"notes", table.notes}};
  for (const TableRow& row : table.rows) {
    Json values = Json::array();
    for (const Value& value : row.values) values.push_back(value_json(value));
    json["rows"].push_back({{"label", row.label}, {"values", values}});
  }
  return json;
}

Table from_json(const Json& json) {
  try {
    Table table{json.at("name"), json.at("title"), json.at("where")};
    table.unit = json.at("unit");
    table.corner = json.at("corner");
    table.columns = json.at("columns").get<std::vector<std::string>>();
    table.notes = json.at("notes").get<std::vector<std::string>>();
    for (const Json& row : json.at("rows")) {
      TableRow filled{row.at("label"), {}};
      for (const Json& value : row.at("values")) filled.values.push_back(value_from(value));
      table.rows.push_back(std::move(filled));
    }
    return table;
  } catch (const nlohmann::json::exception&) {
    throw Error("this is no table that mgdm reproduce wrote");
  }
}

}  // namespace mgdm::reproduction
