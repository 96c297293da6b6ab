// SPDX-License-Identifier: BSD-3-Clause
// Verified errors of outputs in units of their own, on equations drawn as the environment's QUOIN_DRAWS says, from the
// seed QUOIN_SEED on.
#include "quoin/map/newton_correction.hpp"
#include "quoin/map/verified.hpp"
#include "testing/drawn.hpp"

#include <catch2/catch.hpp>

#include <Eigen/LU>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace quoin;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  double between(double from, double to) { return std::uniform_real_distribution<double>(from, to)(random_); }
  double decades(double from, double to) { return std::pow(10, between(from, to)); }
  int whole(int from, int to) { return std::uniform_int_distribution<int>(from, to)(random_); }
  double normal() { return std::normal_distribution<double>()(random_); }
  MatrixXd normals(Eigen::Index rows, Eigen::Index columns) {
    return MatrixXd::NullaryExpr(rows, columns, [&] { return normal(); });
  }

 private:
  std::mt19937_64 random_;
};

/// A function of one number that grows everywhere, so that equations of it have one solution.
struct Growing {
  int kind = 0;
  double strength = 1;

  explicit Growing(Draw& draw) : kind(draw.whole(0, 5)), strength(draw.decades(-2, kind == 1 ? 0.8 : 1.5)) {}

  double value(double y) const {
    const double c = strength;
    switch (kind) {
      case 0: return y + c * y * y * y;
      case 1: return y + std::expm1(c * y);
      case 2: return std::atan(c * y) + 0.05 * c * y;
      case 3: return std::asinh(c * y) / c;
      case 4: return y + c * y * std::abs(y);
      default: return y + 0.9 * std::sin(c * y) / c;
    }
  }
  double slope(double y) const {
    const double c = strength;
    switch (kind) {
      case 0: return 1 + 3 * c * y * y;
      case 1: return 1 + c * std::exp(c * y);
      case 2: return c / (1 + c * c * y * y) + 0.05 * c;
      case 3: return 1 / std::hypot(1, c * y);
      case 4: return 1 + 2 * c * std::abs(y);
      default: return 1 + 0.9 * std::cos(c * y);
    }
  }
};

enum class Coupling { none, weak, full, one_way };

/// A phi(B z) + (lower triangle) z^2 = what it is at the truth, z = y in the units. It is its own map too, which
/// answers with a guess that is off by as much as was drawn.
struct Equation {
  std::vector<Growing> phi;
  MatrixXd A, B, lower;
  VectorXd truth, error, units;

  Equation(Draw& draw, Coupling coupling) {
    const int n = draw.whole(2, 5);
    A = B = MatrixXd::Identity(n, n);
    lower.setZero(n, n);
    const double common = draw.decades(-4, 0.5);
    const bool alike = draw.whole(0, 1) == 1;
    truth = 1.5 * draw.normals(n, 1);
    error = draw.normals(n, 1);
    for (int i = 0; i < n; ++i) {
      phi.emplace_back(draw);
      error[i] *= alike ? common : draw.decades(-5, 0.5);
    }
    if (coupling == Coupling::weak)
      for (MatrixXd* mixed : {&A, &B}) *mixed += draw.between(0, 0.3) * draw.normals(n, n);
    if (coupling == Coupling::full)
      for (MatrixXd* mixed : {&A, &B}) *mixed = draw.normals(n, n).householderQr().householderQ();
    if (coupling == Coupling::one_way)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j) lower(i, j) = draw.normal() * draw.decades(-1.5, 0.7);
    units = VectorXd::Ones(n);
  }

  VectorXd left_side(const VectorXd& z) const {
    VectorXd u = B * z;
    std::transform(u.begin(), u.end(), phi.begin(), u.begin(), [](double v, const Growing& g) { return g.value(v); });
    return A * u + lower * z.cwiseAbs2();
  }
  MatrixXd slope(const VectorXd& z) const {
    VectorXd u = B * z;
    std::transform(u.begin(), u.end(), phi.begin(), u.begin(), [](double v, const Growing& g) { return g.slope(v); });
    return A * u.asDiagonal() * B + 2 * lower * z.asDiagonal();
  }

  Eigen::Index output_size() const { return truth.size(); }
  Answer evaluate(const Point<1>&, VectorXd& y) const {
    y = (truth - error).cwiseProduct(units);
    return {.trust = Trust::unchecked};
  }
  Answer evaluate(const Point<1>& x, VectorXd& y, MatrixXd& J) const {
    J.setZero(output_size(), 1);
    return evaluate(x, y);
  }
  bool correction(const Point<1>&, const VectorXd& guess, const ErrorNorm& norm, VectorXd& dy) const {
    const Eigen::PartialPivLU<MatrixXd> K(slope(guess.cwiseQuotient(units)) * units.cwiseInverse().asDiagonal());
    const VectorXd right_side = left_side(truth);
    return newton_correction(
        [&](const VectorXd& total, VectorXd& step) {
          step = K.solve(right_side - left_side((guess + total).cwiseQuotient(units)));
        },
        guess, norm, dy);
  }
};

