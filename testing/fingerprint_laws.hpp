// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <catch2/catch.hpp>

#include <functional>
#include <set>
#include <string>
#include <vector>

/// A named change of what a model is made from.
template <class Parts>
struct Change {
  std::string name;
  std::function<void(Parts&)> make;
};

/// Models made twice from these parts have one fingerprint, each change that counts gives one of its own, and those
/// that do not count give the first. text_of(parts) makes the model and its fingerprint's text.
template <class Parts, class TextOf>
void check_fingerprint(const Parts& parts, const TextOf& text_of, const std::vector<Change<Parts>>& counting,
                       const std::vector<Change<Parts>>& not_counting) {
  const std::string text = text_of(parts);
  CHECK(text_of(Parts(parts)) == text);
  std::set<std::string> texts{text};
  const auto changed = [&](const Change<Parts>& change) {
    Parts other = parts;
    change.make(other);
    return text_of(other);
  };
  for (const Change<Parts>& change : counting) {
    INFO("changed: " << change.name);
    CHECK(texts.insert(changed(change)).second);
  }
  for (const Change<Parts>& change : not_counting) {
    INFO("changed: " << change.name);
    CHECK(changed(change) == text);
  }
}
