// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/swimmer/added_mass.hpp"
#include "quoin/robots/models/swimmer/decoupled_added_mass.hpp"
#include "quoin/robots/models/swimmer/ellipsoid_chain.hpp"
#include "quoin/robots/models/swimmer/extrapolated_added_mass.hpp"
#include "quoin/robots/models/swimmer/generalized_mass.hpp"
#include "testing/fingerprint_laws.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace quoin;
using namespace quoin::swimmer;

namespace {

/// Three links on two hinges, on a mesh for added mass and a coarser one to extrapolate from.
struct Parts {
  std::vector<Link> links, coarse;
  std::vector<Hinge> hinges;
  double fluid_density = 1000;
  Motion motion = Motion::spatial;
  PotentialFlowOptions options = {}, coarse_options = {};

  Swimmer fine_swimmer() const { return {links, hinges, fluid_density}; }
  SwimmerFlow fine_flow() const { return SwimmerFlow(fine_swimmer(), options); }
  SwimmerFlow coarse_flow() const { return SwimmerFlow(Swimmer(coarse, hinges, fluid_density), coarse_options); }
};

Parts parts() {
  Parts parts;
  const Swimmer fine = ellipsoid_chain({.links = 3, .mesh = 2}), coarse = ellipsoid_chain({.links = 3, .mesh = 1});
  for (int b = 0; b < 3; ++b) {
    parts.links.push_back(fine.link(b));
    parts.coarse.push_back(coarse.link(b));
  }
  for (int k = 0; k < 2; ++k) parts.hinges.push_back(fine.hinge(k));
  return parts;
}

using Changes = std::vector<Change<Parts>>;

Changes operator+(Changes a, const Changes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::string water_text(const Parts& p) { return AddedMass<2>(p.fine_flow(), p.motion).fingerprint().text(); }
std::string extrapolated_text(const Parts& p) {
  return ExtrapolatedAddedMass<2>(p.coarse_flow(), p.fine_flow(), p.motion).fingerprint().text();
}
std::string mass_text(const Parts& p) {
  const DecoupledAddedMass<2> water(std::vector(3, Eigen::MatrixXd(Eigen::MatrixXd::Identity(6, 6))));
  return GeneralizedMass<2, DecoupledAddedMass<2>>(p.fine_swimmer(), p.motion, water).fingerprint().text();
}

Changes hinges() {
  Changes changes{{"parent", [](Parts& p) { p.hinges[1].parent = 0; }}};
  for (std::size_t k = 0; k < 2; ++k) {
    const std::string of = " of hinge " + std::to_string(k);
    changes.push_back({"axis" + of, [k](Parts& p) { p.hinges[k].axis.x() += 1e-6; }});
    for (int i = 0; i < 3; ++i) {
      changes.push_back({"in_parent" + of, [k, i](Parts& p) { p.hinges[k].in_parent[i] += 1e-6; }});
      changes.push_back({"in_link" + of, [k, i](Parts& p) { p.hinges[k].in_link[i] += 1e-6; }});
    }
  }
  return changes;
}

Changes water() {
  Changes changes{{"fluid_density", [](Parts& p) { p.fluid_density += 1e-3; }},
                  {"min_gap", [](Parts& p) { p.options.min_gap = 0.06; }},
                  {"an order of vertices", [](Parts& p) {
                     const Eigen::Vector3i t = p.links[1].surface.triangles.col(0);
                     p.links[1].surface.triangles.col(0) = Eigen::Vector3i(t[1], t[2], t[0]);
                   }}};
  const Parts original = parts();
  for (std::size_t b = 0; b < 3; ++b)
    for (Eigen::Index i = 0; i < original.links[b].surface.vertices.size(); ++i)
      changes.push_back({"coordinate " + std::to_string(i) + " of link " + std::to_string(b),
                         [b, i](Parts& p) { p.links[b].surface.vertices(i) += 1e-7; }});
  return changes;
}

const Change<Parts> planar{"motion", [](Parts& p) { p.motion = Motion::planar; }};
const Changes densities{{"density of a link", [](Parts& p) { p.links[1].density += 1e-3; }}};
const Changes own_inertia{{"inertia of a link", [](Parts& p) {
                             LinkInertia own = p.fine_swimmer().inertia(2);
                             own.inertia(1, 1) *= 1 + 1e-6;
                             p.links[2].inertia = own;
                           }}};
const Changes coarse_parts{{"coarse mesh", [](Parts& p) { p.coarse[0].surface.vertices(0, 0) += 1e-7; }},
                           {"coarse min_gap", [](Parts& p) { p.coarse_options.min_gap = 0.06; }}};
const Changes nothing{{"scalar", [](Parts& p) { p.options.scalar = true; }},
                      {"length of an axis", [](Parts& p) { p.hinges[0].axis *= 3; }},
                      {"last bits of a surface", [](Parts& p) { p.links[0].surface.vertices *= 1 + 1e-15; }}};

}  // namespace

TEST_CASE("the fingerprint of an added mass tells apart whatever changes it, and nothing else") {
  check_fingerprint(parts(), water_text, hinges() + water() + Changes{planar},
                    densities + own_inertia + coarse_parts + nothing);
}

TEST_CASE("the fingerprint of an extrapolated added mass counts both meshes, and the masses that refuse answers") {
  check_fingerprint(parts(), extrapolated_text,
                    hinges() + water() + coarse_parts + densities + own_inertia + Changes{planar}, nothing);
  CHECK(extrapolated_text(parts()) != water_text(parts()));
}

TEST_CASE("the fingerprint of a mass matrix counts hinges, masses, the motion and the water") {
  const Changes without_water{{"fluid_density", [](Parts& p) { p.fluid_density += 1; }}};
  check_fingerprint(parts(), mass_text, hinges() + densities + own_inertia, nothing + without_water);

  const auto block = [](double mass, int size) {
    return Eigen::MatrixXd(mass * Eigen::MatrixXd::Identity(size, size));
  };
  const auto text = [&](const std::vector<Eigen::MatrixXd>& blocks, Motion motion) {
    const DecoupledAddedMass<2> water(blocks);
    return GeneralizedMass<2, DecoupledAddedMass<2>>(parts().fine_swimmer(), motion, water).fingerprint().text();
  };
  const std::vector blocks(3, block(1, 6));
  CHECK(text({block(1, 6), block(1, 6), block(1 + 1e-6, 6)}, Motion::spatial) != text(blocks, Motion::spatial));
  CHECK(text(std::vector(3, block(1, 3)), Motion::planar) != text(blocks, Motion::spatial));
}

TEST_CASE("every build gives ellipsoids these fingerprints") {
  CHECK(water_text(parts()) == "swimmer::AddedMass a99ef48e15122df9");
  CHECK(extrapolated_text(parts()) == "swimmer::ExtrapolatedAddedMass 9f2125ea9b886b4f");
}
