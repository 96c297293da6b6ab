// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/soft_arm/soft_arm.hpp"

#include "quoin/util/to_text.hpp"

#include "soft_arm_body.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::soft_arm {
namespace {

void require_size(Eigen::Index given, Eigen::Index needed, const char* who) {
  if (given != needed)
    throw std::invalid_argument(std::string("SoftArm::") + who + ": a vector of " + to_text(given) +
                                " entries given, " + to_text(needed) + " needed");
}

}  // namespace

template <int D>
SoftArm<D>::Body::Body(ArmMesh<D> given_mesh, ArmOptions<D> given_options)
    : mesh(std::move(given_mesh)), options(std::move(given_options)) {
  check_arm(mesh);
  const Eigen::Index count = mesh.vertices.size();
  if (options.dead_load.size() != 0) require_size(options.dead_load.size(), count, "SoftArm, ArmOptions::dead_load");
  rest = Eigen::Map<const Eigen::VectorXd>(mesh.vertices.data(), count);
  mass.setZero(count);
  number_free();
  make_pattern();
  make_batches();
  force = mass.cwiseProduct(options.gravity.replicate(count / D, 1));
  if (options.dead_load.size() != 0) force += options.dead_load;
}

template <int D>
void SoftArm<D>::Body::number_free() {
  free_vertex.assign(mesh.vertices.cols(), 0);
  for (int vertex : mesh.clamped) free_vertex[vertex] = -1;
  for (std::size_t vertex = 0; vertex < free_vertex.size(); ++vertex) {
    if (free_vertex[vertex] < 0) continue;
    free_vertex[vertex] = static_cast<int>(free_dofs.size());
    for (int i = 0; i < D; ++i) free_dofs.push_back(static_cast<int>(vertex) * D + i);
  }
  if (free_dofs.empty()) throw std::invalid_argument("SoftArm: every vertex is clamped");
}

template <int D>
void SoftArm<D>::Body::make_pattern() {
  std::vector<std::vector<int>> rows(mesh.vertices.cols());
  for (Eigen::Index element = 0; element < mesh.elements.cols(); ++element)
    for (int a = 0; a <= D; ++a)
      for (int b = 0; b <= D; ++b)
        if (mesh.elements(a, element) >= mesh.elements(b, element))
          rows[mesh.elements(b, element)].push_back(mesh.elements(a, element));
  std::vector<Eigen::Triplet<double>> triplets;
  for (std::size_t vertex = 0; vertex < rows.size(); ++vertex) {
    std::sort(rows[vertex].begin(), rows[vertex].end());
    rows[vertex].erase(std::unique(rows[vertex].begin(), rows[vertex].end()), rows[vertex].end());
    if (free_vertex[vertex] < 0) continue;
    for (int row : rows[vertex])
      if (free_vertex[row] >= 0)
        for (int i = 0; i < D; ++i)
          for (int j = 0; j < D; ++j)
            if (row != static_cast<int>(vertex) || i >= j)
              triplets.emplace_back(free_vertex[row] + i, free_vertex[vertex] + j, 0.0);
  }
  pattern.resize(free_dofs.size(), free_dofs.size());
  pattern.setFromTriplets(triplets.begin(), triplets.end());
  pattern.makeCompressed();
}

// Column j of an off-diagonal block has D rows; on the diagonal only rows j to D - 1.
template <int D>
std::array<int, D> SoftArm<D>::Body::columns_of_block(int row_vertex, int column_vertex) const {
  std::array<int, D> result;
  result.fill(-1);
  const int row = free_vertex[row_vertex], column = free_vertex[column_vertex];
  if (row < 0 || column < 0) return result;
  for (int j = 0; j < D; ++j) {
    const int* const first = pattern.innerIndexPtr() + pattern.outerIndexPtr()[column + j];
    const int* const last = pattern.innerIndexPtr() + pattern.outerIndexPtr()[column + j + 1];
    const int wanted = row == column ? row + j : row;
    result[j] = static_cast<int>(std::lower_bound(first, last, wanted) - pattern.innerIndexPtr());
  }
  return result;
}

