// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/soft_arm/beam.hpp"
#include "quoin/robots/models/soft_arm/mass_scaled_map.hpp"
#include "quoin/robots/models/soft_arm/statics.hpp"
#include "testing/fingerprint_laws.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace quoin;
using namespace quoin::soft_arm;

namespace {

template <int SpaceDim>
struct Parts {
  ArmMesh<SpaceDim> mesh = make_beam<SpaceDim>({.cells_across = 2, .cells_along = 4});
  ArmOptions<SpaceDim> loads = {};
  StaticsOptions options = {};

  Statics<SpaceDim> statics() const { return Statics<SpaceDim>(SoftArm<SpaceDim>(mesh, loads), options); }
};

template <int SpaceDim>
std::string text_of(const Parts<SpaceDim>& parts) {
  return parts.statics().fingerprint().text();
}

template <int SpaceDim>
std::vector<Change<Parts<SpaceDim>>> counting_changes(const Parts<SpaceDim>& parts) {
  using Changed = Parts<SpaceDim>;
  std::vector<Change<Changed>> changes{
      {"clamped", [](Changed& p) { p.mesh.clamped.pop_back(); }},
      {"lines", [](Changed& p) { std::swap(p.mesh.lines[0], p.mesh.lines[1]); }},
      {"course of a line", [](Changed& p) { p.mesh.lines[0].pop_back(); }},
      {"poisson", [](Changed& p) { p.mesh.poisson += 1e-6; }},
      {"line_force", [](Changed& p) { p.mesh.line_force *= 1 + 1e-6; }},
      {"gravity", [](Changed& p) { p.loads.gravity[0] += 1e-6; }},
      {"dead_load", [](Changed& p) { p.loads.dead_load = 1e-6 * Eigen::VectorXd::Ones(p.mesh.vertices.size()); }},
      {"tolerance", [](Changed& p) { p.options.tolerance = 2e-9; }},
      {"continuation_step", [](Changed& p) { p.options.continuation_step = 0.4; }},
      {"taylor_step", [](Changed& p) { p.options.taylor_step = 0.9; }},
      {"iterations", [](Changed& p) { p.options.iterations = 59; }},
      {"an element's first vertices", [](Changed& p) {
         const Eigen::Vector3i first = p.mesh.elements.col(0).template head<3>();
         p.mesh.elements.col(0).template head<3>() = Eigen::Vector3i(first[1], first[2], first[0]);
       }}};
  for (Eigen::Index i = 0; i < parts.mesh.vertices.size(); ++i)
    changes.push_back({"coordinate " + std::to_string(i), [i](Changed& p) { p.mesh.vertices(i) += 1e-6; }});
  for (std::size_t e = 0; e < parts.mesh.young.size(); ++e)
    changes.push_back({"modulus " + std::to_string(e), [e](Changed& p) { p.mesh.young[e] *= 1 + 1e-6; }});
  if (SpaceDim == 2) changes.push_back({"thickness", [](Changed& p) { p.mesh.thickness *= 1 + 1e-6; }});
  return changes;
}

template <int SpaceDim>
std::vector<Change<Parts<SpaceDim>>> other_changes() {
  using Changed = Parts<SpaceDim>;
  std::vector<Change<Changed>> changes{
      {"remembered", [](Changed& p) { p.options.remembered = 3; }},
      {"remembered_jets", [](Changed& p) { p.options.remembered_jets = 3; }},
      {"tip", [](Changed& p) { p.mesh.tip.pop_back(); }},
      {"before_tip", [](Changed& p) { p.mesh.before_tip.pop_back(); }},
      {"order of the clamped", [](Changed& p) { std::reverse(p.mesh.clamped.begin(), p.mesh.clamped.end()); }},
      {"names of groups", [](Changed& p) { p.mesh.element_group_names.assign(2, "rubber"); }},
      {"density without gravity", [](Changed& p) { p.mesh.density *= 2; }},
      {"dead_load of zeros", [](Changed& p) { p.loads.dead_load.setZero(p.mesh.vertices.size()); }},
      {"last bits of the vertices", [](Changed& p) { p.mesh.vertices *= 1 + 1e-15; }}};
  if (SpaceDim == 3) changes.push_back({"thickness", [](Changed& p) { p.mesh.thickness *= 2; }});
  return changes;
}

}  // namespace

TEST_CASE("the fingerprint of a soft arm's statics tells apart whatever changes its equilibria, and nothing else") {
  check_fingerprint<Parts<2>>({}, text_of<2>, counting_changes<2>({}), other_changes<2>());
  check_fingerprint<Parts<3>>({}, text_of<3>, counting_changes<3>({}), other_changes<3>());
  const Parts<2> heavy{.loads = {.gravity = {0, -9.81}, .dead_load = {}}};
  check_fingerprint<Parts<2>>(heavy, text_of<2>, {{"density", [](Parts<2>& p) { p.mesh.density *= 1 + 1e-6; }}}, {});
}

TEST_CASE("jets of every order share the fingerprint of their statics, scaled by masses it is another") {
  const Parts<2> parts;
  const Statics<2> statics = parts.statics();
  CHECK(JetStatics<2, 1>(statics).fingerprint().text() == text_of(parts));
  CHECK(JetStatics<2, 3>(statics).fingerprint().text() == text_of(parts));

  struct Scaled {
    double young = 1, mass = 1;
  };
  const auto text = [&](const Scaled& scaled) {
    Parts<2> changed;
    changed.mesh.young[0] *= scaled.young;
    const Statics<2> f = changed.statics();
    return MassScaledMap<2, Statics<2>>(f, scaled.mass * f.arm().mass()).fingerprint().text();
  };
  check_fingerprint<Scaled>(
      {}, text, {{"the map", [](Scaled& s) { s.young = 1.1; }}, {"the masses", [](Scaled& s) { s.mass = 2; }}}, {});
}

TEST_CASE("every build gives the standard arms these fingerprints, by which it finds files of others") {
  CHECK(Statics<2>(SoftArm<2>(make_beam<2>())).fingerprint().text() == "soft_arm::Statics<2> 6000203c18b4d287");
  CHECK(Statics<3>(SoftArm<3>(make_beam<3>())).fingerprint().text() == "soft_arm::Statics<3> 9f4e8c1327be9583");
}