/// How often answers were verified, and how often what they say of the error was not.
struct Count {
  int answers = 0, verified_answers = 0, off = 0;

  void add(const Answer& answer, double error) {
    ++answers;
    if (answer.trust != Trust::verified) return;
    ++verified_answers;
    off += !(std::abs(answer.error - error) <= 0.05 * error);
  }
  double share_verified() const { return static_cast<double>(verified_answers) / answers; }
  double share_off() const { return static_cast<double>(off) / std::max(verified_answers, 1); }
};

Answer answer_of(const Equation& f, const VerifyOptions& options) {
  VectorXd y;
  return verified<1>(f, f, options).evaluate(Point<1>(0.0), y);
}

/// Powers of 2: outputs in other units are then the same numbers to the last bit.
VectorXd drawn_units(Draw& draw, Eigen::Index size) {
  return VectorXd::NullaryExpr(size, [&] { return std::exp2(draw.whole(-27, 27)); });
}

}  // namespace

TEST_CASE("the norm of an error tells what each output counts in it, within a functional too") {
  const VectorXd v{{1, -2, 3}}, weights{{2, 0}};
  const MatrixXd C{{1, 2, 0}, {0, 1, 1}};
  const ErrorNorm mean_square(3), plain(3, VectorXd{{1, 0, 2}}), of_functional(3, weights, C);
  CHECK(mean_square(v) == Approx(v.norm() / std::sqrt(3.0)));
  CHECK(plain(v) == Approx(std::sqrt(37.0)));
  CHECK(plain.of_each(v) == plain(v));
  CHECK(of_functional(v) == Approx(6));
  CHECK(of_functional.of_each(v) == Approx(std::hypot(2, 8)));
  CHECK(of_functional.weights() == VectorXd{{2, 4, 0}});
  CHECK_THROWS_WITH(ErrorNorm(3, weights), "ErrorNorm: 2 output weights for 3 outputs");
}

TEST_CASE("outputs in units of their own are verified as in equal units, and hardly ever off by 5 %") {
  const Coupling coupling = GENERATE(Coupling::none, Coupling::weak, Coupling::full, Coupling::one_way);
  CAPTURE(coupling);
  Draw draw(test::seed_wanted());
  Count equal, drawn;
  int told_apart = 0;
  for (int i = 0; i < test::draws_wanted(8000); ++i) {
    Equation f(draw, coupling);
    const Answer in_equal = answer_of(f, {});
    const double root = std::sqrt(static_cast<double>(f.units.size()));
    equal.add(in_equal, f.error.norm() / root);
    f.units = drawn_units(draw, f.units.size());
    const Answer in_drawn = answer_of(f, {.output_weights = f.units.cwiseInverse() / root});
    drawn.add(in_drawn, f.error.norm() / root);
    told_apart += in_drawn.trust != in_equal.trust;
    if (in_drawn.trust == in_equal.trust && in_equal.trust == Trust::verified)
      told_apart += !(std::abs(in_drawn.error - in_equal.error) <= 1e-12 * in_equal.error);
  }
  CAPTURE(equal.share_verified(), equal.share_off(), drawn.share_verified(), drawn.share_off(), told_apart);
  CHECK(drawn.share_off() <= 0.008);
  CHECK(equal.share_off() <= 0.008);
  CHECK(equal.share_verified() >= 0.7);
  CHECK(told_apart == 0);
}

TEST_CASE("a functional of outputs in units of their own is hardly ever off by 5 %, also of one output alone") {
  const Coupling coupling = GENERATE(Coupling::none, Coupling::weak, Coupling::full, Coupling::one_way);
  const int rows = GENERATE(0, 1, 2);  // 0: one output alone
  CAPTURE(coupling, rows);
  Draw draw(test::seed_wanted());
  Count count;
  for (int i = 0; i < test::draws_wanted(8000); ++i) {
    Equation f(draw, coupling);
    const Eigen::Index n = f.output_size();
    MatrixXd C = draw.normals(std::max(rows, 1), n);
    if (rows == 0) C = VectorXd::Unit(n, draw.whole(0, static_cast<int>(n) - 1)).transpose();
    f.units = drawn_units(draw, n);
    const VectorXd weights = drawn_units(draw, C.rows());  // the rows have units too
    const MatrixXd in_units = weights.cwiseInverse().asDiagonal() * C * f.units.cwiseInverse().asDiagonal();
    count.add(answer_of(f, {.functional = in_units, .output_weights = weights}), (C * f.error).norm());
  }
  CAPTURE(count.share_verified(), count.share_off());
  CHECK(count.share_off() <= 0.01);
  CHECK(count.share_verified() >= 0.65);
}
