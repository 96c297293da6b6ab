// SPDX-License-Identifier: BSD-3-Clause
#include "gmsh_file.hpp"
#include "quoin/robots/io/gmsh.hpp"
#include "quoin/util/files.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <istream>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

namespace quoin::io {
namespace {

using detail::GmshFile;
using detail::PhysicalGroup;
using Edge = std::pair<int, int>;

/// The vertices of edges that form one path, in its order; empty if they form none.
std::vector<int> chain_of(const std::vector<Edge>& edges) {
  std::map<int, std::vector<int>> neighbours;
  for (const auto& [a, b] : edges) {
    if (a == b) {
      return {};
    }
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
  }
  std::size_t ends = 0;
  for (const auto& [vertex, others] : neighbours) {
    if (others.size() > 2 || (others.size() == 2 && others[0] == others[1])) {
      return {};
    }
    ends += others.size() == 1;
  }
  if (ends != 0 && ends != 2) {
    return {};
  }
  int start = edges.front().first;
  if (ends == 2) {
    for (const auto& [a, b] : edges) {
      if (neighbours[a].size() == 1 || neighbours[b].size() == 1) {
        start = neighbours[a].size() == 1 ? a : b;
        break;
      }
    }
  }
  std::vector<int> chain{start};
  int previous = start;
  int current = ends == 2 ? neighbours[start].front() : edges.front().second;
  while (current != start) {
    chain.push_back(current);
    const std::vector<int>& others = neighbours[current];
    if (others.size() == 1) {
      break;
    }
    previous = std::exchange(current, others[0] == previous ? others[1] : others[0]);
  }
  // A second path beside the first would be left over.
  return chain.size() == neighbours.size() ? chain : std::vector<int>{};
}

std::map<PhysicalGroup, std::string> unique_names(const GmshFile& file, const std::set<PhysicalGroup>& groups) {
  std::map<PhysicalGroup, std::string> names;
  std::set<std::string> taken;
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {  // higher dimensions first
    const std::string dimension = to_text(group->first);
    const std::string tag = to_text(group->second);
    const auto given = file.physical_names.find(*group);
    std::string name = given == file.physical_names.end() || given->second.empty() ? "physical " + dimension + ' ' + tag
                                                                                   : given->second;
    if (taken.contains(name)) {
      name += ' ' + dimension + 'D';
    }
    if (taken.contains(name)) {
      name += " tag " + tag;
    }
    taken.insert(name);
    names[*group] = name;
  }
  return names;
}

template <int SpaceDim>
class Assembler {
 public:
  Assembler(GmshFile file, const std::string& name) : file_(std::move(file)), name_(name) {}

  SimplexMesh<SpaceDim> assemble() {
    choose_elements();
    number_vertices();
    orient_elements();
    set_groups();
    return std::move(mesh_);
  }

 private:
  static constexpr int simplex = SpaceDim == 2 ? detail::gmsh_triangle : detail::gmsh_tetrahedron;
  static constexpr const char* simplices = SpaceDim == 2 ? "triangles" : "tetrahedra";

  [[noreturn]] void fail(const std::string& why, int line) const {
    throw std::runtime_error("read_gmsh: '" + name_ + "', line " + to_text(line) + ": " + why);
  }

  const std::vector<int>& groups_of(const GmshFile::Element& element) const {
    return file_.group_lists[element.groups];
  }

