// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/soft_arm/inertial_shapes.hpp"

#include "quoin/map/multi_index.hpp"
#include "quoin/robots/models/soft_arm/tile_cholesky.hpp"
#include "quoin/util/to_text.hpp"
#include "util/workspace_pool.hpp"

#include <Eigen/Cholesky>
#include <Eigen/SVD>

#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin::soft_arm {

namespace {

template <int D>
using Lines = Eigen::Matrix<double, line_count<D>, line_count<D>>;
template <int D>
using LinesByModes = BendingDirections<D>;
template <int D>
using Modes = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, line_count<D>, line_count<D>>;

template <class Matrix>
Matrix symmetric_part(const Matrix& a) {
  return 0.5 * (a + a.transpose());
}

/// The upper triangle of a symmetric matrix, by second_derivative_index.
template <class Matrix>
void pack(const Matrix& matrix, Eigen::Ref<Eigen::VectorXd> packed) {
  const int n = static_cast<int>(matrix.rows());
  for (int j = 0; j < n; ++j)
    for (int k = j; k < n; ++k) packed[second_derivative_index(n, j, k)] = (matrix(j, k) + matrix(k, j)) / 2;
}

}  // namespace

template <int D>
BendingDirections<D> bending_directions(const SoftArm<D>& arm, const Eigen::Ref<const Eigen::MatrixXd>& jet, int modes,
                                        double ratio) {
  constexpr int lines = line_count<D>;
  if (jet.rows() != arm.size() + lines || jet.cols() < 1 + lines)
    throw std::invalid_argument("bending_directions: a jet of " + shape_text(jet) + " given, " +
                                to_text(arm.size() + lines) + " rows and " + to_text(1 + lines) +
                                " columns or more needed");
  if (modes < 0 || modes > lines)
    throw std::invalid_argument("bending_directions: " + to_text(modes) + " modes of an arm with " + to_text(lines) +
                                " lines");
  const Eigen::MatrixXd J = arm.mass().cwiseSqrt().asDiagonal() * jet.block(0, 1, arm.size(), lines);
  const Lines<D> mass = J.transpose() * J;
  const Lines<D> C = symmetric_part<Lines<D>>(-arm.line_force() * jet.block(arm.size(), 1, lines, lines));
  const auto need_independent = [&](const Lines<D>& matrix, const char* what) {
    const Point<lines> scale = matrix.diagonal().cwiseMax(0).cwiseSqrt();
    for (int l = 0; l < lines; ++l)
      if (!(scale[l] > 0))
        throw std::invalid_argument("bending_directions: line " + to_text(l) + " does not move the arm: its " + what +
                                    " is " + to_text(matrix(l, l)));
    const Lines<D> scaled = scale.cwiseInverse().asDiagonal() * matrix * scale.cwiseInverse().asDiagonal();
    if (Eigen::LLT<Lines<D>>(scaled - 1e-10 * Lines<D>::Identity()).info() != Eigen::Success)
      throw std::invalid_argument(
          "bending_directions: the lines do not move the arm independently of each other: their " + std::string(what) +
          ", scaled to a diagonal of ones, is not positive definite to 1e-10: its least singular value is " +
          to_text(Eigen::JacobiSVD<Eigen::MatrixXd>(scaled).singularValues().minCoeff()));
  };
  need_independent(mass, "reduced mass");
  need_independent(C, "compliance");
  const Eigen::LLT<Lines<D>> root(mass);
  const Lines<D> half = root.matrixL().solve(C), by_mass = root.matrixL().solve(Lines<D>(half.transpose()));
  // Symmetric and positive definite: singular values are eigenvalues, the slowest last.
  const Eigen::JacobiSVD<Eigen::MatrixXd> modes_of_mass(by_mass, Eigen::ComputeThinV);
  const Point<lines> squares = modes_of_mass.singularValues().reverse();
  const Lines<D> slow = root.matrixU().solve(Lines<D>(modes_of_mass.matrixV().rowwise().reverse()));
  if (modes == 0)
    for (modes = 1; modes < lines && squares[modes] <= ratio * ratio * squares[0];) ++modes;
  BendingDirections<D> directions = slow.leftCols(modes);
  for (int j = 0; j < modes; ++j) {
    Eigen::Index largest = 0;
    directions.col(j).cwiseAbs().maxCoeff(&largest);
    directions.col(j) *= squares[j] / directions(largest, j);
  }
  return directions;
}

