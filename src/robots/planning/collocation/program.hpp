// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/planning/collocation/collocation.hpp"

#include <Eigen/Core>

#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace quoin::planning {

/// Variables, constraints and matrix entries of a collocation, node by node, and a cache of the last point's values and
/// derivatives. Columns of node i: x, w, u. Rows: node equations and path constraints of every node, then the boundary,
/// then all that is linear: defects and, with Euler's scheme, u held at the end. z = natural variables / column scale.
class CollocationProgram {
 public:
  CollocationProgram(const CollocationProblem& problem, const CollocationPlan& guess,
                     const CollocationOptions& options);

  /// Its functions share the object.
  static optimization::NonlinearProgram program(const std::shared_ptr<CollocationProgram>& self);

  /// The guess's multipliers in the program's units, where they belong to this mesh; else empty.
  optimization::NlpMultipliers start_multipliers() const;

  CollocationPlan plan(const optimization::NlpResult& solved);

 private:
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;

  struct Node {
    double time = 0, weight = 0;  // of the quadrature
    Vector x, w, u;
    NodeEquation equation;
    double cost = 0;
    Vector cost_x, cost_u, g;
    Matrix g_x, g_u;
  };
  struct LinearEntry {
    int row, column;
    double value;
  };
  enum class Known { no, failed, yes };

  int base(int i) const { return i * stride_; }
  int equation_row(int i) const { return i * (k_ + p_); }
  int path_row(int i) const { return equation_row(i) + k_; }

  void make_nodes();
  void read_guess(const CollocationPlan& guess);
  void choose_scales(const CollocationOptions& options);
  Vector cost_curvatures();
  Vector variable_sizes(const Matrix& by);
  void scale_constraints();
  double automatic_cost_scale();
  void lay_out_constraints();
  void lay_out_hessian();
  void add_defect(int row, int component, std::initializer_list<std::pair<int, double>> states,
                  std::initializer_list<std::pair<int, double>> rates);

  bool move_to(const Vector& z);
  void expect_states() const;
  /// Calls compute, which says whether it could, unless what it computes is known at this point.
  template <class Compute>
  static bool once(Known& known, const Compute& compute) {
    if (known == Known::no) {
      known = Known::failed;
      if (compute()) known = Known::yes;
    }
    return known == Known::yes;
  }
  bool take_costs();
  bool compute_costs();
  bool take_values(const Vector& z);
  bool take_derivatives(const Vector& z);
  double total_cost() const;

  bool gradient(const Vector& z, Vector& out);
  bool constraints(const Vector& z, Vector& c);
  bool jacobian(const Vector& z, Vector& entries);
  bool hessian(const Vector& z, double weight, const Vector& multipliers, Vector& entries);
  bool node_hessian(int i, double weight, const Vector& multipliers);
  bool evaluate_trial(int i, bool with_dynamics);
  void lagrangian_gradient(int i, const Node& node, const Vector& terminal_x, const Matrix& h_x, double weight,
                           const Vector& multipliers, Vector& out);

  CollocationProblem problem_;
  CollocationScheme scheme_;
  int n_, k_, m_, p_, b_, stride_, count_ = 0;
  std::vector<Node> nodes_;
  double terminal_ = 0;
  Vector terminal_x_, h_;
  Matrix h_x_;

  Vector column_scale_;  // of one node: x, w, u
  Vector row_scale_;     // of one node equation
  Vector path_scale_, boundary_scale_;
  Vector row_scales_;  // of all rows: the three, and those of the linear rows
  double cost_scale_;
  int defect_substeps_;
  Vector start_, lower_, upper_, row_lower_, row_upper_;
  optimization::NlpMultipliers natural_multipliers_;
  optimization::SparsityPattern jacobian_pattern_, hessian_pattern_;
  std::vector<LinearEntry> linear_;
  int linear_begin_ = 0;

  Vector at_;
  Known costs_ = Known::no, values_ = Known::no, derivatives_ = Known::no;

  // Workspace of the Hessian.
  Node trial_;
  Vector trial_terminal_x_, trial_h_, lambda_, base_gradient_, moved_gradient_;
  Matrix trial_h_x_, block_;
};

}  // namespace quoin::planning
