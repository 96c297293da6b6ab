# SPDX-License-Identifier: BSD-3-Clause
"""Writhe counts turns, interaction meshes are those of their formula, and both are maps of joints over any points."""

import gc
import os

import numpy as np
import pytest

import quoin

topology = pytest.importorskip("quoin.topology")

URDF = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "data", "iiwa7.urdf")
RNG = np.random.default_rng(3)
FORMS = ("matrix", "of_robot_segments", "of_environment_segments", "scalar")
POLE = np.array([[0.5, 0.2, -1], [0.52, 0.2, -0.2], [0.55, 0.25, 0.3], [0.5, 0.3, 1]])
POSTURE = np.array([0.3, -0.4, 0.5, 0.2])


def circle(centre, u, v, segments):
    angle = 2 * np.pi * (np.arange(segments + 1) % segments) / segments
    return np.asarray(centre) + np.outer(np.cos(angle), u) + np.outer(np.sin(angle), v)


def helix(turns, segments=60):
    s = np.linspace(0, 1, segments + 1)
    return np.column_stack((0.1 * np.cos(2 * np.pi * turns * s), 0.1 * np.sin(2 * np.pi * turns * s), s))


def rods(q):
    """Rods of 0.3 m on joints alternately about z and y, stretched along x."""
    places, J, turned, axes = [np.zeros(3)], np.zeros((len(q) + 1, 3, len(q))), np.eye(3), []
    for i, angle in enumerate(q):
        c, s = np.cos(angle), np.sin(angle)
        turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]] if i % 2 == 0 else [[c, 0, s], [0, 1, 0], [-s, 0, c]])
        axes.append(turned @ ([0, 0, 1] if i % 2 == 0 else [0, 1, 0]))
        turned = turned @ turn
        places.append(places[-1] + turned @ [0.3, 0, 0])
        for j in range(i + 1):
            J[i + 1, :, j] = np.cross(axes[j], places[-1] - places[j])
    return np.array(places), J


def chain():
    return topology.PointMap(rods, 4, 5)


def test_linked_circles_have_a_writhe_of_one_turn_and_unlinked_ones_of_none():
    one = circle([0, 0, 0], [1, 0, 0], [0, 1, 0], 40)
    linked = circle([1, 0, 0], [1, 0, 0], [0, 0, 1], 30)
    total = topology.writhe_matrix(one, linked).sum()
    assert abs(total) == pytest.approx(1, rel=1e-12)
    assert topology.writhe_matrix(one, linked[::-1]).sum() == pytest.approx(-total, rel=1e-12)
    assert abs(topology.writhe_matrix(one, circle([3, 0, 0], [1, 0, 0], [0, 0, 1], 30)).sum()) < 1e-12


@pytest.mark.parametrize("turns", [0.5, -1.0, 2.5])
def test_a_helix_around_a_long_pole_has_its_turns_with_their_hand(turns):
    pole = [[0, 0, -200], [0, 0, 200]]
    assert topology.writhe(helix(turns), pole, form="scalar").values[0] == pytest.approx(turns, rel=1e-4)
    assert topology.writhe_matrix(helix(turns), pole, absolute=True).sum() == pytest.approx(abs(turns), rel=1e-4)


def test_segments_are_the_entries_of_the_matrix_with_their_derivatives():
    robot, other = RNG.normal(size=(4, 3)), RNG.normal(size=(3, 3))
    i, j = np.repeat(np.arange(3), 2), np.tile(np.arange(2), 3)
    ends = robot[i], robot[i + 1], other[j], other[j + 1]
    found = topology.segment_writhe(*ends)
    np.testing.assert_allclose(
        found.angle.reshape(3, 2), topology.writhe_matrix(robot, other, normalized=False), rtol=1e-14
    )
    assert found.derivatives.shape == (6, 4, 3)
    np.testing.assert_allclose(found.derivatives.sum(axis=1), 0, atol=1e-12)
    for end in range(4):
        for k, e in enumerate(1e-6 * np.eye(3)):
            up, down = (
                topology.segment_writhe(*[p + sign * e if n == end else p for n, p in enumerate(ends)]).angle
                for sign in (1, -1)
            )
            np.testing.assert_allclose(found.derivatives[:, end, k], (up - down) / 2e-6, atol=1e-6)
    touching = topology.segment_writhe([[0, 0, 0]], [[1, 0, 0]], [[0, 0, 0]], [[0, 1, 0]])
    assert touching.angle[0] == 0 and not touching.derivatives.any()


