// SPDX-License-Identifier: BSD-3-Clause
#include "urdf_elements.hpp"

#include "quoin/core/to_text.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

namespace quoin::rigid_body {
namespace {

using Names = std::set<std::string>;

const Names passed_over = {"visual", "collision", "material",    "transmission",
                           "gazebo", "sensor",    "calibration", "safety_controller"};

struct Known {
  Names attributes, elements;
};

const std::map<std::string, Known>& known_elements() {
  static const std::map<std::string, Known> known = {
      {"robot", {{"name", "version"}, {"link", "joint", "material", "transmission", "gazebo", "sensor"}}},
      {"link", {{"name"}, {"inertial", "visual", "collision", "gazebo", "sensor"}}},
      {"inertial", {{}, {"origin", "mass", "inertia"}}},
      {"mass", {{"value"}, {}}},
      {"inertia", {{"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}, {}}},
      {"joint",
       {{"name", "type"},
        {"parent", "child", "origin", "axis", "limit", "dynamics", "calibration", "safety_controller"}}},
      {"parent", {{"link"}, {}}},
      {"child", {{"link"}, {}}},
      {"origin", {{"xyz", "rpy"}, {}}},
      {"axis", {{"xyz"}, {}}},
      {"limit", {{"lower", "upper", "effort", "velocity"}, {}}},
      {"dynamics", {{"damping", "friction"}, {}}},
  };
  return known;
}

std::string attribute(const TiXmlElement& element, const char* name) {
  const char* value = element.Attribute(name);
  return value ? value : "";
}

void check_vector(const TiXmlElement& element, const char* name, const std::string& file, const std::string& owner) {
  const char* text = element.Attribute(name);
  if (!text) return;
  std::istringstream words{std::string(text)};
  words.imbue(std::locale::classic());
  double number;
  int count = 0;
  while (words >> number) ++count;
  if (count != 3 || !words.eof())
    refuse_urdf(file, element.Row(), element.ValueStr(), owner,
                std::string(name) + "=\"" + text + "\" is not three numbers");
}

void check_element(const TiXmlElement& element, const std::string& file, const std::string& owner) {
  const std::string& name = element.ValueStr();
  const Known& known = known_elements().at(name);
  for (const TiXmlAttribute* a = element.FirstAttribute(); a; a = a->Next()) {
    const std::string attribute_name = a->NameTStr();
    if (attribute_name.starts_with("xmlns") && name == "robot") continue;
    if (!known.attributes.contains(attribute_name))
      refuse_urdf(file, element.Row(), name, owner, "the attribute '" + attribute_name + "' is not supported");
  }
  check_vector(element, "xyz", file, owner);
  check_vector(element, "rpy", file, owner);
  if (name == "joint") {
    const std::string type = attribute(element, "type");
    if (type == "floating" || type == "planar")
      refuse_urdf(file, element.Row(), name, owner, type + " joints are not supported");
    if (type != "revolute" && type != "continuous" && type != "prismatic" && type != "fixed")
      refuse_urdf(file, element.Row(), name, owner, "there is no type '" + type + "' of joints");
  }
  Names seen;
  for (const TiXmlElement* child = element.FirstChildElement(); child; child = child->NextSiblingElement()) {
    const std::string& child_name = child->ValueStr();
    if (!known.elements.contains(child_name))
      refuse_urdf(file, child->Row(), name, owner, "<" + child_name + "> is not supported");
    if (passed_over.contains(child_name)) continue;
    if (name != "robot" && !seen.insert(child_name).second)
      refuse_urdf(file, child->Row(), name, owner, "<" + child_name + "> stands twice");
    check_element(*child, file, name == "robot" ? attribute(*child, "name") : owner);
  }
}

}  // namespace

void refuse_urdf(const std::string& file, int line, const std::string& element, const std::string& name,
                 const std::string& reason) {
  throw std::runtime_error(file + ":" + to_text(line) + ": <" + element +
                           (name.empty() ? "" : " name=\"" + name + "\"") + ">: " + reason);
}

UrdfElements check_elements(const TiXmlDocument& document, const std::string& file) {
  const TiXmlElement* root = document.RootElement();
  if (!root || root->ValueStr() != "robot")
    throw std::runtime_error(file + ":" + to_text(root ? root->Row() : 1) + ": <" + (root ? root->ValueStr() : "") +
                             ">: a URDF is a <robot>");
  check_element(*root, file, attribute(*root, "name"));
  UrdfElements elements;
  for (const TiXmlElement* child = root->FirstChildElement(); child; child = child->NextSiblingElement()) {
    const std::string& kind = child->ValueStr();
    if (kind != "joint" && kind != "link") continue;
    const std::string name = attribute(*child, "name");
    if (name.empty()) refuse_urdf(file, child->Row(), kind, "", "it has no name");
    if (!elements.lines.emplace(kind + " " + name, child->Row()).second)
      refuse_urdf(file, child->Row(), kind, name, "the name stands twice");
    if (kind == "joint") elements.joints.push_back(name);
  }
  return elements;
}

}  // namespace quoin::rigid_body