template <int D>
struct InertialShapes<D>::Shared {
  using Rows = TileCholesky::RowMatrix;
  using Tangents = Eigen::Matrix<double, Eigen::Dynamic, lines>;

  Shared(SoftArm<D> given_arm, const BendingDirections<D>& given_directions, Jets given_jets,
         const std::optional<ShapeBasis>& basis, const Eigen::MatrixXd& more_rows)
      : arm(std::move(given_arm)),
        directions(given_directions),
        jets(std::move(given_jets)),
        mass(arm.free_part(arm.mass())),
        analysed(arm.hessian_pattern()),
        free_of(static_cast<std::size_t>(arm.size()), -1),
        outputs{basis ? basis->size() : arm.size(), lines, static_cast<int>(directions.cols())} {
    if (directions.cols() < 1 || !directions.allFinite() ||
        Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(directions).rank() < directions.cols())
      throw std::invalid_argument("InertialShapes: the directions, " + shape_text(directions) +
                                  ", must be finite and independent of each other, one column or more: " +
                                  to_text(Eigen::VectorXd(directions.reshaped())));
    const std::vector<int>& dofs = arm.free_dofs();
    for (std::size_t i = 0; i < dofs.size(); ++i) free_of[static_cast<std::size_t>(dofs[i])] = static_cast<int>(i);
    if (more_rows.size() > 0 && more_rows.cols() != arm.size())
      throw std::invalid_argument("InertialShapes: further outputs of " + to_text(more_rows.cols()) +
                                  " coordinates for an arm of " + to_text(arm.size()));
    more = more_rows.size() > 0 ? Eigen::MatrixXd(more_rows(Eigen::all, dofs)) : Eigen::MatrixXd(0, arm.free_size());
    if (!basis) return;
    if (basis->output_size() != arm.size())
      throw std::invalid_argument("InertialShapes: a basis of " + to_text(basis->output_size()) +
                                  " coordinates for an arm of " + to_text(arm.size()));
    projection.resize(basis->size(), arm.free_size());
    for (Eigen::Index i = 0; i < arm.free_size(); ++i)
      projection.col(i) = mass[i] * basis->shapes().row(dofs[static_cast<std::size_t>(i)]).transpose();
  }

  const SoftArm<D> arm;
  const BendingDirections<D> directions;
  const Jets jets;
  const Eigen::VectorXd mass;  // of the free coordinates
  const TileCholesky analysed;
  std::vector<int> free_of;  // of each coordinate, -1: clamped
  const InertialOutputs outputs;
  Eigen::MatrixXd projection;  // from free coordinates to those of the basis; empty: sqrt(m)
  Eigen::MatrixXd more;        // from free coordinates to further outputs

  struct Workspace {
    Workspace(const TileCholesky& given, const Eigen::SparseMatrix<double>& pattern)
        : cholesky(given), hessian(pattern) {}
    TileCholesky cholesky;
    Eigen::SparseMatrix<double> hessian;
    Eigen::MatrixXd jet;
    Eigen::VectorXd x;
    // Of the free coordinates: J, its derivatives, [W, W_1, ..., W_lines], M J T and its derivatives.
    Tangents J;
    std::array<Tangents, static_cast<std::size_t>(lines)> J_k;
    Eigen::MatrixXd W, moved;
    Rows right_sides;
    Eigen::VectorXd third;
    Eigen::MatrixXd products;
    Modes<D> Kq;
    std::array<Modes<D>, static_cast<std::size_t>(lines)> Kq_k;
  };
  WorkspacePool<Workspace> workspaces;
  auto workspace() { return workspaces.lease(analysed, arm.hessian_pattern()); }

