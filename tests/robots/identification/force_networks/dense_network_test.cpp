// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/force_networks/dense_network.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace quoin::identification;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

MatrixXd normal_matrix(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  return MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); });
}

}  // namespace

TEST_CASE("a network's Jacobian leaves a Taylor remainder of second order, with any number of layers", "[networks]") {
  for (const std::vector<Eigen::Index>& sizes :
       {std::vector<Eigen::Index>{5, 7, 3}, {4, 6, 5, 2}, {7, 32, 64, 32, 28}, {1, 3, 1}}) {
    const DenseNetwork network = DenseNetwork::random(sizes, 3);
    const VectorXd x = normal_matrix(sizes.front(), 1, 1), d = normal_matrix(sizes.front(), 1, 2);
    DensePass pass;
    MatrixXd y, J, moved;
    network.evaluate(x, pass, y, J);
    REQUIRE(J.rows() == sizes.back());
    REQUIRE(J.cols() == sizes.front());
    const auto remainder = [&](double t) {
      network.evaluate(x + t * d, moved);
      return (moved - y - t * J * d).norm();
    };
    const double order = std::log2(remainder(2e-3) / remainder(1e-3));
    INFO(sizes.size() << " layers, order " << order);
    CHECK(order > 1.9);
    CHECK(order < 2.1);
  }
}

TEST_CASE("pushing and pulling many columns is multiplying by each column's Jacobian", "[networks]") {
  for (const std::vector<Eigen::Index>& sizes : {std::vector<Eigen::Index>{5, 8, 6, 3}, {5, 3}}) {
    const DenseNetwork network = DenseNetwork::random(sizes, 4);
    const MatrixXd X = normal_matrix(5, 9, 1), D = normal_matrix(5, 9, 2), G = normal_matrix(3, 9, 3);
    DensePass pass, one_pass;
    MatrixXd Y, alone, pushed, pulled, y, J;
    network.evaluate(X, pass, Y);
    network.evaluate(X, alone);
    CHECK(Y == alone);
    network.push(pass, D, pushed);
    network.pull(pass, G, pulled);
    for (Eigen::Index c = 0; c < 9; ++c) {
      network.evaluate(X.col(c), one_pass, y, J);
      CHECK((y - Y.col(c)).norm() < 1e-14);
      CHECK((J * D.col(c) - pushed.col(c)).norm() < 1e-14);
      CHECK((J.transpose() * G.col(c) - pulled.col(c)).norm() < 1e-14);
    }
  }
}

TEST_CASE("hidden units are tanh: to rounding of one, to their limits, and a NaN stays one", "[networks]") {
  DenseNetwork network{{1, 1, 1}, VectorXd(4)};
  network.weights << 1, 0, 1, 0;
  MatrixXd Y;
  const VectorXd z = VectorXd::LinSpaced(401, -25, 25);
  network.evaluate(z.transpose(), Y);
  for (Eigen::Index i = 0; i < z.size(); ++i) CHECK(std::abs(Y(0, i) - std::tanh(z[i])) < 4e-16);
  network.evaluate(MatrixXd::Constant(1, 1, 1e6), Y);
  CHECK(Y(0, 0) == 1);
  network.evaluate(MatrixXd::Constant(1, 1, -1e6), Y);
  CHECK(Y(0, 0) == -1);
  for (const Eigen::Index count : {1, 16}) {
    network.evaluate(MatrixXd::Constant(1, count, std::nan("")), Y);
    CHECK(Y.array().isNaN().all());
  }
}

TEST_CASE("random weights follow from the seed and are as large as their layer's inputs allow", "[networks]") {
  const DenseNetwork network = DenseNetwork::random({100, 50, 4}, 7);
  CHECK(network.weights.size() == 100 * 50 + 50 + 50 * 4 + 4);
  CHECK(network.weights == DenseNetwork::random({100, 50, 4}, 7).weights);
  CHECK(network.weights != DenseNetwork::random({100, 50, 4}, 8).weights);
  const auto first = network.weights.head(101 * 50).cwiseAbs(), last = network.weights.tail(51 * 4).cwiseAbs();
  CHECK(first.maxCoeff() <= 0.1);
  CHECK(first.maxCoeff() > 0.099);
  CHECK(last.maxCoeff() <= 1 / std::sqrt(50.0));
  CHECK(last.maxCoeff() > 0.95 / std::sqrt(50.0));
  CHECK(std::abs(network.weights.head(5000).mean()) < 0.005);
}

TEST_CASE("a network of the wrong shape says so with the numbers", "[networks]") {
  const DenseNetwork network = DenseNetwork::random({5, 8, 3}, 4);
  DensePass pass;
  MatrixXd Y, J;
  CHECK_THROWS_WITH(DenseNetwork::random({5}, 1), Catch::Contains("layers of 5 units"));
  CHECK_THROWS_WITH(DenseNetwork::random({5, 0, 1}, 1), Catch::Contains("layers of 5-0-1 units"));
  CHECK_THROWS_WITH(network.evaluate(MatrixXd::Zero(4, 2), Y), Catch::Contains("4 x 2, wanted 5 x 2"));
  CHECK_THROWS_WITH(network.evaluate(MatrixXd::Zero(5, 2), pass, Y, J), Catch::Contains("5 x 2, wanted 5 x 1"));
  CHECK_THROWS_WITH(network.push(pass, MatrixXd::Zero(5, 2), Y), Catch::Contains("pass is not of a network"));
  network.evaluate(MatrixXd::Zero(5, 2), pass, Y);
  CHECK_THROWS_WITH(network.push(pass, MatrixXd::Zero(5, 3), Y), Catch::Contains("5 x 3, wanted 5 x 2"));
  CHECK_THROWS_WITH(network.pull(pass, MatrixXd::Zero(5, 2), Y), Catch::Contains("5 x 2, wanted 3 x 2"));
  DenseNetwork broken = network;
  broken.weights.conservativeResize(10);
  CHECK_THROWS_WITH(broken.evaluate(MatrixXd::Zero(5, 2), Y), Catch::Contains("5-8-3 units with 10 weights"));
  CHECK_THROWS_WITH(DenseNetwork{}.evaluate(MatrixXd::Zero(5, 2), Y), Catch::Contains("no units"));
}
