// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/answer.hpp"
#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/error_norm.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/resize_strong.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <cmath>
#include <concepts>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin {

/// A function y = f(x) that solves an equation R(y; x) = 0, and that can judge a guess of y by it: with one
/// factorization of dR/dy at the guess it gives
///
///     dy = f(x) - guess, but for a few per cent of norm(dy),   in the space of the outputs, N (resized),
///
/// or returns false, with dy in any state, where it cannot know that: where the guess is not finite, lies too far from
/// a solution, or nearest to one that f would not give. newton_correction does this. It throws std::invalid_argument
/// for a guess of the wrong size.
template <class F, int Dim>
concept Verifiable = requires(const F& f, const Point<Dim>& x, const Eigen::VectorXd& guess, const ErrorNorm& norm,
                              Eigen::VectorXd& dy) {
  { f.output_size() } -> std::convertible_to<Eigen::Index>;  // N
  { f.correction(x, guess, norm, dy) } -> std::same_as<bool>;
};

/// What an answer that is verified returns, and in which norm its error is told.
struct VerifyOptions {
  bool corrected = false;  ///< answer with the map's value plus the correction, instead of the map's value
  /// M x N: answer with C y, C dy and C J in place of y, dy and J; empty: with these.
  Eigen::MatrixXd functional = {};
  /// The norm of the error over the M outputs (else N); empty: the root mean square. With outputs of several units give
  /// weights: what is small in this norm is measured only as part of it.
  Eigen::VectorXd output_weights = {};
};

/// The answers of a map, verified by the equation of the function that it stands for. See verified.
template <int Dim, class Map, class F>
class VerifiedMap {
 public:
  /// See verified.
  VerifiedMap(Map map, F f, VerifyOptions options)
      : map_(std::move(map)),
        f_(std::move(f)),
        options_(std::move(options)),
        norm_(map_.output_size(), options_.output_weights, options_.functional, "verified") {
    if (map_.output_size() != f_.output_size())
      throw std::invalid_argument("verified: the map has " + to_text(map_.output_size()) + " outputs, f has " +
                                  to_text(f_.output_size()));
    if (has_functional() && options_.functional.cols() != map_.output_size())
      throw std::invalid_argument("verified: the functional is " + shape_text(options_.functional) + ", the map has " +
                                  to_text(map_.output_size()) + " outputs");
  }

  Eigen::Index output_size() const { return has_functional() ? options_.functional.rows() : map_.output_size(); }

  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const {
    return finish(x, y, nullptr, [&](Eigen::VectorXd& value, Eigen::MatrixXd*) { return map_.evaluate(x, value); });
  }
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    return finish(x, y, &J,
                  [&](Eigen::VectorXd& value, Eigen::MatrixXd* slope) { return map_.evaluate(x, value, *slope); });
  }
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    return finish(x, y, &J, [&](Eigen::VectorXd& value, Eigen::MatrixXd* slope) {
      return quoin::try_evaluate<Dim>(map_, x, value, *slope);
    });
  }

 private:
  bool has_functional() const { return options_.functional.size() > 0; }

  template <class Evaluate>
  Answer finish(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd* J, Evaluate&& evaluate) const {
    if (!has_functional()) {
      const Answer answer = evaluate(y, J);
      return verify(x, answer, y);
    }
    Eigen::VectorXd all;
    Eigen::MatrixXd all_J;
    const Answer answer = evaluate(all, J ? &all_J : nullptr);
    if (!answer.has_value()) return answer;
    const Answer verdict = verify(x, answer, all);
    resize_strong(y, output_size());
    y.noalias() = options_.functional * all;
    if (J) {
      resize_strong(*J, output_size(), Dim);
      J->noalias() = options_.functional * all_J;
    }
    // A claim that the correction did not replace is one on the map's outputs.
    return verdict.trust == Trust::verified ? verdict : verdict.without_error();
  }

  Answer verify(const Point<Dim>& x, const Answer& answer, Eigen::VectorXd& value) const {
    // Beyond `coarser` the map tells that its value may be of another branch of f, or of another point than x. The
    // equation would call such a value right.
    if (answer.trust < Trust::certified || answer.trust > Trust::coarser) return answer;
    Eigen::VectorXd dy;
    if (!f_.correction(x, value, norm_, dy)) return answer;
    const double error = norm_(dy);
    if (!std::isfinite(error)) return answer;
    if (options_.corrected) value += dy;
    const bool keeps_slope = answer.trust <= Trust::estimated && !has_functional();
    return {.trust = Trust::verified,
            .level = answer.level,
            .error = error,
            .jacobian_error = keeps_slope ? answer.jacobian_error : std::numeric_limits<double>::quiet_NaN()};
  }

  Map map_;
  F f_;
  VerifyOptions options_;
  ErrorNorm norm_;
};

/// Verifies the answers of a surrogate by the equation of the function f under it, for a fraction of what f costs:
///
///     auto map = verified<4>(grid.at_level(0), statics);                        // its error, measured
///     auto better = verified<4>(grid.at_level(0), statics, {.corrected = true}); // and taken off the value
///     auto tip = verified<4>(grid.at_level(0), statics, {.functional = arm.tip_rows()});
///     auto to_tolerance = with_fallback<4>(map, statics, {.value = 1e-5});          // f itself where it is larger
///
/// An answer that the map interpolates at x itself (certified to unchecked, or coarser) comes back as Trust::verified
/// with `error` = |dy|, what the map's value is off by. With the corrected value it is the same number: what was taken
/// off, not the few per cent of it that are left. Other answers come back as they are, and so do those that f has no
/// correction for: look at the trust, or put f behind the map, as in the last line; docs/accuracy.md has how often the
/// answers of coarse grids can be verified.
///
/// The equation tells how far a solution is, not which: near a value on a branch other than f's it verifies that one.
/// The Jacobian is the map's: not corrected, and with the map's own claim, if it was no weaker than `estimated` (with a
/// functional: with none).
///
/// A call costs the map's answer and one f.correction. As safe to call from many threads as map and f. Throws
/// std::invalid_argument if outputs, functional or weights do not fit, with their numbers, and what map and f throw.
template <int Dim, class Map, class F>
  requires DifferentiableMap<Map, Dim> && Verifiable<F, Dim>
auto verified(Map map, F f, VerifyOptions options = {}) {
  return VerifiedMap<Dim, Map, F>(std::move(map), std::move(f), std::move(options));
}

}  // namespace quoin
