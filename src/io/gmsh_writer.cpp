// SPDX-License-Identifier: BSD-3-Clause
#include "gmsh_file.hpp"
#include "number_text.hpp"
#include "quoin/core/files.hpp"
#include "quoin/core/to_text.hpp"
#include "quoin/io/gmsh.hpp"

#include <algorithm>
#include <map>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace quoin::io {
namespace {

template <int SpaceDim>
void check(const SimplexMesh<SpaceDim>& mesh) {
  const std::string caller = "write_gmsh: ";
  const Eigen::Index vertices = mesh.vertices.cols();
  if (!mesh.element_group.empty() && static_cast<Eigen::Index>(mesh.element_group.size()) != mesh.elements.cols()) {
    throw std::invalid_argument(caller + to_text(mesh.element_group.size()) + " element groups for " +
                                to_text(mesh.elements.cols()) + " elements");
  }
  for (const int group : mesh.element_group) {
    if (group < 0) {
      throw std::invalid_argument(caller + "an element has the group " + to_text(group));
    }
  }
  if (mesh.elements.size() > 0 && (mesh.elements.minCoeff() < 0 || mesh.elements.maxCoeff() >= vertices)) {
    throw std::invalid_argument(caller + "elements name vertices " + to_text(mesh.elements.minCoeff()) + " to " +
                                to_text(mesh.elements.maxCoeff()) + ", but there are " + to_text(vertices));
  }
  for (const auto& [name, members] : mesh.vertex_groups) {
    if (name.find_first_of("\"\n") != std::string::npos) {
      throw std::invalid_argument(caller + "the name of a group has a quote or a line break: " + name);
    }
    for (const int vertex : members) {
      if (vertex < 0 || vertex >= vertices) {
        throw std::invalid_argument(caller + "group '" + name + "' names vertex " + to_text(vertex) +
                                    ", but there are " + to_text(vertices));
      }
    }
  }
}

template <int SpaceDim>
std::string text_of(const SimplexMesh<SpaceDim>& mesh) {
  check(mesh);
  const auto coordinates = [&](Eigen::Index vertex) {
    std::string text;
    for (int k = 0; k < 3; ++k) {
      text += k == 0 ? "" : " ";
      text += k < SpaceDim ? to_text(mesh.vertices(k, vertex)) : "0";
    }
    return text;
  };

  // Elements by group; each group is one entity of the mesh's dimension and one physical group, both with its tag.
  std::vector<std::vector<Eigen::Index>> materials(std::max<std::size_t>(mesh.element_group_names.size(), 1));
  for (Eigen::Index e = 0; e < mesh.elements.cols(); ++e) {
    const std::size_t group =
        mesh.element_group.empty() ? 0 : static_cast<std::size_t>(mesh.element_group[static_cast<std::size_t>(e)]);
    materials.resize(std::max(materials.size(), group + 1));
    materials[group].push_back(e);
  }
  const auto material_name = [&](std::size_t group) {
    const std::string given = group < mesh.element_group_names.size() ? mesh.element_group_names[group] : "";
    return given.empty() ? "group " + to_text(group) : given;
  };

  // A set of vertices becomes points, an order of them (a chain) lines. Those of the elements' groups are implied.
  std::map<int, std::vector<int>> point_groups;  // vertex -> physical tags
  std::vector<std::pair<int, const std::vector<int>*>> chains;
  std::string names;
  int tag = 0;
  int name_count = 0;
  const auto announce = [&](int dimension, int physical, const std::string& name) {
    names += to_text(dimension) + ' ' + to_text(physical) + " \"" + name + "\"\n";
    ++name_count;
  };
  for (const auto& [name, members] : mesh.vertex_groups) {
    const bool implied = std::find(mesh.element_group_names.begin(), mesh.element_group_names.end(), name) !=
                         mesh.element_group_names.end();
    if (implied) {
      continue;
    }
    ++tag;
    const bool chain = !std::is_sorted(members.begin(), members.end());
    announce(chain ? 1 : 0, tag, name);
    if (chain) {
      chains.emplace_back(tag, &members);
    } else {
      for (const int vertex : members) {
        point_groups[vertex].push_back(tag);
      }
    }
  }
  for (std::size_t group = 0; group < materials.size(); ++group) {
    announce(SpaceDim, static_cast<int>(group) + 1, material_name(group));
  }

  std::ostringstream out = detail::plain_text();
  out << "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n"
      << name_count << '\n'
      << names << "$EndPhysicalNames\n";

  std::string box;
  for (const bool upper : {false, true}) {
    for (int k = 0; k < 3; ++k) {
      const bool flat = k >= SpaceDim || mesh.vertices.cols() == 0;
      box += ' ' + (flat ? "0" : to_text(upper ? mesh.vertices.row(k).maxCoeff() : mesh.vertices.row(k).minCoeff()));
    }
  }
  out << "$Entities\n" << point_groups.size() << ' ' << chains.size();
  out << (SpaceDim == 2 ? " " : " 0 ") << materials.size() << (SpaceDim == 2 ? " 0" : "") << '\n';
  for (const auto& [vertex, tags] : point_groups) {
    out << vertex + 1 << ' ' << coordinates(vertex) << ' ' << tags.size();
    for (const int physical : tags) {
      out << ' ' << physical;
    }
    out << '\n';
  }
  for (const auto& [physical, members] : chains) {
    out << physical << box << " 1 " << physical << " 0\n";
  }
  for (std::size_t group = 1; group <= materials.size(); ++group) {
    out << group << box << " 1 " << group << " 0\n";
  }
  out << "$EndEntities\n";

  const Eigen::Index vertices = mesh.vertices.cols();
  out << "$Nodes\n1 " << vertices << " 1 " << vertices << '\n' << SpaceDim << " 1 0 " << vertices << '\n';
  for (Eigen::Index i = 1; i <= vertices; ++i) {
    out << i << '\n';
  }
  for (Eigen::Index i = 0; i < vertices; ++i) {
    out << coordinates(i) << '\n';
  }
  out << "$EndNodes\n";

  std::size_t blocks = point_groups.size() + chains.size();
  std::size_t elements = point_groups.size() + static_cast<std::size_t>(mesh.elements.cols());
  for (const auto& [physical, members] : chains) {
    elements += members->size() - 1;
  }
  for (const std::vector<Eigen::Index>& members : materials) {
    blocks += !members.empty();
  }
  out << "$Elements\n" << blocks << ' ' << elements << " 1 " << elements << '\n';
  std::size_t element = 0;
  for (const auto& [vertex, tags] : point_groups) {
    out << "0 " << vertex + 1 << ' ' << detail::gmsh_point << " 1\n" << ++element << ' ' << vertex + 1 << '\n';
  }
  for (const auto& [physical, members] : chains) {
    out << "1 " << physical << ' ' << detail::gmsh_line << ' ' << members->size() - 1 << '\n';
    for (std::size_t k = 0; k + 1 < members->size(); ++k) {
      out << ++element << ' ' << (*members)[k] + 1 << ' ' << (*members)[k + 1] + 1 << '\n';
    }
  }
  for (std::size_t group = 0; group < materials.size(); ++group) {
    if (materials[group].empty()) {
      continue;
    }
    out << SpaceDim << ' ' << group + 1 << ' ' << (SpaceDim == 2 ? detail::gmsh_triangle : detail::gmsh_tetrahedron)
        << ' ' << materials[group].size() << '\n';
    for (const Eigen::Index e : materials[group]) {
      out << ++element;
      for (int k = 0; k <= SpaceDim; ++k) {
        out << ' ' << mesh.elements(k, e) + 1;
      }
      out << '\n';
    }
  }
  out << "$EndElements\n";
  return std::move(out).str();
}

}  // namespace

template <int SpaceDim>
void write_gmsh(std::ostream& out, const SimplexMesh<SpaceDim>& mesh) {
  out << text_of(mesh);
}

template <int SpaceDim>
void write_gmsh(const std::filesystem::path& file, const SimplexMesh<SpaceDim>& mesh) {
  write_file(file, text_of(mesh));
}

template void write_gmsh<2>(const std::filesystem::path&, const SimplexMesh<2>&);
template void write_gmsh<3>(const std::filesystem::path&, const SimplexMesh<3>&);
template void write_gmsh<2>(std::ostream&, const SimplexMesh<2>&);
template void write_gmsh<3>(std::ostream&, const SimplexMesh<3>&);

}  // namespace quoin::io
