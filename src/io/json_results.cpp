// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/io/json_results.hpp"

#include "quoin/core/files.hpp"

#include <nlohmann/json.hpp>

#include <limits>
#include <stdexcept>

namespace quoin::io {
namespace {

using Json = nlohmann::ordered_json;

struct ToJson {
  Json operator()(std::monostate) const { return nullptr; }
  template <class T>
  Json operator()(const T& value) const {
    return value;
  }
};

ResultValue from_json(const Json& json) {
  if (json.is_null()) {
    return std::monostate{};
  }
  if (json.is_boolean()) {
    return json.get<bool>();
  }
  const bool too_large =
      json.is_number_unsigned() && json.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  if (json.is_number_integer() && !too_large) {
    return json.get<std::int64_t>();
  }
  if (json.is_number()) {
    return json.get<double>();
  }
  if (json.is_string()) {
    return json.get<std::string>();
  }
  if (json.is_array()) {
    if (!json.empty() && json.front().is_string()) {
      return json.get<std::vector<std::string>>();
    }
    std::vector<double> numbers;
    for (const Json& item : json) {
      numbers.push_back(item.is_null() ? std::numeric_limits<double>::quiet_NaN() : item.get<double>());
    }
    return numbers;
  }
  throw std::runtime_error("a row holds an object, and rows are flat");
}

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

void JsonResults::write(const std::filesystem::path& file) const { write_file(file, to_json()); }

JsonResults read_results(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  JsonResults results;
  try {
    const Json json = Json::parse(text);
    if (!json.is_array()) {
      throw std::runtime_error("it is not an array of rows");
    }
    for (const Json& object : json) {
      if (!object.is_object()) {
        throw std::runtime_error("a row is not an object");
      }
      ResultRow row;
      for (const auto& [key, value] : object.items()) {
        row.set(key, from_json(value));
      }
      results.add(std::move(row));
    }
  } catch (const std::exception& error) {
    throw std::runtime_error("read_results: '" + file.string() + "' is not a file of results: " + error.what());
  }
  return results;
}

}  // namespace quoin::io
