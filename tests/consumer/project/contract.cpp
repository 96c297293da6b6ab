// SPDX-License-Identifier: BSD-3-Clause
// The public words, as a program outside uses them: exits 0 if they mean what the documentation says.
#include <quoin/quoin.hpp>

#include <cmath>
#include <cstdio>

namespace {

int failures = 0;

void expect(bool ok, const char* what) {
  if (ok) return;
  ++failures;
  std::printf("FAILED: %s\n", what);
}

struct Paraboloid {
  Eigen::Index output_size() const { return 1; }
  quoin::Answer evaluate(const quoin::Point<2>& x, Eigen::VectorXd& y) const {
    y.setConstant(1, x.squaredNorm());
    return {.trust = quoin::Trust::exact, .error = 0};
  }
  quoin::Answer evaluate(const quoin::Point<2>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    J = 2 * x.transpose();
    return evaluate(x, y);
  }
};
static_assert(quoin::DifferentiableMap<Paraboloid, 2>);

}  // namespace

int main() {
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  const quoin::Answer answer = quoin::try_evaluate<2>(Paraboloid{}, quoin::Point<2>(3, 4), y, J);
  expect(answer.has_value() && answer.trust == quoin::Trust::exact, "an exact map answers exactly");
  expect(std::abs(y[0] - 25) < 1e-12 && std::abs(J(0, 1) - 8) < 1e-12, "value and Jacobian");

  if (failures == 0) std::printf("contract holds\n");
  return failures != 0;
}