  void choose_elements() {
    // Format 2.2 repeats an element for each of its physical groups.
    std::set<std::array<int, 4>> seen;
    for (const GmshFile::Element& element : file_.elements) {
      const detail::GmshElementType type = detail::gmsh_element_type(element.type);
      if (type.dimension > SpaceDim) {
        fail(std::string("the file has ") + type.name + "; read it as a mesh in space, not in the plane", element.line);
      }
      if (type.dimension < SpaceDim) {
        continue;
      }
      if (element.type != simplex) {
        fail(std::string("the file has ") + type.name + ", and only " + simplices +
                 " of first order are read; mesh it anew with them (Mesh.ElementOrder = 1, no recombination)",
             element.line);
      }
      std::array<int, 4> key = element.nodes;
      std::sort(key.begin(), key.begin() + SpaceDim + 1);
      if (seen.insert(key).second) {
        chosen_.push_back(&element);
      }
    }
    if (chosen_.empty()) {
      std::set<std::string> found;
      for (const GmshFile::Element& element : file_.elements) {
        found.insert(detail::gmsh_element_type(element.type).name);
      }
      std::string list;
      for (const std::string& type : found) {
        list += list.empty() ? "" : ", ";
        list += type;
      }
      throw std::runtime_error("read_gmsh: '" + name_ + "' has no " + simplices + ", only " +
                               (list.empty() ? "nodes" : list) + "; mesh it with gmsh -" + to_text(SpaceDim) +
                               ", and if it has physical groups, give the " + (SpaceDim == 2 ? "surfaces" : "volumes") +
                               " one");
    }
  }

  void number_vertices() {
    new_index_.assign(file_.nodes.size(), -1);
    for (const GmshFile::Element* element : chosen_) {
      for (std::size_t k = 0; k <= SpaceDim; ++k) {
        new_index_[static_cast<std::size_t>(element->nodes[k])] = 0;
      }
    }
    int count = 0;
    for (int& index : new_index_) {
      index = index == 0 ? count++ : -1;
    }
    mesh_.vertices.resize(SpaceDim, count);
    Eigen::Vector3d low = Eigen::Vector3d::Constant(std::numeric_limits<double>::infinity());
    Eigen::Vector3d high = -low;
    for (std::size_t i = 0; i < file_.nodes.size(); ++i) {
      if (new_index_[i] >= 0) {
        mesh_.vertices.col(new_index_[i]) = file_.nodes[i].template head<SpaceDim>();
        low = low.cwiseMin(file_.nodes[i]);
        high = high.cwiseMax(file_.nodes[i]);
      }
    }
    if (SpaceDim == 2 && high[2] - low[2] > 1e-9 * (high - low).norm()) {
      throw std::runtime_error("read_gmsh: '" + name_ + "' is not a mesh in the plane: z goes from " + to_text(low[2]) +
                               " to " + to_text(high[2]));
    }
  }

  void orient_elements() {
    mesh_.elements.resize(SpaceDim + 1, static_cast<Eigen::Index>(chosen_.size()));
    for (std::size_t e = 0; e < chosen_.size(); ++e) {
      auto element = mesh_.elements.col(static_cast<Eigen::Index>(e));
      for (int k = 0; k <= SpaceDim; ++k) {
        element[k] = new_index_[static_cast<std::size_t>(chosen_[e]->nodes[static_cast<std::size_t>(k)])];
      }
      Eigen::Matrix<double, SpaceDim, SpaceDim> edges;
      for (int k = 0; k < SpaceDim; ++k) {
        edges.col(k) = mesh_.vertices.col(element[k + 1]) - mesh_.vertices.col(element[0]);
      }
      const double volume = edges.determinant();
      // Below this rounding decides the sign.
      if (!(std::abs(volume) > 1e-13 * edges.colwise().norm().prod())) {
        fail(std::string("an element has no ") + (SpaceDim == 2 ? "area" : "volume"), chosen_[e]->line);
      }
      if (volume < 0) {
        std::swap(element[SpaceDim - 1], element[SpaceDim]);
      }
    }
  }

