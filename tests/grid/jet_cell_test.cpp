// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/grid/detail/kernels/jet_cell.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace quoin;
using namespace quoin::grid_detail;

namespace {

using Random = std::mt19937_64;

template <int Dim>
Point<Dim> uniform(Random& random, double from, double to) {
  std::uniform_real_distribution<double> number(from, to);
  Point<Dim> x;
  for (double& component : x) component = number(random);
  return x;
}

/// The cell [lower, lower + h] with its jets and its interpolant.
template <int Dim>
struct Cell {
  JetCell<Dim> interpolant;
  Point<Dim> lower, h;
  std::vector<MultiIndex<Dim>> indices;
  std::vector<double> weights;

  Cell(int order, const Point<Dim>& at, const Point<Dim>& edges)
      : interpolant(order),
        lower(at),
        h(edges),
        indices(graded_multi_indices<Dim>(order)),
        weights(interpolant.weight_count()) {}

  Point<Dim> corner(int c) const {
    Point<Dim> x = lower;
    for (int i = 0; i < Dim; ++i)
      if (c >> i & 1) x[i] += h[i];
    return x;
  }

  /// derivative(a, x) gives d^a f(x). Returns value and gradient of the interpolant at local position t.
  template <class Derivative>
  Eigen::VectorXd answer(Derivative&& derivative, const Point<Dim>& t) {
    interpolant.weights(t, h, weights.data());
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(1 + Dim);
    const double* w = weights.data();
    for (int c = 0; c < JetCell<Dim>::corners; ++c)
      for (const MultiIndex<Dim>& a : indices) {
        const double sample = derivative(a, corner(c));
        for (int p = 0; p <= Dim; ++p) sum[p] += *w++ * sample;
      }
    return sum;
  }
};

/// x -> (w . x + b)^m. Powers of linear forms span the polynomials of degree m.
template <int Dim>
struct Power {
  Point<Dim> w;
  double b;
  int m;
  double operator()(const MultiIndex<Dim>& a, const Point<Dim>& x) const {
    double factor = 1;
    int rest = m;
    for (int i = 0; i < Dim; ++i)
      for (int k = 0; k < a[i]; ++k) factor *= w[i] * rest--;
    return factor == 0 ? 0 : factor * std::pow(w.dot(x) + b, rest);
  }
};

template <int Dim>
double worst_error(int order, int degree, int forms) {
  Random random(100 * Dim + order);
  double worst = 0;
  for (int n = 0; n < forms; ++n) {
    Cell<Dim> cell(order, uniform<Dim>(random, -1, 1), uniform<Dim>(random, 0.2, 1.5));
    const Power<Dim> f{uniform<Dim>(random, -1, 1), 0.3, degree};
    const Point<Dim> t = uniform<Dim>(random, 0, 1);
    const Point<Dim> x = cell.lower + t.cwiseProduct(cell.h);
    const Eigen::VectorXd answer = cell.answer(f, t);
    double scale = 1e-3;  // of the samples
    for (int c = 0; c < JetCell<Dim>::corners; ++c) scale = std::max(scale, std::abs(f({}, cell.corner(c))));
    worst = std::max(worst, std::abs(answer[0] - f({}, x)) / scale);
    for (int j = 0; j < Dim; ++j) {
      MultiIndex<Dim> along{};
      along[j] = 1;
      worst = std::max(worst, std::abs(answer[1 + j] - f(along, x)) * cell.h[j] / scale);
    }
  }
  return worst;
}

template <int Dim>
void reproduces_polynomials() {
  for (int order = 0; order <= 3; ++order) {
    CAPTURE(Dim, order);
    const int forms = Dim == 6 ? 30 : 100;
    for (int degree = 0; degree <= 2 * order + 1; ++degree) CHECK(worst_error<Dim>(order, degree, forms) < 2e-12);
    CHECK(worst_error<Dim>(order, 2 * order + 2, forms) > 1e-6);
  }
}

/// The definition, word for word: sum over l >= a with |l| <= K of products of h_{l,a} - h_{l-1,a}, where
/// h_{l,a}(s) = s^a / a! (1 - s)^{l+1} sum_{k <= l-a} C(l + k, k) s^k, times (+-h)^a, is the Hermite basis of degree
/// 2l + 1 for the derivative a at the lower end; the upper end mirrors it.
double hermite(int l, int a, double s) {
  if (l < a) return 0;
  double sum = 0, choose = 1, factorial = 1;
  for (int k = 0; k <= l - a; ++k) {
    if (k > 0) choose *= static_cast<double>(l + k) / k;
    sum += choose * std::pow(s, k);
  }
  for (int n = 2; n <= a; ++n) factorial *= n;
  return std::pow(s, a) / factorial * std::pow(1 - s, l + 1) * sum;
}

template <int Dim>
double defined_weight(int order, int corner, const MultiIndex<Dim>& a, const Point<Dim>& t, const Point<Dim>& h) {
  const auto from = [&](auto&& self, int axis, int left) -> double {
    if (axis == Dim) return 1;
    const bool upper = corner >> axis & 1;
    const double s = upper ? 1 - t[axis] : t[axis];
    double sum = 0;
    for (int l = a[axis]; l <= left; ++l)
      sum += (hermite(l, a[axis], s) - hermite(l - 1, a[axis], s)) * self(self, axis + 1, left - l);
    return std::pow(upper ? -h[axis] : h[axis], a[axis]) * sum;
  };
  return from(from, 0, order);
}

std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> sets{InstructionSet::baseline};
  for (const InstructionSet set : {InstructionSet::avx2, InstructionSet::avx512})
    if (set <= instruction_set()) sets.push_back(set);
  return sets;
}