@pytest.mark.parametrize("absolute", [False, True])
def test_every_form_is_a_sum_of_the_matrix_with_its_derivatives(absolute):
    robot, other = helix(1.3, 8), circle([0.1, 0, 0.4], [0.3, 0, 0], [0, 0.3, 0.1], 7)
    W = topology.writhe_matrix(robot, other, absolute=absolute)
    sums = dict(zip(FORMS, (W.ravel(), W.sum(axis=1), W.sum(axis=0), W.sum(keepdims=True).ravel())))
    direction = RNG.normal(size=robot.shape)
    for form in FORMS:
        found = topology.writhe(robot, other, form=form, absolute=absolute)
        np.testing.assert_allclose(found.values, sums[form], rtol=0, atol=1e-13)
        assert found.derivatives.shape == (len(sums[form]), 9, 3)
        up, down = (
            topology.writhe(robot + sign * 1e-6 * direction, other, form=form, absolute=absolute).values
            for sign in (1, -1)
        )
        slope = np.einsum("nkd,kd->n", found.derivatives, direction)
        np.testing.assert_allclose(slope, (up - down) / 2e-6, atol=1e-6)


def as_printed(points, edges):
    """Eqs. 4 and 5 as printed."""
    y = points.copy()
    for p in range(len(points)):
        mean, W = np.zeros(3), 0
        for first, second, weight, gap in edges:
            if p not in (first, second):
                continue
            r = points[second if p == first else first]
            u = weight / max(np.linalg.norm(r - points[p]) - gap, gap / 20)
            mean, W = mean + u * r, W + u
        if W > 0:
            y[p] -= mean / W
    return y


def test_laplace_coordinates_are_those_of_the_formula():
    robot, other = RNG.normal(size=(4, 3)), RNG.normal(size=(5, 3))
    full = topology.full_graph(4, 5)
    assert len(full) == 6 + 20 and full[0] == topology.MeshEdge(0, 1)
    near = topology.nearest_graph(robot, other, 2)
    assert len(near) < 26 and all(edge.first < 4 for edge in near)
    given = [topology.MeshEdge(0, 7, 2), topology.MeshEdge(3, 0, gap=0.4)]
    moved = RNG.normal(size=(4, 3, 2))
    for edges in (full, near, given):
        mesh = topology.InteractionMesh(4, 5, edges)
        assert mesh.edges == edges
        y = mesh(robot, other)
        np.testing.assert_allclose(y, as_printed(np.vstack((robot, other)), edges), atol=1e-13)
        again, J = mesh.value_and_jacobian(robot, other, moved)
        np.testing.assert_array_equal(again, y)
        for k in range(2):
            up, down = (mesh(robot + sign * 1e-6 * moved[:, :, k], other) for sign in (1, -1))
            np.testing.assert_allclose(J[:, :, k], (up - down) / 2e-6, atol=1e-6)


def test_maps_are_their_functions_of_the_points_with_exact_jacobians():
    for form in FORMS:
        w = topology.WritheMap(chain(), POLE, form=form)
        assert w.dim == 4
        np.testing.assert_allclose(w(POSTURE), topology.writhe(rods(POSTURE)[0], POLE, form=form).values, atol=1e-14)
        assert quoin.check_derivatives(w, POSTURE).passed
    mesh = topology.InteractionMeshMap(chain(), POLE)
    np.testing.assert_allclose(
        mesh(POSTURE).reshape(-1, 3), topology.InteractionMesh(5, 4)(rods(POSTURE)[0], POLE), atol=1e-14
    )
    assert quoin.check_derivatives(mesh, POSTURE).passed
    moved = POLE + [0, 0.3, 0]
    np.testing.assert_array_equal(w.among(moved)(POSTURE), topology.WritheMap(chain(), moved, form="scalar")(POSTURE))
    assert mesh.among(moved).mesh is mesh.mesh


