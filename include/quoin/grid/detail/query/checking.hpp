// SPDX-License-Identifier: BSD-3-Clause
// Beside the path of a query: answers against f at points that nothing has been made of.
#pragma once

#include "quoin/grid/detail/grid_core.hpp"
#include "quoin/grid/detail/query/error_along.hpp"
#include "quoin/grid/detail/query/spot_checks.hpp"
#include "quoin/grid/error_check.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/point.hpp"
#include "quoin/map/samples.hpp"
#include "quoin/util/request.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <vector>

namespace quoin::grid_detail {

/// Compares a view with f at some of the points given. f is called at the lattice points of the deepest level that are
/// next to these, which are kept as corners, and stored, as all others are, but no cell is made of them.
template <int Dim>
class Checking {
 public:
  /// Keeps references.
  Checking(GridCore<Dim>& core, JetField<Dim>& field) : core_(core), lattice_(core.lattice()), field_(field) {}

  /// view: of that field. X: Dim x M. Throws std::invalid_argument unless calls is positive, and what queries throw
  /// outside the domain.
  template <class View>
  ErrorCheck operator()(const View& view, const Eigen::Ref<const Eigen::MatrixXd>& X, int calls) const {
    if (calls < 1) throw std::invalid_argument("check: calls = " + to_text(calls) + ", expected at least 1");
    ErrorCheck check;
    const std::vector<Address<Dim>> chosen = choose(view, X, static_cast<std::size_t>(calls), check.failed);
    const Samples<Dim> samples = core_.sample(chosen);
    check.points.resize(Dim, std::ssize(chosen));
    check.errors.resize(std::ssize(chosen));
    check.jacobian_errors.resize(core_.function().order() == 0 ? 0 : std::ssize(chosen));
    check.stated.resize(std::ssize(chosen));
    Eigen::Index n = 0;
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    for (std::size_t c = 0; c < chosen.size(); ++c) {
      const auto m = static_cast<Eigen::Index>(c);
      const Point<Dim> x = samples.point(m);
      const Answer said = view.try_evaluate(x, y, J);
      if (samples.failed(m) || !said.has_value()) {
        ++check.failed;
        continue;
      }
      const Eigen::MatrixXd jet = field_.transform(samples.jet(m));
      check.points.col(n) = x;
      check.errors[n] = field_.norm()(y - jet.col(0));
      if (check.jacobian_errors.size() > 0)
        check.jacobian_errors[n] = largest_of(field_.norm(), J - jet.middleCols(1, Dim));
      check.stated[n++] = said.error;
    }
    check.points.conservativeResize(Dim, n);
    check.errors.conservativeResize(n);
    check.stated.conservativeResize(n);
    if (check.jacobian_errors.size() > 0) check.jacobian_errors.conservativeResize(n);
    sum_up(X.cols(), check);
    return check;
  }

 private:
  // By chance, but of the same points always the same: those that are no corners of the cells that answer, nor one of
  // the middles that such cells are compared with.
  // failed: those beside them at which the view has no answer.
  template <class View>
  std::vector<Address<Dim>> choose(const View& view, const Eigen::Ref<const Eigen::MatrixXd>& X, std::size_t calls,
                                   int& failed) const {
    std::vector<Eigen::Index> order(static_cast<std::size_t>(X.cols()));
    std::iota(order.begin(), order.end(), Eigen::Index{0});
    const auto chance = [&](Eigen::Index m) { return SpotChecks<Dim>::chance(X.col(m)); };
    std::ranges::stable_sort(order, {}, chance);
    std::vector<Address<Dim>> chosen;
    std::set<Address<Dim>> seen;
    StopCheck stop(16);
    Eigen::VectorXd y;
    for (const Eigen::Index m : order) {
      if (chosen.size() == calls) break;
      stop();
      const Answer said = view.try_evaluate(X.col(m), y);
      if (said.trust == Trust::outside) lattice_.throw_outside(X.col(m), "check", m);
      failed += said.trust == Trust::failed;
      if (!said.has_value() || said.trust == Trust::extended || said.trust == Trust::exact) continue;
      const Address<Dim> address = lattice_.nearest_corner(X.col(m), lattice_.deepest_level());
      if (lattice_.coarsest_level(address) > said.level + 1 && seen.insert(address).second) chosen.push_back(address);
    }
    return chosen;
  }

  void sum_up(Eigen::Index of, ErrorCheck& check) const {
    const Eigen::Index n = check.errors.size();
    if (n == 0) {
      check.largest = check.root_mean_square = std::numeric_limits<double>::quiet_NaN();
      check.message = "nothing was compared: of " + to_text(of) + " points " +
                      (check.failed > 0 ? to_text(check.failed) + " have no answer"
                                        : "all are corners of the grid, or lie outside");
      return;
    }
    check.largest = check.errors.maxCoeff();
    check.root_mean_square = check.errors.norm() / std::sqrt(static_cast<double>(n));
    check.share = std::pow(0.05, 1 / static_cast<double>(n));
    for (Eigen::Index i = 0; i < n; ++i) {
      if (!(check.stated[i] >= 0)) continue;
      ++check.told;
      check.within += check.errors[i] <= check.stated[i];
    }
    const auto share = [&check] { return std::floor(100 * check.share); };
    check.message = to_text(n) + " of " + to_text(of) + " points compared with f: the largest error is " +
                    to_text(check.largest) + ", the root mean square " + to_text(check.root_mean_square) +
                    "; with 95 % confidence " + to_text(share()) + " % of the points err by no more than the largest";
    if (check.told > 0)
      check.message += "; " + to_text(check.within) + " of " + to_text(check.told) + " stated errors hold";
    if (check.failed > 0) check.message += "; at " + to_text(check.failed) + " further points there is no answer";
  }

  GridCore<Dim>& core_;
  const Lattice<Dim>& lattice_;
  JetField<Dim>& field_;
};

}  // namespace quoin::grid_detail
