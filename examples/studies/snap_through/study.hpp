// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/snap_through/equilibria.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/point.hpp"

#include <Eigen/Core>

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace studies::branches {

/// Type-erased body with several stable states.
class AnyBody {
 public:
  template <Multistable Body>
  AnyBody(Body body)
      : size_(body.output_size()),
        starts_(body.starts()),
        settle_([body](const Eigen::VectorXd& start, const Point<2>& x) { return body.settle(start, x); }) {}

  Eigen::Index output_size() const { return size_; }
  const std::vector<Eigen::VectorXd>& starts() const { return starts_; }
  std::optional<Equilibrium> settle(const Eigen::VectorXd& start, const Point<2>& x) const { return settle_(start, x); }

 private:
  Eigen::Index size_;
  std::vector<Eigen::VectorXd> starts_;
  std::function<std::optional<Equilibrium>(const Eigen::VectorXd&, const Point<2>&)> settle_;
};

/// One of the two stable states.
struct Branch {
  int label = 0;
  std::string name = {};
};

/// The setup of the study of one body.
struct Setup {
  std::string key = {};   ///< of its files and rows
  std::string name = {};  ///< for people
  std::array<std::string, 2> axes = {};
  Eigen::RowVectorXd observable = {};  ///< of the outputs: the quantity plotted
  std::string observable_name = {};
  std::array<Branch, 2> branches = {};            ///< of the body's first start and of its second
  Point<2> lower = {}, upper = {}, spacing = {};  ///< domain and level 0 of the grids
  int level = 0;                                  ///< in level mode
  double tolerance = 1e-3;                        ///< in tolerance mode, in units of the jump
  int jump_axis = 0;                              ///< the axis along which the line crosses the jump
  double line_at = 0;                             ///< the other coordinate of the line of queries
  int line_points = 400;
  int queries = 2000;     ///< at random points of the domain
  int curve_points = 41;  ///< of the curve of the jump, and of the folds
  double fold_step = 0;   ///< fraction of the way to a bound of the domain, in search of a fold; 0: no search
};

/// A query compared with the exact function. Errors are root mean squares over the outputs, in units of the jump.
struct Query {
  Point<2> x = {};
  Answer answer = {};
  double error = 0;            ///< distance from f(x)
  double off_equilibrium = 0;  ///< distance from the nearest equilibrium at x, of any branch
  double estimate = 0;         ///< Answer::error in the same units
  double observed = 0;         ///< the observable
};

/// A cell that answered.
struct Leaf {
  Point<2> lower = {}, upper = {};
  Trust trust = Trust::unchecked;
};

/// A grid over f, with or without its labels.
struct Case {
  std::string key = {}, name = {};
  bool labels = true, tolerance_mode = false;
  long evaluations = 0;                                ///< of f, for the random queries
  long calls = 0;                                      ///< those of them at query points
  std::vector<Query> queries = {};                     ///< at random points
  std::vector<Query> line = {};                        ///< across the jump
  std::vector<Leaf> leaves = {};                       ///< of the random queries
  std::vector<std::pair<Point<2>, int>> corners = {};  ///< with their labels

  double share(Trust trust) const;                   ///< of the random queries
  double worst(Trust trust, double Query::*) const;  ///< of the random queries with that trust; 0 if there are none
  double share_wrong(double least) const;            ///< of all: equilibria that differ from f by more than this
  double share_over_estimate() const;                ///< of all: those with an error above their Answer::error
  double share_off(double least) const;              ///< of all: those further than this from any equilibrium
  double median_error(Trust trust) const;            ///< of the random queries with that trust; 0 if there are none
};

struct Result {
  Setup setup = {};
  double jump = 0;                                    ///< at jump_point, root mean square over the outputs
  Point<2> jump_point = {};                           ///< where the line crosses the jump
  std::array<Equilibrium, 2> at_jump = {};            ///< the two stable states there
  Eigen::VectorXd line = {};                          ///< coordinates of the line's points
  std::array<Eigen::VectorXd, 2> line_observed = {};  ///< along each branch, NaN where it does not exist
  std::vector<Point<2>> maxwell = {};                 ///< the curve across which f jumps
  std::array<std::vector<Point<2>>, 2> folds = {};    ///< where each branch ends
  std::vector<Case> cases = {};
  double seconds_per_evaluation = 0;
};

/// Queries of the equilibrium of least energy through grids with and without labels, compared with the exact function.
Result study(const AnyBody& body, const Setup& setup);

/// A point on the line, or on a row of the plane: `at` along the jump's axis, `beside` along the other.
Point<2> on_row(const Setup& setup, double at, double beside);

}  // namespace studies::branches
