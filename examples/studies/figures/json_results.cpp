// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/json_results.hpp"

#include "quoin/util/files.hpp"

#include <nlohmann/json.hpp>

namespace studies::figures {
namespace {

using Json = nlohmann::ordered_json;

struct ToJson {
  Json operator()(std::monostate) const { return nullptr; }
  template <class T>
  Json operator()(const T& value) const {
    return value;
  }
};

}  // namespace

ResultRow& ResultRow::set(const std::string& key, ResultValue value) {
  for (auto& [known, old] : entries_) {
    if (known == key) {
      old = std::move(value);
      return *this;
    }
  }
  entries_.emplace_back(key, std::move(value));
  return *this;
}

const ResultValue& ResultRow::at(const std::string& key) const {
  static const ResultValue null;
  for (const auto& [known, value] : entries_) {
    if (known == key) {
      return value;
    }
  }
  return null;
}

JsonResults JsonResults::with(const std::string& key) const {
  JsonResults some;
  for (const ResultRow& row : rows_)
    if (!std::holds_alternative<std::monostate>(row.at(key))) some.add(row);
  return some;
}

std::string JsonResults::to_json() const {
  Json json = Json::array();
  for (const ResultRow& row : rows_) {
    Json object = Json::object();
    for (const auto& [key, value] : row.entries()) {
      object[key] = std::visit(ToJson{}, value);
    }
    json.push_back(std::move(object));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void JsonResults::write(const std::filesystem::path& file) const { quoin::write_file(file, to_json()); }

}  // namespace studies::figures