template <int Dim>
void weights_are_those_of_the_definition() {
  Random random(Dim);
  for (int order = 0; order <= 3; ++order)
    for (const InstructionSet set : instruction_sets()) {
      CAPTURE(Dim, order, static_cast<int>(set));
      const JetCell<Dim> cell(order);
      std::vector<double> all(cell.weight_count());
      double worst = 0;
      for (int n = 0; n < 5; ++n) {
        const Point<Dim> t = uniform<Dim>(random, 0, 1), h = uniform<Dim>(random, 0.5, 2);
        cell.weights(t, h, all.data(), set);
        for (int c = 0, at = 0; c < JetCell<Dim>::corners; ++c)
          for (const MultiIndex<Dim>& a : cell.indices()) {
            worst = std::max(worst, std::abs(all[static_cast<std::size_t>(at)] - defined_weight(order, c, a, t, h)));
            at += 1 + Dim;
          }
      }
      CHECK(worst < 1e-13);
    }
}

template <int Dim>
void instruction_sets_agree() {
  Random random(Dim);
  for (int order = 0; order <= 3; ++order) {
    const JetCell<Dim> cell(order);
    std::vector<double> one(cell.weight_count()), other(one);
    const Point<Dim> t = uniform<Dim>(random, 0, 1), h = uniform<Dim>(random, 0.5, 2);
    cell.weights(t, h, one.data(), InstructionSet::baseline);
    for (const InstructionSet set : instruction_sets()) {
      CAPTURE(Dim, order, static_cast<int>(set));
      cell.weights(t, h, other.data(), set);
      double worst = 0;
      for (std::size_t k = 0; k < one.size(); ++k) worst = std::max(worst, std::abs(one[k] - other[k]));
      CHECK(worst < 1e-12);
    }
  }
}

/// Calls check(cell, random) with the cells of all orders.
template <int Dim, class Check>
void for_all_orders(const Check& check) {
  Random random(Dim);
  for (int order = 0; order <= 3; ++order) {
    CAPTURE(Dim, order);
    check(JetCell<Dim>(order), random);
  }
}

template <int Dim>
void weights_sum_to_one() {
  for_all_orders<Dim>([](const JetCell<Dim>& cell, Random& random) {
    std::vector<double> w(cell.weight_count());
    const Point<Dim> t = uniform<Dim>(random, 0, 1);
    cell.weights(t, uniform<Dim>(random, 0.5, 2), w.data());
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(1 + Dim);
    for (int c = 0; c < JetCell<Dim>::corners; ++c)
      for (int p = 0; p <= Dim; ++p) sum[p] += w[static_cast<std::size_t>(c) * cell.jet_size() * (1 + Dim) + p];
    CHECK(std::abs(sum[0] - 1) < 1e-13);
    CHECK(sum.tail(Dim).cwiseAbs().maxCoeff() < 1e-12);
  });
}