template <int D>
void SoftArm<D>::Body::make_batches() {
  const Eigen::Index count = mesh.elements.cols();
  for (Eigen::Index first = 0; first < count; first += pack_size) {
    Batch<D>& batch = batches.emplace_back();
    batch.lanes = static_cast<int>(std::min<Eigen::Index>(pack_size, count - first));
    for (int lane = 0; lane < pack_size; ++lane) {
      const Eigen::Index element = lane < batch.lanes ? first + lane : first;
      Eigen::Vector<int, D + 1> vertex = mesh.elements.col(element);
      std::sort(vertex.begin(), vertex.end());
      Eigen::Matrix<double, D, D> sides;
      for (int axis = 0; axis < D; ++axis)
        sides.col(axis) = mesh.vertices.col(vertex[axis + 1]) - mesh.vertices.col(vertex[0]);
      const Eigen::Matrix<double, D, D> inverse = sides.inverse();
      const double volume = std::abs(sides.determinant()) / (D == 2 ? 2 : 6) * (D == 2 ? mesh.thickness : 1);
      const double young = mesh.young[element], nu = mesh.poisson;
      const double mu = young / (2 * (1 + nu)), lambda = young * nu / ((1 + nu) * (1 - 2 * nu));
      batch.solid.mu[lane] = volume * mu;
      if (lane < batch.lanes) stiffness += volume * mu;
      batch.solid.lh[lane] = volume * (lambda + mu);
      batch.solid.per_sides[lane] = 1 / sides.determinant();
      for (int j = 0; j < D; ++j) {
        batch.solid.b[0][j][lane] = -inverse.col(j).sum();
        for (int a = 0; a < D; ++a) batch.solid.b[a + 1][j][lane] = inverse(a, j);
      }
      for (int a = 0, at = 0; a <= D; ++a) {
        batch.vertex[a][lane] = vertex[a];
        if (lane < batch.lanes) mass.template segment<D>(D * vertex[a]).array() += mesh.density * volume / (D + 1);
        for (int c = 0; c <= a; ++c, ++at) batch.column[lane][at] = columns_of_block(vertex[a], vertex[c]);
      }
    }
  }
  for (std::size_t line = 0; line < mesh.lines.size(); ++line)
    for (std::size_t at = 1; at < mesh.lines[line].size(); ++at) {
      const auto [a, b] = std::minmax(mesh.lines[line][at - 1], mesh.lines[line][at]);
      segments.push_back(
          {static_cast<int>(line), a, b, {columns_of_block(a, a), columns_of_block(b, b), columns_of_block(b, a)}});
    }
}

template <int D>
SoftArm<D>::SoftArm(ArmMesh<D> mesh, ArmOptions<D> options)
    : body_(std::make_shared<const Body>(std::move(mesh), std::move(options))) {}

template <int D>
const ArmMesh<D>& SoftArm<D>::mesh() const {
  return body_->mesh;
}
template <int D>
const ArmOptions<D>& SoftArm<D>::options() const {
  return body_->options;
}
template <int D>
double SoftArm<D>::line_force() const {
  return body_->mesh.line_force;
}
template <int D>
Eigen::Index SoftArm<D>::size() const {
  return body_->rest.size();
}
template <int D>
Eigen::Index SoftArm<D>::free_size() const {
  return static_cast<Eigen::Index>(body_->free_dofs.size());
}
template <int D>
const std::vector<int>& SoftArm<D>::free_dofs() const {
  return body_->free_dofs;
}
template <int D>
const Eigen::VectorXd& SoftArm<D>::rest() const {
  return body_->rest;
}
template <int D>
const Eigen::VectorXd& SoftArm<D>::mass() const {
  return body_->mass;
}
template <int D>
const typename SoftArm<D>::Sparse& SoftArm<D>::hessian_pattern() const {
  return body_->pattern;
}

template <int D>
Eigen::VectorXd SoftArm<D>::free_part(const Eigen::VectorXd& x) const {
  require_size(x.size(), size(), "free_part");
  return x(body_->free_dofs);
}

template <int D>
void SoftArm<D>::set_free(const Eigen::VectorXd& free, Eigen::VectorXd& x) const {
  require_size(free.size(), free_size(), "set_free");
  require_size(x.size(), size(), "set_free");
  x(body_->free_dofs) = free;
}

template <int D>
void SoftArm<D>::add_free(double scale, const Eigen::VectorXd& step, Eigen::VectorXd& x) const {
  require_size(step.size(), free_size(), "add_free");
  require_size(x.size(), size(), "add_free");
  for (Eigen::Index i = 0; i < step.size(); ++i) x[body_->free_dofs[i]] += scale * step[i];
}

