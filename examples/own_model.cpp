// SPDX-License-Identifier: BSD-3-Clause
// A model of your own under a grid: it solves equations, gives its Jacobian, has a domain, and throws where it has no
// answer. Here: the joint angles by which an arm of two links reaches a place.
//   g++ -std=c++20 -O2 -Iinclude $(pkg-config --cflags eigen3) examples/own_model.cpp -o own_model -pthread
#include <quoin/quoin.hpp>

#include <Eigen/LU>

#include <cmath>
#include <cstdio>
#include <stdexcept>

using quoin::Point;

/// A class with these three members is a DifferentiableMap<2>.
class Reach {
 public:
  Eigen::Index output_size() const { return 2; }

  quoin::Answer evaluate(const Point<2>& hand, Eigen::VectorXd& angles) const {
    Eigen::MatrixXd J;
    return evaluate(hand, angles, J);
  }

  /// Newton's method on place(angles) = hand. J: 2 x 2, by the implicit function theorem.
  quoin::Answer evaluate(const Point<2>& hand, Eigen::VectorXd& angles, Eigen::MatrixXd& J) const {
    angles = Eigen::Vector2d(std::atan2(hand[1], hand[0]) - 0.7, 1.4);  // the elbow bends to the left
    for (int iteration = 0; iteration < 30; ++iteration) {
      const double shoulder = angles[0], wrist = angles[0] + angles[1];
      const Eigen::Vector2d upper(std::cos(shoulder), std::sin(shoulder));
      const Eigen::Vector2d lower(0.8 * std::cos(wrist), 0.8 * std::sin(wrist));
      Eigen::Matrix2d dplace;  // d place / d angles
      dplace << -upper[1] - lower[1], -lower[1], upper[0] + lower[0], lower[0];
      J = dplace.inverse();
      const Eigen::Vector2d miss = upper + lower - hand;
      if (miss.norm() < 1e-12) return {.trust = quoin::Trust::exact, .error = 0, .jacobian_error = 0};
      angles -= J * miss;
    }
    throw std::runtime_error("no angles reach " + quoin::to_text(hand[0]) + ", " + quoin::to_text(hand[1]));
  }
};

int main() {
  const Reach reach;
  const Point<2> hand(1.13, 0.31);
  const auto check = quoin::check_derivatives<2>(reach, hand);
  std::printf("the model: %s\n", check.message.c_str());

  // The domain is a box. A point in it that is beyond the arm's length of 1.8 fails only when it is queried.
  quoin::AdaptiveGrid<2> grid(reach, {.spacing = {0.125, 0.125}, .lower = {0.5, -1}, .upper = {2, 1}});
  Eigen::VectorXd angles, exact;
  Eigen::MatrixXd J, exact_J;
  grid.evaluate(hand, angles, J);
  reach.evaluate(hand, exact, exact_J);
  const double error = (angles - exact).norm(), error_J = (J - exact_J).norm();
  std::printf("the grid: angles %.4f and %.4f, error %.1e, of the Jacobian %.1e\n", angles[0], angles[1], error,
              error_J);

  const quoin::Answer outside = grid.try_evaluate({3, 0}, angles, J);  // evaluate would throw DomainError
  std::printf("at (3, 0): %s\n", to_string(outside.trust));
  bool failed = false;
  try {
    grid.evaluate({1.93, 0.1}, angles, J);
  } catch (const quoin::CornerFailure& failure) {  // try_evaluate would return Trust::failed
    failed = true;
    std::printf("at (1.93, 0.1): %s\n", failure.what());
  }
  return check.passed && error < 1e-4 && error_J < 1e-2 && outside.trust == quoin::Trust::outside && failed ? 0 : 1;
}