template <int Dim>
void jacobian_weights_are_derivatives() {
  // Along one axis a weight is a polynomial of degree at most 2K + 1 <= 7: this difference is exact but for rounding.
  constexpr double step = 0.05, coefficients[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  for_all_orders<Dim>([&](const JetCell<Dim>& cell, Random& random) {
    std::vector<double> at(cell.weight_count()), ahead(at), behind(at);
    const Point<Dim> t = uniform<Dim>(random, 0, 1), h = uniform<Dim>(random, 0.5, 2);
    cell.weights(t, h, at.data());
    double worst = 0;
    for (int j = 0; j < Dim; ++j) {
      std::vector<double> slope(at.size() / (1 + Dim));
      for (int k = 1; k <= 4; ++k) {
        cell.weights(t + k * step * Point<Dim>::Unit(j), h, ahead.data());
        cell.weights(t - k * step * Point<Dim>::Unit(j), h, behind.data());
        for (std::size_t n = 0; n < slope.size(); ++n)
          slope[n] += coefficients[k - 1] * (ahead[n * (1 + Dim)] - behind[n * (1 + Dim)]) / (step * h[j]);
      }
      for (std::size_t n = 0; n < slope.size(); ++n)
        worst = std::max(worst, std::abs(slope[n] - at[n * (1 + Dim) + 1 + j]));
    }
    CHECK(worst < 1e-11);
  });
}

template <int Dim>
void faces_see_their_own_corners() {
  for_all_orders<Dim>([](const JetCell<Dim>& cell, Random& random) {
    const auto indices = graded_multi_indices<Dim>(cell.order());
    std::vector<double> left(cell.weight_count()), right(cell.weight_count());
    double strangers = 0, difference = 0;
    for (int axis = 0; axis < Dim; ++axis) {
      Point<Dim> t = uniform<Dim>(random, 0, 1), h = uniform<Dim>(random, 0.5, 2);
      t[axis] = 1;
      cell.weights(t, h, left.data());
      t[axis] = 0;
      h[axis] *= 0.5;  // the neighbour may be of another length
      cell.weights(t, h, right.data());
      for (int c = 0; c < JetCell<Dim>::corners; ++c)
        for (int a = 0; a < cell.jet_size(); ++a) {
          const auto at = [&](const std::vector<double>& w, int corner) {
            return w[(static_cast<std::size_t>(corner) * cell.jet_size() + a) * (1 + Dim)];
          };
          if (c >> axis & 1) {
            difference = std::max(difference, std::abs(at(left, c) - at(right, c ^ (1 << axis))));
            strangers = std::max(strangers, indices[a][axis] > 0 ? std::abs(at(left, c)) : 0.0);
            strangers = std::max(strangers, std::abs(at(right, c)));
          } else {
            strangers = std::max(strangers, std::abs(at(left, c)));
          }
        }
    }
    CHECK(strangers == 0);
    CHECK(difference < 1e-14);
  });
}

/// Sum over |l| = K + 1 of x^{2 l} / (2 l)!: every derivative in the remainder is 1.
template <int Dim>
struct WorstPolynomial {
  std::vector<MultiIndex<Dim>> terms;
  explicit WorstPolynomial(int order) {
    for (const MultiIndex<Dim>& l : graded_multi_indices<Dim>(order + 1)) {
      int total = 0;
      for (const int l_i : l) total += l_i;
      if (total == order + 1) terms.push_back(l);
    }
  }
  double operator()(const MultiIndex<Dim>& a, const Point<Dim>& x) const {
    double sum = 0;
    for (const MultiIndex<Dim>& l : terms) {
      double product = 1;
      for (int i = 0; i < Dim; ++i)
        product *= 2 * l[i] < a[i] ? 0 : std::pow(x[i], 2 * l[i] - a[i]) / std::tgamma(2 * l[i] - a[i] + 1);
      sum += product;
    }
    return sum;
  }
  /// sum over |l| = K + 1 of prod h_i^{2 l_i} / (4^{l_i} (2 l_i)!)
  double bound(const Point<Dim>& h) const {
    double sum = 0;
    for (const MultiIndex<Dim>& l : terms) {
      double product = 1;
      for (int i = 0; i < Dim; ++i) product *= std::pow(h[i] / 2, 2 * l[i]) / std::tgamma(2 * l[i] + 1);
      sum += product;
    }
    return sum;
  }
};

template <int Dim>
double error_at(int order, const Point<Dim>& h, const Point<Dim>& t) {
  const WorstPolynomial<Dim> f(order);
  Cell<Dim> cell(order, Point<Dim>::Constant(-0.3), h);
  return std::abs(cell.answer(f, t)[0] - f({}, cell.lower + t.cwiseProduct(h)));
}

template <int Dim>
void error_constant_is_attained() {
  Random random(Dim);
  const Point<Dim> centre = Point<Dim>::Constant(0.5);
  const Point<Dim> equal = Point<Dim>::Constant(0.5);
  CAPTURE(Dim);
  CHECK(error_at<Dim>(1, equal, centre) == Approx(Dim * (3 * Dim - 2) / 384.0 * std::pow(0.5, 4)).epsilon(0.01));
  for (int order = 0; order <= (Dim <= 4 ? 3 : 1); ++order) {
    CAPTURE(order);
    const Point<Dim> h = uniform<Dim>(random, 0.3, 1.2);
    const double bound = WorstPolynomial<Dim>(order).bound(h);
    CHECK(error_at<Dim>(order, h, centre) == Approx(bound).epsilon(1e-6));
    double elsewhere = 0;
    for (int n = 0; n < 100; ++n) elsewhere = std::max(elsewhere, error_at<Dim>(order, h, uniform<Dim>(random, 0, 1)));
    CHECK(elsewhere < bound * (1 + 1e-9));
  }
}

}  // namespace