template <int D>
double SoftArm<D>::energy(const Eigen::VectorXd& x, const Controls& u) const {
  require_size(x.size(), size(), "energy");
  const Body& body = *body_;
  double sum = -body.force.dot(x - body.rest) + line_force() * u.dot(lengths(x));
  typename NeoHookean<D>::Nodes nodes;
  for (const auto& batch : body.batches) {
    Pack energy;
    body.gather(batch, x.data(), nodes);
    batch.solid.energy(nodes, energy);
    for (int lane = 0; lane < batch.lanes; ++lane) sum += energy[lane];
  }
  return sum;
}

template <int D>
double SoftArm<D>::energy_rounding(const Eigen::VectorXd& x, const Controls& u) const {
  return 1e-15 * (body_->stiffness + line_force() * u.cwiseAbs().dot(lengths(x)) +
                  body_->force.cwiseAbs().dot((x - body_->rest).cwiseAbs()));
}

template <int D>
double SoftArm<D>::gradient(const Eigen::VectorXd& x, const Controls& u, Eigen::VectorXd& gradient) const {
  require_size(x.size(), size(), "gradient");
  const Body& body = *body_;
  gradient = -body.force(body.free_dofs);
  double sum = -body.force.dot(x - body.rest);
  typename NeoHookean<D>::Nodes nodes, forces;
  for (const auto& batch : body.batches) {
    Pack energy;
    body.gather(batch, x.data(), nodes);
    batch.solid.gradient(nodes, energy, forces);
    body.scatter(batch, forces, gradient.data());
    for (int lane = 0; lane < batch.lanes; ++lane) sum += energy[lane];
  }
  for (const auto& segment : body.segments) {
    const Eigen::Vector<double, D> d = body.difference(segment, x);
    const double length = d.norm(), tension = line_force() * u[segment.line];
    sum += tension * length;
    body.add(segment.b, tension / length * d, gradient);
    body.add(segment.a, -tension / length * d, gradient);
  }
  return sum;
}

template <int D>
void SoftArm<D>::hessian(const Eigen::VectorXd& x, const Controls& u, Sparse& hessian) const {
  require_size(x.size(), size(), "hessian");
  const Body& body = *body_;
  if (hessian.nonZeros() != body.pattern.nonZeros())
    throw std::invalid_argument("SoftArm::hessian: the matrix has " + to_text(hessian.nonZeros()) +
                                " entries, hessian_pattern() has " + to_text(body.pattern.nonZeros()));
  double* const values = hessian.valuePtr();
  std::fill(values, values + hessian.nonZeros(), 0.0);
  typename NeoHookean<D>::Nodes nodes;
  Pack K[block_count<D>][D][D];
  for (const auto& batch : body.batches) {
    body.gather(batch, x.data(), nodes);
    batch.solid.hessian(nodes, K);
    for (int lane = 0; lane < batch.lanes; ++lane)
      for (int a = 0, at = 0; a <= D; ++a)
        for (int c = 0; c <= a; ++c, ++at) {
          const auto& column = batch.column[lane][at];
          if (column[0] < 0) continue;
          for (int j = 0; j < D; ++j)
            for (int i = a == c ? j : 0; i < D; ++i) values[column[j] + i - (a == c ? j : 0)] += K[at][i][j][lane];
        }
  }
  for (const auto& segment : body.segments) {
    const Eigen::Vector<double, D> d = body.difference(segment, x);
    const double square = d.squaredNorm();
    const double stiffness = line_force() * u[segment.line] / std::sqrt(square);
    const Eigen::Matrix<double, D, D> block =
        stiffness * (Eigen::Matrix<double, D, D>::Identity() - d * d.transpose() / square);
    for (int which = 0; which < 3; ++which) {
      const auto& column = segment.column[which];
      if (column[0] < 0) continue;
      const bool diagonal = which < 2;
      for (int j = 0; j < D; ++j)
        for (int i = diagonal ? j : 0; i < D; ++i)
          values[column[j] + i - (diagonal ? j : 0)] += diagonal ? block(i, j) : -block(i, j);
    }
  }
}

