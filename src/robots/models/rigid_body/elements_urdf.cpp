// SPDX-License-Identifier: BSD-3-Clause
#include "elements_urdf.hpp"

#include "quoin/util/to_text.hpp"

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

constexpr int deepest = 100;

struct JointEnds {
  std::string name, parent, child;
  int line;
};

std::string link_of(const TiXmlElement& joint, const char* end, const Names& links, const std::string& file) {
  const TiXmlElement* element = joint.FirstChildElement(end);
  const std::string name = element ? attribute(*element, "link") : "";
  if (!links.contains(name))
    refuse_urdf(file, joint.Row(), "joint", attribute(joint, "name"),
                std::string("its ") + end + " '" + name + "' is no link of this robot");
  return name;
}

/// Sets the root and puts the joints in order.
void order_tree(const std::vector<std::string>& links, const std::vector<JointEnds>& joints, UrdfElements& elements,
                const std::string& file) {
  std::map<std::string, const JointEnds*> above;
  std::map<std::string, std::vector<const JointEnds*>> below;
  for (const JointEnds& joint : joints) {
    if (joint.parent == joint.child)
      refuse_urdf(file, joint.line, "joint", joint.name, "it joins the link '" + joint.child + "' to itself");
    const auto [other, first] = above.emplace(joint.child, &joint);
    if (!first)
      refuse_urdf(file, joint.line, "joint", joint.name,
                  "its child '" + joint.child + "' is the child of the joint '" + other->second->name + "' already");
    below[joint.parent].push_back(&joint);
  }
  for (const std::string& link : links) {
    if (above.contains(link)) continue;
    if (!elements.root.empty())
      refuse_urdf(file, elements.lines.at("link " + link), "link", link,
                  "no joint leads to it, nor to '" + elements.root + "'; a robot has one root");
    elements.root = link;
  }
  Names reached = {elements.root};
  std::vector<const JointEnds*> open(below[elements.root].rbegin(), below[elements.root].rend());
  while (!open.empty()) {
    const JointEnds& joint = *open.back();
    open.pop_back();
    elements.joints.push_back(joint.name);
    reached.insert(joint.child);
    open.insert(open.end(), below[joint.child].rbegin(), below[joint.child].rend());
  }
  for (const JointEnds& joint : joints)
    if (!reached.contains(joint.child))
      refuse_urdf(file, joint.line, "joint", joint.name,
                  "it is part of a loop: no way leads from the root" +
                      (elements.root.empty() ? "" : " '" + elements.root + "'") + " to its child '" + joint.child +
                      "'");
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
  std::vector<std::string> links;
  for (const TiXmlElement* child = root->FirstChildElement(); child; child = child->NextSiblingElement()) {
    const std::string& kind = child->ValueStr();
    if (kind != "joint" && kind != "link") continue;
    const std::string name = attribute(*child, "name");
    if (name.empty()) refuse_urdf(file, child->Row(), kind, "", "it has no name");
    if (!elements.lines.emplace(kind + " " + name, child->Row()).second)
      refuse_urdf(file, child->Row(), kind, name, "the name stands twice");
    if (kind == "link") links.push_back(name);
  }
  if (links.empty()) refuse_urdf(file, root->Row(), "robot", attribute(*root, "name"), "it has no link");
  const Names known(links.begin(), links.end());
  std::vector<JointEnds> joints;
  for (const TiXmlElement* joint = root->FirstChildElement("joint"); joint; joint = joint->NextSiblingElement("joint"))
    joints.push_back({attribute(*joint, "name"), link_of(*joint, "parent", known, file),
                      link_of(*joint, "child", known, file), joint->Row()});
  order_tree(links, joints, elements, file);
  return elements;
}

void check_nesting(std::string_view text, const std::string& file) {
  std::size_t at = 0;
  const auto refuse = [&](const std::string& why) {
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    throw std::runtime_error(file + ":" + to_text(line) + ": not XML that is read: " + why);
  };
  const auto find = [&](std::string_view what, std::size_t from) {
    return std::min(text.find(what, from), text.size());
  };
  // Tags are read more strictly than tinyxml reads them, so that both agree on where each of them ends.
  for (int depth = 0; (at = find("<", at)) < text.size();) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("<!--")) {
      at = find("-->", at + 4);
    } else if (rest.starts_with("<![CDATA[")) {
      at = find("]]>", at + 9);
    } else {
      const bool declaration = rest.starts_with("<!") || rest.starts_with("<?");
      for (++at; at < text.size() && text[at] != '>'; ++at) {
        if (text[at] == '<') refuse("'<' within a tag");
        if (rest.starts_with("<!")) continue;
        if (text[at] == '"' || text[at] == '\'') refuse("a quote that follows no '='");
        if (text[at] != '=') continue;
        at = std::min(text.find_first_not_of(" \t\r\n", at + 1), text.size());
        if (at == text.size() || (text[at] != '"' && text[at] != '\'')) refuse("a value that stands in no quotes");
        const std::string_view value = text.substr(at + 1, find(text.substr(at, 1), at + 1) - at - 1);
        if (value.find('<') != std::string_view::npos) refuse("'<' within a value");
        at += value.size() + 1;
      }
      if (rest.starts_with("</"))
        --depth;
      else if (!declaration && at < text.size() && text[at - 1] != '/')
        ++depth;
      if (depth > deepest) refuse("elements within elements, more than " + to_text(deepest) + " deep");
    }
  }
}

}  // namespace quoin::rigid_body