  void read_jet(Workspace& w, const Controls& alpha) const;
  void find_shapes(Workspace& w, const Controls& alpha) const;
  void add_tensions(const Workspace& w, Eigen::VectorXd& y, Eigen::MatrixXd& J) const;
};

template <int D>
void InertialShapes<D>::Shared::read_jet(Workspace& w, const Controls& alpha) const {
  jets(alpha, w.jet);
  if (w.jet.rows() != arm.size() + lines || w.jet.cols() < jet_size(lines, 2))
    throw std::invalid_argument("InertialShapes: a jet of " + shape_text(w.jet) + " at " + to_text(alpha) + ", " +
                                to_text(arm.size() + lines) + " rows and the " + to_text(jet_size(lines, 2)) +
                                " columns of second order needed");
  w.x = w.jet.col(0).head(arm.size());
  const std::vector<int>& dofs = arm.free_dofs();
  w.J = w.jet(dofs, Eigen::seqN(1, lines));
  for (int k = 0; k < lines; ++k) {
    auto& J_k = w.J_k[static_cast<std::size_t>(k)];
    J_k.resize(arm.free_size(), lines);
    for (int j = 0; j < lines; ++j) J_k.col(j) = w.jet(dofs, 1 + lines + second_derivative_index(lines, j, k));
  }
}

// W0 = K^-1 M J T and its derivatives, K W0_k = M J_k T - (D3E[x_k, W0] + F0 H_k W0), then what J^T K W = 0 takes off.
template <int D>
void InertialShapes<D>::Shared::find_shapes(Workspace& w, const Controls& alpha) const {
  const Eigen::Index m = directions.cols(), n = arm.free_size();
  arm.hessian(w.x, alpha, w.hessian);
  if (!w.cholesky.factorize(w.hessian))
    throw StaticsFailure(StaticsStatus::unstable, "InertialShapes: " + std::string(to_string(StaticsStatus::unstable)) +
                                                      " at alpha = " + to_text(alpha));
  w.moved.resize(n, m * (1 + lines));
  w.moved.leftCols(m).noalias() = mass.asDiagonal() * (w.J * directions);
  for (int k = 0; k < lines; ++k)
    w.moved.middleCols(m * (1 + k), m).noalias() =
        mass.asDiagonal() * (w.J_k[static_cast<std::size_t>(k)] * directions);
  w.W.resize(n, m * (1 + lines));
  w.W.leftCols(m) = w.moved.leftCols(m);
  w.cholesky.solve(w.W.leftCols(m));
  w.right_sides = w.moved.rightCols(m * lines);
  for (Eigen::Index j = 0; j < m; ++j) {
    const Eigen::VectorXd shape = w.W.col(j);
    arm.length_hessian_times(w.x, shape, w.products);
    for (int k = 0; k < lines; ++k) {
      arm.third_derivative(w.x, alpha, w.J.col(k), shape, w.third);
      w.right_sides.col(m * k + j) -= w.third + arm.line_force() * w.products.col(k);
    }
  }
  w.cholesky.solve_rows(w.right_sides);
  w.W.rightCols(m * lines) = w.right_sides;

  const auto lengths = w.jet.bottomRows(lines);
  const Lines<D> C = symmetric_part<Lines<D>>(-arm.line_force() * lengths.template middleCols<lines>(1));
  const Eigen::LLT<Lines<D>> compliance(C);
  if (compliance.info() != Eigen::Success)
    throw std::runtime_error("InertialShapes: the lines do not move the arm independently of each other at alpha = " +
                             to_text(alpha) + ", where their compliance is not positive definite");
  const auto moved = w.moved.leftCols(m);
  const LinesByModes<D> A = w.J.transpose() * moved, P = compliance.solve(A);
  w.Kq = w.W.leftCols(m).transpose() * moved - A.transpose() * P;
  for (int k = 0; k < lines; ++k) {
    const auto& J_k = w.J_k[static_cast<std::size_t>(k)];
    const auto moved_k = w.moved.middleCols(m * (1 + k), m);
    auto W_k = w.W.middleCols(m * (1 + k), m);
    Lines<D> C_k;
    for (int j = 0; j < lines; ++j)
      C_k.col(j) = -arm.line_force() * lengths.col(1 + lines + second_derivative_index(lines, j, k));
    const LinesByModes<D> A_k = J_k.transpose() * moved + w.J.transpose() * moved_k,
                          P_k = compliance.solve(A_k - symmetric_part<Lines<D>>(C_k) * P);
    w.Kq_k[static_cast<std::size_t>(k)] =
        W_k.transpose() * moved + w.W.leftCols(m).transpose() * moved_k - A_k.transpose() * P - A.transpose() * P_k;
    W_k.noalias() -= J_k * P;
    W_k.noalias() -= w.J * P_k;
  }
  w.W.leftCols(m).noalias() -= w.J * P;
}

