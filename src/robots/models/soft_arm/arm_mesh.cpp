// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/soft_arm/arm_mesh.hpp"

#include "quoin/util/to_text.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <stdexcept>
#include <utility>

namespace quoin::soft_arm {
namespace {

using Edges = std::vector<std::vector<int>>;  // neighbours of each vertex, ascending

template <int SpaceDim>
Edges edges_of(const SimplexMesh<SpaceDim>& mesh) {
  Edges edges(mesh.vertices.cols());
  for (Eigen::Index element = 0; element < mesh.elements.cols(); ++element)
    for (int a = 0; a <= SpaceDim; ++a)
      for (int b = 0; b <= SpaceDim; ++b)
        if (a != b) edges[mesh.elements(a, element)].push_back(mesh.elements(b, element));
  for (auto& list : edges) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return edges;
}

template <int SpaceDim>
void check_indices(const SimplexMesh<SpaceDim>& mesh, const std::string& who) {
  const auto count = mesh.vertices.cols();
  if (mesh.elements.cols() == 0) throw std::invalid_argument(who + ": the mesh has no elements");
  if (!mesh.vertices.allFinite()) throw std::invalid_argument(who + ": a vertex is not finite");
  for (Eigen::Index element = 0; element < mesh.elements.cols(); ++element)
    for (int a = 0; a <= SpaceDim; ++a)
      if (const int vertex = mesh.elements(a, element); vertex < 0 || vertex >= count)
        throw std::invalid_argument(who + ": element " + to_text(element) + " names vertex " + to_text(vertex) +
                                    ", the mesh has " + to_text(count));
}

// Shortest path along edges (Dijkstra); empty if there is none.
template <int SpaceDim>
std::vector<int> shortest_path(const SimplexMesh<SpaceDim>& mesh, const Edges& edges, int from, int to) {
  std::vector<double> distance(edges.size(), std::numeric_limits<double>::infinity());
  std::vector<int> previous(edges.size(), -1);
  using Entry = std::pair<double, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  distance[from] = 0;
  queue.push({0, from});
  while (!queue.empty()) {
    const auto [reached, at] = queue.top();
    queue.pop();
    if (at == to) break;
    if (reached > distance[at]) continue;
    for (int next : edges[at]) {
      const double through = reached + (mesh.vertices.col(next) - mesh.vertices.col(at)).norm();
      if (through < distance[next]) {
        distance[next] = through;
        previous[next] = at;
        queue.push({through, next});
      }
    }
  }
  if (!std::isfinite(distance[to])) return {};
  std::vector<int> path;
  for (int at = to; at >= 0; at = previous[at]) path.push_back(at);
  std::reverse(path.begin(), path.end());
  return path;
}

template <int SpaceDim>
const std::vector<int>& group(const SimplexMesh<SpaceDim>& mesh, const std::string& name) {
  const auto found = mesh.vertex_groups.find(name);
  if (found == mesh.vertex_groups.end() || found->second.empty()) {
    std::string known;
    for (const auto& entry : mesh.vertex_groups) known += (known.empty() ? "" : ", ") + entry.first;
    throw std::invalid_argument("arm_from_mesh: the mesh has no vertex group \"" + name +
                                "\"; it has: " + (known.empty() ? "none" : known));
  }
  for (int vertex : found->second)
    if (vertex < 0 || vertex >= mesh.vertices.cols())
      throw std::invalid_argument("arm_from_mesh: vertex group \"" + name + "\" names vertex " + to_text(vertex) +
                                  ", the mesh has " + to_text(mesh.vertices.cols()));
  return found->second;
}

void check_set(const std::vector<int>& set, Eigen::Index count, const char* name) {
  if (set.empty()) throw std::invalid_argument(std::string("check_arm: ") + name + " names no vertex");
  for (int vertex : set)
    if (vertex < 0 || vertex >= count)
      throw std::invalid_argument(std::string("check_arm: ") + name + " names vertex " + to_text(vertex) +
                                  ", the mesh has " + to_text(count));
}

template <int SpaceDim>
void check_elements(const ArmMesh<SpaceDim>& arm) {
  const Eigen::Vector<double, SpaceDim> extent = arm.vertices.rowwise().maxCoeff() - arm.vertices.rowwise().minCoeff();
  const double least = 1e-12 * std::pow(extent.maxCoeff(), SpaceDim);
  for (Eigen::Index element = 0; element < arm.elements.cols(); ++element) {
    Eigen::Matrix<double, SpaceDim, SpaceDim> sides;
    for (int axis = 0; axis < SpaceDim; ++axis)
      sides.col(axis) = arm.vertices.col(arm.elements(axis + 1, element)) - arm.vertices.col(arm.elements(0, element));
    const double volume = sides.determinant() / (SpaceDim == 2 ? 2 : 6);
    if (!(volume > least))
      throw std::invalid_argument("check_arm: element " + to_text(element) + " is " +
                                  (volume < -least ? "inverted" : "degenerate") + ": its volume is " + to_text(volume) +
                                  ", the mesh is " + to_text(extent.maxCoeff()) + " wide");
  }
}

}  // namespace

template <int SpaceDim>
ArmMesh<SpaceDim> arm_from_mesh(SimplexMesh<SpaceDim> mesh, const ArmDescription& description) {
  check_indices(mesh, "arm_from_mesh");
  ArmMesh<SpaceDim> arm;
  static_cast<SimplexMesh<SpaceDim>&>(arm) = std::move(mesh);
  arm.clamped = group(arm, description.clamped);
  arm.tip = group(arm, description.tip);
  arm.before_tip = group(arm, description.before_tip);

  const Edges edges = edges_of(arm);
  for (const std::string& name : description.lines) {
    const auto& way = group(arm, name);
    if (way.size() < 2)
      throw std::invalid_argument("arm_from_mesh: line \"" + name + "\" needs two vertices at least, it has " +
                                  to_text(way.size()));
    std::vector<int> chain{way.front()};
    for (std::size_t at = 1; at < way.size(); ++at) {
      const auto path = shortest_path(arm, edges, way[at - 1], way[at]);
      if (path.size() < 2)
        throw std::invalid_argument("arm_from_mesh: line \"" + name +
                                    "\" runs through nothing: no edges of the mesh join its vertices " +
                                    to_text(way[at - 1]) + " and " + to_text(way[at]));
      chain.insert(chain.end(), path.begin() + 1, path.end());
    }
    arm.lines.push_back(std::move(chain));
  }

  if (arm.element_group.size() != static_cast<std::size_t>(arm.elements.cols()))
    throw std::invalid_argument("arm_from_mesh: " + to_text(arm.elements.cols()) + " elements, but " +
                                to_text(arm.element_group.size()) + " element groups given");
  for (int index : arm.element_group) {
    if (index < 0 || index >= static_cast<int>(arm.element_group_names.size()))
      throw std::invalid_argument("arm_from_mesh: element group " + to_text(index) + " has no name, there are " +
                                  to_text(arm.element_group_names.size()));
    const auto found = description.young.find(arm.element_group_names[index]);
    if (found == description.young.end())
      throw std::invalid_argument("arm_from_mesh: no Young's modulus is given for element group \"" +
                                  arm.element_group_names[index] + "\"");
    arm.young.push_back(found->second);
  }
  arm.poisson = description.poisson;
  arm.density = description.density;
  arm.thickness = description.thickness;
  arm.line_force = description.line_force;
  check_arm(arm);
  return arm;
}

template <int SpaceDim>
void check_arm(const ArmMesh<SpaceDim>& arm) {
  const auto count = arm.vertices.cols();
  check_indices(arm, "check_arm");
  check_elements(arm);
  if (arm.young.size() != static_cast<std::size_t>(arm.elements.cols()))
    throw std::invalid_argument("check_arm: " + to_text(arm.elements.cols()) + " elements, but " +
                                to_text(arm.young.size()) + " Young's moduli");
  for (std::size_t element = 0; element < arm.young.size(); ++element)
    if (!(arm.young[element] > 0) || !std::isfinite(arm.young[element]))
      throw std::invalid_argument("check_arm: Young's modulus of element " + to_text(element) + " is " +
                                  to_text(arm.young[element]) + ", it must be positive");
  if (!(arm.poisson > -1 && arm.poisson < 0.5))
    throw std::invalid_argument("check_arm: Poisson's ratio " + to_text(arm.poisson) + " must lie in (-1, 0.5)");
  if (!(arm.density > 0) || !(arm.thickness > 0) || !(arm.line_force > 0))
    throw std::invalid_argument("check_arm: density " + to_text(arm.density) + ", thickness " + to_text(arm.thickness) +
                                " and line force " + to_text(arm.line_force) + " must be positive");
  check_set(arm.clamped, count, "clamped");
  check_set(arm.tip, count, "tip");
  check_set(arm.before_tip, count, "before_tip");

  const Edges edges = edges_of(arm);
  for (Eigen::Index vertex = 0; vertex < count; ++vertex)
    if (edges[vertex].empty())
      throw std::invalid_argument("check_arm: vertex " + to_text(vertex) + " belongs to no element");
  if (arm.lines.size() != static_cast<std::size_t>(line_count<SpaceDim>))
    throw std::invalid_argument("check_arm: an arm in " + to_text(SpaceDim) + "D has " + to_text(line_count<SpaceDim>) +
                                " lines, given " + to_text(arm.lines.size()));
  for (std::size_t line = 0; line < arm.lines.size(); ++line) {
    const auto& chain = arm.lines[line];
    const std::string name = "line " + to_text(line + 1);
    check_set(chain, count, name.c_str());
    if (chain.size() < 2) throw std::invalid_argument("check_arm: " + name + " has one vertex, it needs two at least");
    for (std::size_t at = 1; at < chain.size(); ++at)
      if (const auto& near = edges[chain[at - 1]]; !std::binary_search(near.begin(), near.end(), chain[at]))
        throw std::invalid_argument("check_arm: " + name +
                                    " runs through nothing: no edge of the mesh joins vertices " +
                                    to_text(chain[at - 1]) + " and " + to_text(chain[at]));
  }
}

template ArmMesh<2> arm_from_mesh<2>(SimplexMesh<2>, const ArmDescription&);
template ArmMesh<3> arm_from_mesh<3>(SimplexMesh<3>, const ArmDescription&);
template void check_arm<2>(const ArmMesh<2>&);
template void check_arm<3>(const ArmMesh<3>&);

}  // namespace quoin::soft_arm