#define FOR_EACH_DIMENSION(claim) claim<1>(), claim<2>(), claim<3>(), claim<4>(), claim<5>(), claim<6>()

TEST_CASE("polynomials of degree 2K + 1 are reproduced to rounding, with their gradient, and of 2K + 2 not") {
  FOR_EACH_DIMENSION(reproduces_polynomials);
}

TEST_CASE("the weights of the value are those of the definition, for each order and instruction set") {
  FOR_EACH_DIMENSION(weights_are_those_of_the_definition);
}

TEST_CASE("weights are the same with each instruction set, up to rounding") {
  FOR_EACH_DIMENSION(instruction_sets_agree);
}

TEST_CASE("weights of the values sum to one, their gradients to zero") { FOR_EACH_DIMENSION(weights_sum_to_one); }

TEST_CASE("weights of the Jacobian are the derivatives of the weights of the value") {
  FOR_EACH_DIMENSION(jacobian_weights_are_derivatives);
}

TEST_CASE("a face sees only its own corners and no derivative across it, so that cells join continuously") {
  FOR_EACH_DIMENSION(faces_see_their_own_corners);
}

TEST_CASE("the worst polynomial of degree 2K + 2 attains the leading remainder at the cell's centre, none exceeds it") {
  FOR_EACH_DIMENSION(error_constant_is_attained);
}

TEST_CASE("multi-indices of a jet stand in graded lexicographic order") {
  CHECK(graded_multi_indices<2>(2) == std::vector<MultiIndex<2>>{{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}});
  CHECK(graded_multi_indices<1>(3) == std::vector<MultiIndex<1>>{{0}, {1}, {2}, {3}});
  CHECK(graded_multi_indices<3>(0) == std::vector<MultiIndex<3>>{{0, 0, 0}});
  CHECK(graded_multi_indices<4>(3).size() == 35);
  CHECK(jet_size(6, 3) == 84);
  CHECK(jet_size(4, 1) == 5);
  CHECK(graded_multi_indices<6>(3).size() == 84);
}