// T1 and T2, segment by segment: with Y the differences of [J W] over a segment and Y' their part across it,
// T = sum Y'^T Y' / length.
template <int D>
void InertialShapes<D>::Shared::add_tensions(const Workspace& w, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
  const Eigen::Index m = directions.cols(), both = lines + m;
  using Across = Eigen::Matrix<double, D, Eigen::Dynamic, 0, D, 2 * lines>;
  using Tension = Eigen::Matrix<double, lines, Eigen::Dynamic, 0, lines, 2 * lines>;
  const auto difference = [&](int a, int b, const auto& tangents, const auto& shapes) {
    Across result = Across::Zero(D, both);
    for (int i = 0; i < D; ++i) {
      if (const int at = free_of[static_cast<std::size_t>(D * b + i)]; at >= 0) {
        result.row(i).template head<lines>() += tangents.row(at);
        result.row(i).tail(m) += shapes.row(at);
      }
      if (const int at = free_of[static_cast<std::size_t>(D * a + i)]; at >= 0) {
        result.row(i).template head<lines>() -= tangents.row(at);
        result.row(i).tail(m) -= shapes.row(at);
      }
    }
    return result;
  };
  const auto put = [&](const Tension& T, int line, auto&& column) {
    const Lines<D> along = arm.line_force() * T.template leftCols<lines>();
    pack(along, column.segment(outputs.along() + line * outputs.pairs(), outputs.pairs()));
    column.segment(outputs.across() + line * lines * m, lines * m) = arm.line_force() * T.rightCols(m).reshaped();
  };
  for (int line = 0; line < lines; ++line) {
    Tension T = Tension::Zero(lines, both);
    std::array<Tension, static_cast<std::size_t>(lines)> T_k;
    T_k.fill(T);
    const std::vector<int>& chain = arm.mesh().lines[static_cast<std::size_t>(line)];
    for (std::size_t s = 1; s < chain.size(); ++s) {
      const int a = chain[s - 1], b = chain[s];
      const Eigen::Vector<double, D> apart = w.x.template segment<D>(D * b) - w.x.template segment<D>(D * a);
      const double length = apart.norm();
      const Eigen::Vector<double, D> along = apart / length;
      const Across Y = difference(a, b, w.J, w.W.leftCols(m));
      const Eigen::Matrix<double, 1, Eigen::Dynamic, Eigen::RowMajor, 1, 2 * lines> stretch = along.transpose() * Y;
      const Across across = Y - along * stretch;
      const Tension one = across.template leftCols<lines>().transpose() * across / length;
      T += one;
      for (int k = 0; k < lines; ++k) {
        const Across Y_k = difference(a, b, w.J_k[static_cast<std::size_t>(k)], w.W.middleCols(m * (1 + k), m));
        const Eigen::Matrix<double, 1, Eigen::Dynamic, Eigen::RowMajor, 1, 2 * lines> turn =
            across.col(k).transpose() * across;
        Tension& by_k = T_k[static_cast<std::size_t>(k)];
        by_k += (across.template leftCols<lines>().transpose() * Y_k +
                 Y_k.template leftCols<lines>().transpose() * across) /
                length;
        by_k -= stretch[k] / length * one;
        by_k -=
            (stretch.template head<lines>().transpose() * turn + turn.template head<lines>().transpose() * stretch) /
            (length * length);
      }
    }
    put(T, line, y);
    for (int k = 0; k < lines; ++k) put(T_k[static_cast<std::size_t>(k)], line, J.col(k));
  }
}