def test_maps_of_tree_points_stand_under_grids_with_the_store_of_their_own(tmp_path):
    rigid_body = pytest.importorskip("quoin.rigid_body")
    try:
        iiwa = rigid_body.read_urdf(URDF)
    except RuntimeError as error:
        pytest.skip(str(error))
    points = rigid_body.TreePoints(iiwa, [f"iiwa_link_{i}" for i in range(1, 8)])
    q = np.array([0.2, 0.7, -0.3, -1.0, 0.4, 0.5, 0.1])
    np.testing.assert_array_equal(points.map(q).reshape(-1, 3), points(q))
    pole = np.array([[0.4, -0.4, 0.5], [0.4, 0.4, 0.6]])
    writhe = topology.WritheMap(points, pole)
    y, J = writhe.value_and_jacobian(q)
    flat = points.value_and_jacobian(q)[1].reshape(21, 7)
    by_points = topology.writhe(points(q), pole).derivatives.reshape(6, 21)
    np.testing.assert_allclose(J, by_points @ flat, atol=1e-13)

    slice_ = quoin.restrict_to(writhe, [3, 0], q)
    np.testing.assert_array_equal(slice_([-1.0, 0.2]), y)
    np.testing.assert_array_equal(slice_.value_and_jacobian([-1.0, 0.2])[1], J[:, [3, 0]])
    assert slice_.fingerprint.startswith("restrict_to ")
    assert writhe.fingerprint == topology.WritheMap(points, pole).fingerprint
    assert writhe.fingerprint != writhe.among(pole + 1e-6).fingerprint
    assert topology.WritheMap(chain(), POLE).fingerprint is None

    store = tmp_path / "writhe.quoin"
    grid = quoin.AdaptiveGrid(slice_, spacing=[0.1, 0.1], store=store)
    near = grid([-0.97, 0.23])
    assert np.abs(near - slice_([-0.97, 0.23])).max() < 1e-4
    del grid
    gc.collect()
    again = quoin.AdaptiveGrid(slice_, spacing=[0.1, 0.1], store=store)
    np.testing.assert_array_equal(again([-0.97, 0.23]), near)
    assert again.statistics.exact_evaluations == 0
    with pytest.raises(ValueError, match="axis 7 of a map of 7"):
        quoin.restrict_to(writhe, [7], q)
    with pytest.raises(ValueError, match="axis 1 is named twice"):
        quoin.restrict_to(writhe, [1, 1], q)


def test_maps_over_a_grid_answer_where_the_grid_does():
    grid = quoin.AdaptiveGrid(chain(), spacing=[0.3] * 4, lower=[-0.6] * 4, upper=[0.6] * 4)
    writhe = topology.WritheMap(grid.at_level(0), POLE, form="scalar")
    assert abs(writhe(POSTURE) - topology.WritheMap(chain(), POLE, form="scalar")(POSTURE))[0] < 1e-3
    assert quoin.Trust.exact != writhe.query(POSTURE).trust
    with pytest.raises(quoin.DomainError):
        writhe([0.7, 0, 0, 0])
    assert writhe.query([0.7, 0, 0, 0]).y is None


def test_a_plan_winds_the_rods_around_the_pole():
    planning = pytest.importorskip("quoin.planning")
    writhe = topology.WritheMap(chain(), POLE, form="scalar")
    step = quoin.LinearDynamics(np.eye(4), 0.1 * np.eye(4))
    start = np.array([-0.6, 0.1, 0.2, 0.1])
    goal = writhe(start) + 0.2
    plan = planning.ilqr(
        step,
        [planning.QuadraticCost(control=[0.01] * 4), planning.MapCost(writhe, goal, 30.0, first=20)],
        start=start,
        guess=np.zeros((20, 4)),
    )
    assert plan.converged
    assert writhe(plan.states[-1])[0] == pytest.approx(goal[0], abs=0.01)


def test_mistakes_are_told_with_their_numbers():
    with pytest.raises(ValueError, match="chains of 1 and 2 points"):
        topology.writhe_matrix([[0, 0, 0]], [[0, 0, 0], [0, 0, 1]])
    with pytest.raises(ValueError, match="chains of 5 and 1 points"):
        topology.WritheMap(chain(), [[0, 0, 0]])
    with pytest.raises(ValueError, match="'turns'"):
        topology.WritheMap(chain(), POLE, form="turns")
    with pytest.raises(ValueError, match=r"environment: shape \(4, 2\)"):
        topology.WritheMap(chain(), POLE[:, :2])
    with pytest.raises(ValueError, match="2, 1, 1 and 1 ends"):
        topology.segment_writhe(np.zeros((2, 3)), [[1, 0, 0]], [[0, 0, 0]], [[0, 1, 0]])
    with pytest.raises(ValueError, match="from 0 to 3"):
        topology.InteractionMesh(2, 1, [topology.MeshEdge(0, 3)])
    with pytest.raises(ValueError, match="5 and 4 points, wanted 3 and 4"):
        topology.InteractionMeshMap(chain(), POLE, topology.InteractionMesh(3, 4))
    with pytest.raises(TypeError, match="a list"):
        topology.WritheMap([1, 2], POLE)
    with pytest.raises(ValueError, match="a map of 2 outputs"):
        topology.WritheMap(quoin.FunctionMap(lambda x: (x, np.eye(2)), 2, 2), POLE)
    with pytest.raises(ValueError, match=r"points of shape \(5, 3\)"):
        topology.WritheMap(topology.PointMap(rods, 4, 6), POLE)(POSTURE)
    with pytest.raises(ZeroDivisionError):
        topology.WritheMap(topology.PointMap(lambda q: 1 / 0, 4, 6), POLE)(POSTURE)
