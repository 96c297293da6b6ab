// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/detail/link_places.hpp"

#include "quoin/robots/models/rigid_body/detail/sines_cosines.hpp"
#include "quoin/util/to_text.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::rigid_body::detail {

LinkPlaces::LinkPlaces(RigidBodyTree tree)
    : tree_(std::move(tree)),
      sine_(static_cast<std::size_t>(tree_.joints())),
      cosine_(sine_.size()),
      places_(sine_.size() + 1) {
  places_[0] = {zero_matrix<double>(), zero_vector<double>()};
  add_diagonal(places_[0].rotation, 1.0);
}

void LinkPlaces::place(const Eigen::VectorXd& q, const char* caller) {
  if (q.size() != tree_.joints())
    throw std::invalid_argument(std::string(caller) + ": q has " + to_text(q.size()) + " entries, must have " +
                                to_text(tree_.joints()));
  sines_cosines(q.data(), sine_.data(), cosine_.data(), tree_.joints());
  for (std::size_t i = 0; i < sine_.size(); ++i) {
    const RigidBodyTree::Segment& segment = tree_.segments()[i];
    places_[i + 1] = place_of(segment, sine_[i], cosine_[i], q[static_cast<Eigen::Index>(i)],
                              places_[static_cast<std::size_t>(segment.parent)]);
  }
}

}  // namespace quoin::rigid_body::detail
