// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/exact_function.hpp"
#include "quoin/map/fingerprint.hpp"
#include "quoin/robots/models/swimmer/motion.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <stdexcept>
#include <string>
#include <vector>

namespace quoin::swimmer {

/// Added mass of links without interaction: each has the added mass that it would have alone, constant in its own frame
/// (e.g. Lamb's closed forms for ellipsoids; Kanso, Marsden, Rowley, Melli-Huber 2005 compare it with the coupled one).
/// Costs nothing: for first trials, teaching and tests.
///
///     DecoupledAddedMass<3> water(std::vector(4, lamb));  // each 3 x 3 (planar) or 6 x 6 (spatial), kg, kg m, kg m^2
///     GeneralizedMass<3, DecoupledAddedMass<3>> mass(fish, Motion::planar, water);
///
/// A DifferentiableMap with the outputs of AddedMass. Throws std::invalid_argument if the blocks do not
/// fit or are not symmetric.
template <int Dim>
class DecoupledAddedMass {
 public:
  /// One block for each of the Dim + 1 links.
  explicit DecoupledAddedMass(const std::vector<Eigen::MatrixXd>& links) {
    if (links.size() != Dim + 1)
      throw std::invalid_argument("DecoupledAddedMass<" + to_text(Dim) + ">: " + to_text(links.size()) +
                                  " links given");
    const Eigen::Index twist = links.front().rows();
    Eigen::MatrixXd all = Eigen::MatrixXd::Zero(twist * (Dim + 1), twist * (Dim + 1));
    for (int b = 0; b <= Dim; ++b) {
      const Eigen::MatrixXd& block = links[static_cast<std::size_t>(b)];
      if ((twist != 3 && twist != 6) || block.rows() != twist || block.cols() != twist)
        throw std::invalid_argument("DecoupledAddedMass: link " + to_text(b) + " has an added mass of " +
                                    shape_text(block));
      const double skew = (block - block.transpose()).cwiseAbs().maxCoeff();
      if (!(skew <= 1e-9 * block.cwiseAbs().maxCoeff()) || !block.allFinite())
        throw std::invalid_argument("DecoupledAddedMass: link " + to_text(b) +
                                    " has an added mass that is not finite and symmetric, it misses its transpose by " +
                                    to_text(skew));
      all.block(twist * b, twist * b, twist, twist) = block;
    }
    packed_.resize(packed_size(all.rows()));
    pack_symmetric(all, packed_);
  }

  Eigen::Index output_size() const { return packed_.size(); }
  FunctionTraits traits() const { return {.concurrent = true}; }
  /// Of the blocks.
  Fingerprint fingerprint() const { return Fingerprint("swimmer::DecoupledAddedMass").add_rounded("packed", packed_); }

  Answer evaluate(const Point<Dim>&, Eigen::VectorXd& y) const {
    y = packed_;
    return {.trust = Trust::exact, .error = 0};
  }
  Answer evaluate(const Point<Dim>&, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    y = packed_;
    J.setZero(packed_.size(), Dim);
    return {.trust = Trust::exact, .error = 0, .jacobian_error = 0};
  }

 private:
  Eigen::VectorXd packed_;
};

}  // namespace quoin::swimmer
