// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/map/restrict_to.hpp"
#include "quoin/robots/models/topology/interaction_mesh_map.hpp"
#include "quoin/robots/models/topology/writhe_map.hpp"
#include "quoin/robots/task_maps/task_map_in.hpp"
#include "rod_chain.hpp"
#include "testing/fingerprint_laws.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <string>
#include <vector>

using namespace quoin;
using namespace quoin::topology;

namespace {

struct NamedChain : RodChain {
  Fingerprint fingerprint() const { return Fingerprint("rods").add("joints", joints); }
};

struct Wound {
  NamedChain chain = {};
  WritheOptions options = {};
  Eigen::Matrix3Xd pole = topology::pole();
};

struct Meshed {
  NamedChain chain = {};
  std::vector<MeshEdge> edges = full_graph(7, 4);
  Eigen::Matrix3Xd environment = pole();
};

}  // namespace

TEST_CASE("the fingerprint of a writhe in a scene tells apart chains, options, every point of the scene and slices") {
  std::vector<Change<Wound>> changes{{"chain", [](Wound& w) { w.chain.joints = 7; }},
                                     {"matrix", [](Wound& w) { w.options.form = WritheForm::matrix; }},
                                     {"scalar", [](Wound& w) { w.options.form = WritheForm::scalar; }},
                                     {"absolute", [](Wound& w) { w.options.absolute = true; }},
                                     {"normalized", [](Wound& w) { w.options.normalized = false; }}};
  for (Eigen::Index i = 0; i < pole().size(); ++i)
    changes.push_back({"coordinate " + std::to_string(i), [i](Wound& w) { w.pole(i) += 1e-6; }});
  const auto map = [](const Wound& w) { return task_map_in<6>(WritheMap(w.chain, w.options), w.pole); };
  check_fingerprint<Wound>({}, [&](const Wound& w) { return map(w).fingerprint().text(); }, changes, {});

  const auto slice = [&](const Wound& w) {
    return restrict_to(map(w), std::array{0, 3}, Point<6>(0, 1, 0, 0, 0, 0)).fingerprint().text();
  };
  check_fingerprint<Wound>({}, slice, changes, {});
}

TEST_CASE("the fingerprint of an interaction mesh tells apart landmarks, edges, and every point of the scene") {
  std::vector<Change<Meshed>> changes{{"an edge less", [](Meshed& m) { m.edges.pop_back(); }},
                                      {"end of an edge", [](Meshed& m) { m.edges.back().second -= 1; }},
                                      {"weight", [](Meshed& m) { m.edges[3].weight += 1e-6; }},
                                      {"gap", [](Meshed& m) { m.edges[3].gap += 1e-6; }}};
  for (Eigen::Index i = 0; i < pole().size(); ++i)
    changes.push_back({"coordinate " + std::to_string(i), [i](Meshed& m) { m.environment(i) += 1e-6; }});
  const auto text = [](const Meshed& m) {
    return task_map_in<6>(InteractionMeshMap(m.chain, InteractionMesh(7, 4, m.edges)), m.environment)
        .fingerprint()
        .text();
  };
  check_fingerprint<Meshed>({}, text, changes, {});

  const std::vector<MeshEdge> none;
  CHECK(InteractionMesh(3, 2, none).fingerprint().text() != InteractionMesh(2, 3, none).fingerprint().text());
}

TEST_CASE("a task map over points without a fingerprint has none") {
  static_assert(!Fingerprinted<WritheMap<RodChain>> && Fingerprinted<WritheMap<NamedChain>>);
  static_assert(!Fingerprinted<InteractionMeshMap<RodChain>> && Fingerprinted<InteractionMeshMap<NamedChain>>);
}