  void set_groups() {
    std::set<PhysicalGroup> groups;
    for (const auto& [group, name] : file_.physical_names) {
      if (group.first <= SpaceDim) {
        groups.insert(group);
      }
    }
    // Elements by list of groups: a table of the members of each group could be a hundred times the file.
    std::vector<std::vector<const GmshFile::Element*>> listed(file_.group_lists.size());
    std::map<PhysicalGroup, std::set<std::size_t>> lists;
    for (const GmshFile::Element& element : file_.elements) {
      listed[element.groups].push_back(&element);
      for (const int tag : groups_of(element)) {
        const PhysicalGroup group{detail::gmsh_element_type(element.type).dimension, tag};
        groups.insert(group);
        lists[group].insert(element.groups);
      }
    }
    const auto members = [&](const PhysicalGroup& group) {
      std::vector<const GmshFile::Element*> found;
      for (const std::size_t list : lists[group]) {
        std::copy_if(listed[list].begin(), listed[list].end(), std::back_inserter(found), [&](const auto* element) {
          return detail::gmsh_element_type(element->type).dimension == group.first;
        });
      }
      std::sort(found.begin(), found.end());  // in the order of the file
      return found;
    };
    const std::map<PhysicalGroup, std::string> names = unique_names(file_, groups);
    std::map<int, int> material;
    for (const auto& [group, name] : names) {
      if (group.first == SpaceDim) {
        material[group.second] = static_cast<int>(mesh_.element_group_names.size());
        mesh_.element_group_names.push_back(name);
      }
      mesh_.vertex_groups[name] = vertices_of(members(group));
    }
    const int none = static_cast<int>(mesh_.element_group_names.size());
    bool some_without = false;
    for (const GmshFile::Element* element : chosen_) {
      const std::vector<int>& physical = groups_of(*element);
      some_without = some_without || physical.empty();
      mesh_.element_group.push_back(physical.empty() ? none : material[physical.front()]);
    }
    if (some_without) {
      mesh_.element_group_names.push_back("none");
    }
  }

  std::vector<int> vertices_of(const std::vector<const GmshFile::Element*>& members) const {
    std::vector<Edge> edges;
    std::vector<int> vertices;
    for (const GmshFile::Element* element : members) {
      if (element->type == detail::gmsh_line) {
        edges.emplace_back(element->nodes[0], element->nodes[1]);
      }
      const int nodes = std::min(detail::gmsh_element_type(element->type).nodes, 4);
      vertices.insert(vertices.end(), element->nodes.begin(), element->nodes.begin() + nodes);
    }
    bool chained = false;
    if (!edges.empty() && edges.size() == members.size()) {
      const std::vector<int> chain = chain_of(edges);
      chained = !chain.empty();
      vertices = chained ? chain : vertices;
    }
    std::vector<int> kept;
    for (const int vertex : vertices) {
      if (const int index = new_index_[static_cast<std::size_t>(vertex)]; index >= 0) {
        kept.push_back(index);
      }
    }
    if (!chained) {
      std::sort(kept.begin(), kept.end());
      kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    }
    return kept;
  }

  const GmshFile file_;
  const std::string& name_;
  std::vector<const GmshFile::Element*> chosen_;
  std::vector<int> new_index_;  // of each node of the file; -1: dropped
  SimplexMesh<SpaceDim> mesh_;
};

template <int SpaceDim>
SimplexMesh<SpaceDim> read_text(const std::string& text, const std::string& name) {
  return Assembler<SpaceDim>(detail::parse_gmsh(text, name), name).assemble();
}

}  // namespace

template <int SpaceDim>
SimplexMesh<SpaceDim> read_gmsh(std::istream& in, const std::string& name) {
  return read_text<SpaceDim>({std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}, name);
}

template <int SpaceDim>
SimplexMesh<SpaceDim> read_gmsh(const std::filesystem::path& file) {
  return read_text<SpaceDim>(read_file(file), file.string());
}

template SimplexMesh<2> read_gmsh<2>(const std::filesystem::path&);
template SimplexMesh<3> read_gmsh<3>(const std::filesystem::path&);
template SimplexMesh<2> read_gmsh<2>(std::istream&, const std::string&);
template SimplexMesh<3> read_gmsh<3>(std::istream&, const std::string&);

}  // namespace quoin::io