template <int D>
InertialShapes<D>::InertialShapes(const Statics<D>& statics, const BendingDirections<D>& directions)
    : InertialShapes(statics.arm(), directions, [statics](const Controls& alpha, Eigen::MatrixXd& jet) {
        jet.resize(statics.output_size(), jet_size(lines, 2));
        statics.evaluate_jet(2, alpha, jet);
      }) {}

template <int D>
InertialShapes<D>::InertialShapes(SoftArm<D> arm, const BendingDirections<D>& directions, Jets jets,
                                  std::optional<ShapeBasis> basis, const Eigen::MatrixXd& more)
    : shared_(std::make_shared<Shared>(std::move(arm), directions, std::move(jets), basis, more)) {}

template <int D>
const BendingDirections<D>& InertialShapes<D>::directions() const {
  return shared_->directions;
}
template <int D>
const InertialOutputs& InertialShapes<D>::outputs() const {
  return shared_->outputs;
}

template <int D>
Eigen::Index InertialShapes<D>::output_size() const {
  return outputs().size() + shared_->more.rows() * directions().cols();
}

template <int D>
Answer InertialShapes<D>::evaluate(const Controls& alpha, Eigen::VectorXd& y) const {
  Eigen::MatrixXd J;
  return evaluate(alpha, y, J);
}

template <int D>
Answer InertialShapes<D>::evaluate(const Controls& alpha, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
  const Shared& shared = *shared_;
  const auto workspace = shared_->workspace();
  typename Shared::Workspace& w = *workspace;
  shared.read_jet(w, alpha);
  shared.find_shapes(w, alpha);
  const Eigen::Index m = directions().cols(), r = outputs().coordinates, at = outputs().stiffness();
  y.resize(output_size());
  J.resize(output_size(), lines);
  Eigen::MatrixXd coordinates;  // r x modes (1 + lines)
  if (shared.projection.size() > 0) {
    coordinates.noalias() = shared.projection * w.W;
  } else {
    coordinates.setZero(r, w.W.cols());
    coordinates(shared.arm.free_dofs(), Eigen::all) = shared.mass.cwiseSqrt().asDiagonal() * w.W;
  }
  y.head(at) = coordinates.leftCols(m).reshaped();
  pack(w.Kq, y.segment(at, outputs().along() - at));
  for (int k = 0; k < lines; ++k) {
    J.col(k).head(at) = coordinates.middleCols(m * (1 + k), m).reshaped();
    pack(w.Kq_k[static_cast<std::size_t>(k)], J.col(k).segment(at, outputs().along() - at));
  }
  shared.add_tensions(w, y, J);
  const Eigen::MatrixXd further = shared.more * w.W;
  const Eigen::Index count = shared.more.rows() * m;
  y.tail(count) = further.leftCols(m).reshaped();
  for (int k = 0; k < lines; ++k) J.col(k).tail(count) = further.middleCols(m * (1 + k), m).reshaped();
  return {.trust = Trust::exact, .level = 0, .error = 0};
}

template <int D>
Eigen::MatrixXd InertialShapes<D>::shapes(const Controls& alpha) const {
  const auto workspace = shared_->workspace();
  shared_->read_jet(*workspace, alpha);
  shared_->find_shapes(*workspace, alpha);
  Eigen::MatrixXd shapes = Eigen::MatrixXd::Zero(shared_->arm.size(), directions().cols());
  shapes(shared_->arm.free_dofs(), Eigen::all) = workspace->W.leftCols(directions().cols());
  return shapes;
}

template BendingDirections<2> bending_directions<2>(const SoftArm<2>&, const Eigen::Ref<const Eigen::MatrixXd>&, int,
                                                    double);
template BendingDirections<3> bending_directions<3>(const SoftArm<3>&, const Eigen::Ref<const Eigen::MatrixXd>&, int,
                                                    double);
template class InertialShapes<2>;
template class InertialShapes<3>;

}  // namespace quoin::soft_arm