template <int D>
void SoftArm<D>::third_derivative(const Eigen::VectorXd& x, const Controls& u, const Eigen::VectorXd& a,
                                  const Eigen::VectorXd& b, Eigen::VectorXd& result) const {
  require_size(x.size(), size(), "third_derivative");
  require_size(a.size(), free_size(), "third_derivative");
  require_size(b.size(), free_size(), "third_derivative");
  const Body& body = *body_;
  result.setZero(free_size());
  typename NeoHookean<D>::Nodes nodes, da, db, forces;
  for (const auto& batch : body.batches) {
    body.gather(batch, x.data(), nodes);
    body.gather_free(batch, a.data(), da);
    body.gather_free(batch, b.data(), db);
    batch.solid.third_derivative(nodes, da, db, forces);
    body.scatter(batch, forces, result.data());
  }
  for (const auto& segment : body.segments) {
    Eigen::Vector<double, D> d = body.difference(segment, x);
    const double length = d.norm();
    d /= length;
    const Eigen::Vector<double, D> p = body.free_difference(segment, a), q = body.free_difference(segment, b);
    const double pd = p.dot(d), qd = q.dot(d);
    const Eigen::Vector<double, D> Pp = p - pd * d, Pq = q - qd * d;
    const Eigen::Vector<double, D> value =
        -line_force() * u[segment.line] / (length * length) * (Pp.dot(Pq) * d + qd * Pp + pd * Pq);
    body.add(segment.b, value, result);
    body.add(segment.a, -value, result);
  }
}

template <int D>
typename SoftArm<D>::Controls SoftArm<D>::lengths(const Eigen::VectorXd& x) const {
  require_size(x.size(), size(), "lengths");
  Controls result = Controls::Zero();
  for (const auto& segment : body_->segments) result[segment.line] += body_->difference(segment, x).norm();
  return result;
}

template <int D>
void SoftArm<D>::length_gradients(const Eigen::VectorXd& x, Eigen::MatrixXd& gradients) const {
  require_size(x.size(), size(), "length_gradients");
  gradients.setZero(free_size(), lines);
  for (const auto& segment : body_->segments) {
    const Eigen::Vector<double, D> d = body_->difference(segment, x).normalized();
    body_->add(segment.b, d, gradients.col(segment.line));
    body_->add(segment.a, -d, gradients.col(segment.line));
  }
}

template <int D>
void SoftArm<D>::length_hessian_times(const Eigen::VectorXd& x, const Eigen::VectorXd& b,
                                      Eigen::MatrixXd& products) const {
  require_size(x.size(), size(), "length_hessian_times");
  require_size(b.size(), free_size(), "length_hessian_times");
  products.setZero(free_size(), lines);
  for (const auto& segment : body_->segments) {
    const Eigen::Vector<double, D> d = body_->difference(segment, x), db = body_->free_difference(segment, b);
    const double square = d.squaredNorm();
    const Eigen::Vector<double, D> value = (db - d * (d.dot(db) / square)) / std::sqrt(square);
    body_->add(segment.b, value, products.col(segment.line));
    body_->add(segment.a, -value, products.col(segment.line));
  }
}

template <int D>
int SoftArm<D>::inverted_elements(const Eigen::VectorXd& x) const {
  require_size(x.size(), size(), "inverted_elements");
  int count = 0;
  typename NeoHookean<D>::Nodes nodes;
  typename NeoHookean<D>::Matrix F, C;
  for (const auto& batch : body_->batches) {
    Pack change;
    body_->gather(batch, x.data(), nodes);
    batch.solid.gradient_of(nodes, F);
    batch.solid.cofactor(F, C);
    batch.solid.volume_change(F, C, change);
    for (int lane = 0; lane < batch.lanes; ++lane) count += !(change[lane] > -1);
  }
  return count;
}

template <int D>
Eigen::MatrixXd SoftArm<D>::tip_rows() const {
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(2 * D, size() + lines);
  const auto mean = [&](const std::vector<int>& layer, int first) {
    for (int vertex : layer)
      for (int i = 0; i < D; ++i) rows(first + i, D * vertex + i) += 1.0 / static_cast<double>(layer.size());
  };
  mean(body_->mesh.tip, 0);
  mean(body_->mesh.before_tip, D);
  return rows;
}

template class SoftArm<2>;
template class SoftArm<3>;

}  // namespace quoin::soft_arm
