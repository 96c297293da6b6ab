// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cctype>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

/// One start tag of an XML text, with the characters that follow it up to the next tag.
struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;
  int depth = 0;
};

/// The elements of a well-formed XML text; throws std::runtime_error where it is not well-formed: tags that do
/// not match, attributes without quotes or given twice, bare `<` or `&`. Knows no comments, sections or doctypes.
inline std::vector<XmlElement> parse_xml(const std::string& xml) {
  std::vector<XmlElement> elements;
  std::vector<std::string> open;
  std::size_t i = 0;
  bool root_closed = false;
  const auto fail = [&](const std::string& why) {
    throw std::runtime_error(why + " at byte " + std::to_string(i) + ": " + xml.substr(i, 40));
  };
  const auto check_text = [&](const std::string& text) {
    for (std::size_t k = text.find('&'); k != std::string::npos; k = text.find('&', k + 1)) {
      const std::string entity = text.substr(k, text.find(';', k) - k + 1);
      if (entity != "&amp;" && entity != "&lt;" && entity != "&gt;" && entity != "&quot;" && entity != "&apos;") {
        fail("unknown entity " + entity);
      }
    }
  };
  const auto name_at = [&] {
    const std::size_t start = i;
    while (i < xml.size() &&
           (std::isalnum(static_cast<unsigned char>(xml[i])) || xml[i] == '-' || xml[i] == '_' || xml[i] == ':')) {
      ++i;
    }
    if (i == start) {
      fail("a name is missing");
    }
    return xml.substr(start, i - start);
  };
  const auto skip_blanks = [&] {
    while (i < xml.size() && std::isspace(static_cast<unsigned char>(xml[i]))) {
      ++i;
    }
  };
  if (xml.compare(0, 5, "<?xml") == 0) {
    i = xml.find("?>") + 2;
  }
  while (i < xml.size()) {
    if (xml[i] != '<') {
      const std::size_t end = std::min(xml.find('<', i), xml.size());
      const std::string text = xml.substr(i, end - i);
      check_text(text);
      if (open.empty() && text.find_first_not_of(" \n") != std::string::npos) {
        fail("text outside of the root");
      }
      if (!elements.empty()) {
        elements.back().text += text;
      }
      i = end;
      continue;
    }
    if (root_closed) {
      fail("something follows the root");
    }
    ++i;
    if (xml[i] == '/') {
      ++i;
      const std::string name = name_at();
      if (open.empty() || open.back() != name || xml[i] != '>') {
        fail("</" + name + "> closes nothing");
      }
      open.pop_back();
      root_closed = open.empty();
      ++i;
      continue;
    }
    XmlElement element;
    element.name = name_at();
    element.depth = static_cast<int>(open.size());
    for (skip_blanks(); xml[i] != '>' && xml[i] != '/'; skip_blanks()) {
      const std::string key = name_at();
      if (xml[i] != '=' || xml[i + 1] != '"') {
        fail("the attribute has no quoted value");
      }
      const std::size_t end = xml.find('"', i + 2);
      const std::string value = xml.substr(i + 2, end - i - 2);
      check_text(value);
      if (value.find('<') != std::string::npos || !element.attributes.emplace(key, value).second) {
        fail("bad or doubled attribute " + key);
      }
      i = end + 1;
    }
    if (xml[i] == '/') {
      ++i;
      root_closed = open.empty();
    } else {
      open.push_back(element.name);
    }
    if (xml[i] != '>') {
      fail("the tag does not end");
    }
    ++i;
    elements.push_back(std::move(element));
  }
  if (!root_closed) {
    fail("tags are left open");
  }
  return elements;
}

inline int count_elements(const std::vector<XmlElement>& elements, const std::string& name) {
  int count = 0;
  for (const XmlElement& element : elements) {
    count += element.name == name;
  }
  return count;
}
