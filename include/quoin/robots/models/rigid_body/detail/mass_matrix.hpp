// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/rigid_body/detail/column_masks.hpp"
#include "quoin/robots/models/rigid_body/detail/derivatives.hpp"

#include <algorithm>
#include <vector>

/// Composite rigid bodies (Featherstone 2008, section 6.2), in world axes, with what each link does alone done for
/// eight links at once.
namespace quoin::rigid_body::detail {

/// Eight bodies in the axes of their links, component by component, and ones where the joint turns.
struct alignas(64) BodyPack {
  double mass[pack_size], h[3 * pack_size], inertia[9 * pack_size], turns[pack_size];
};

/// Eight links in world axes, component by component.
template <class T>
struct alignas(64) LinkPack {
  T rotation[9 * pack_size], origin[3 * pack_size];
  T mass[pack_size], h[3 * pack_size], inertia[9 * pack_size];  ///< of the body; then of all that the joint carries
  T S[6 * pack_size];                                           ///< the joint's screw
  T column[3 * pack_size], row[3 * pack_size], force[3 * pack_size];  ///< I S and I^T S: moments, and the force of both
};

template <class T>
QUOIN_INLINE Vector3<T> lane(const T* at) {
  return {at[0], at[pack_size], at[2 * pack_size]};
}
template <class T>
QUOIN_INLINE Matrix3<T> lane_matrix(const T* at) {
  return {lane(at), lane(at + 3 * pack_size), lane(at + 6 * pack_size)};
}
template <class T>
QUOIN_INLINE void put_lane(const Matrix3<T>& m, T* at) {
  put_lane(m.x, at);
  put_lane(m.y, at + 3 * pack_size);
  put_lane(m.z, at + 6 * pack_size);
}

inline std::vector<BodyPack> packed(const std::vector<Segment>& segments, const std::vector<Body<double>>& bodies) {
  std::vector<BodyPack> packs((bodies.size() + pack_size - 1) / pack_size, BodyPack{});
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    BodyPack& pack = packs[i / pack_size];
    const std::size_t k = i % pack_size;
    pack.mass[k] = bodies[i].mass;
    put_lane(bodies[i].h, pack.h + k);
    put_lane(bodies[i].inertia, pack.inertia + k);
    pack.turns[k] = segments[i].prismatic ? 0 : 1;
  }
  return packs;
}

template <class T>
QUOIN_INLINE void move_to_world(const BodyPack& __restrict bodies, LinkPack<T>& __restrict links) {
  for (int k = 0; k < pack_size; ++k) {
    const Place<T> place{lane_matrix(links.rotation + k), lane(links.origin + k)};
    const Body<double> body{bodies.mass[k], lane(bodies.h + k), lane_matrix(bodies.inertia + k)};
    const Body<T> world = body_in_world(body, place);
    links.mass[k] = world.mass;
    put_lane(world.h, links.h + k);
    put_lane(world.inertia, links.inertia + k);
    const Vector3<T>& axis = place.rotation.z;
    const double turns = bodies.turns[k];
    put_lane(turns * axis, links.S + k);
    put_lane(turns * cross(place.origin, axis) + (1 - turns) * axis, links.S + 3 * pack_size + k);
  }
}

template <class T>
QUOIN_INLINE void multiply_screws(LinkPack<T>& links) {
  for (int k = 0; k < pack_size; ++k) {
    const Vector3<T> angular = lane(links.S + k), linear = lane(links.S + 3 * pack_size + k), h = lane(links.h + k);
    const Matrix3<T> inertia = lane_matrix(links.inertia + k);
    const Vector3<T> pull = cross(h, linear);
    put_lane(inertia * angular + pull, links.column + k);
    put_lane(transpose_times(inertia, angular) + pull, links.row + k);
    put_lane(links.mass[k] * linear + cross(angular, h), links.force + k);
  }
}

/// Eight entries of a column: those of joints that carry its own feel its wrench, for those below it moves them.
template <bool felt, bool moved, class T>
QUOIN_INLINE void fill_mass_column(const LinkPack<T>& links, const T* carriers, const T* below, const Twist<T>& S,
                                   const Wrench<T>& column, T* __restrict out) {
  for (int k = 0; k < pack_size; ++k) {
    const T *S_row = links.S + k, *row = links.row + k, *force = links.force + k;
    if constexpr (!moved)
      out[k] = carriers[k] * row_dot(S_row, column.moment, column.force);
    else if constexpr (!felt)
      out[k] = below[k] * (row_dot(row, S.angular) + row_dot(force, S.linear));
    else
      out[k] = carriers[k] * row_dot(S_row, column.moment, column.force) +
               below[k] * (row_dot(row, S.angular) + row_dot(force, S.linear));
  }
}

/// M: n x n, column-major, `stride` apart. links: a pack for each of bodies.
template <class T>
void composite_bodies(const std::vector<Segment>& segments, const std::vector<BodyPack>& bodies,
                      const ColumnMasks<T>& masks, const T* sine, const T* cosine, const T* q, const Place<T>& world,
                      LinkPack<T>* links, T* M, int stride) {
  const int n = static_cast<int>(segments.size()), packs = static_cast<int>(bodies.size());
  for (int i = 0; i < n; ++i) {
    const Segment& segment = segments[static_cast<std::size_t>(i)];
    const int parent = segment.parent - 1, at = parent % pack_size;
    const LinkPack<T>& carrier = links[parent / pack_size];
    const Place<T> place =
        place_of(segment, sine[i], cosine[i], q[i],
                 parent < 0 ? world : Place<T>{lane_matrix(carrier.rotation + at), lane(carrier.origin + at)});
    put_lane(place.rotation, links[i / pack_size].rotation + i % pack_size);
    put_lane(place.origin, links[i / pack_size].origin + i % pack_size);
  }
  for (int p = 0; p < packs; ++p) move_to_world(bodies[static_cast<std::size_t>(p)], links[p]);
  for (int i = n; i-- > 0;) {
    const int parent = segments[static_cast<std::size_t>(i)].parent - 1;
    if (parent < 0) continue;
    const LinkPack<T>& own = links[i / pack_size];
    LinkPack<T>& to = links[parent / pack_size];
    const int k = i % pack_size, m = parent % pack_size;
    to.mass[m] += own.mass[k];
    for (int c = 0; c < 3; ++c) to.h[c * pack_size + m] += own.h[c * pack_size + k];
    for (int c = 0; c < 9; ++c) to.inertia[c * pack_size + m] += own.inertia[c * pack_size + k];
  }
  for (int p = 0; p < packs; ++p) multiply_screws(links[p]);
  for (int i = 0; i < n; ++i) {
    const LinkPack<T>& own = links[i / pack_size];
    const int k = i % pack_size;
    const Twist<T> S{lane(own.S + k), lane(own.S + 3 * pack_size + k)};
    const Wrench<T> column{lane(own.column + k), lane(own.force + k)};
    T* to = M + i * stride;
    for (int p = 0, first = 0; p < packs; ++p, first += pack_size) {
      const Meeting meeting = masks.meetings[static_cast<std::size_t>(p * n + i)];
      const std::size_t at = static_cast<std::size_t>(i * packs + p);
      const T *carriers = masks.carriers[at].at, *below = masks.below[at].at;
      // A pack may reach into the next columns, which are written after this one.
      const int here = std::min(pack_size, n - first);
      const bool fits = here == pack_size || (stride == n && i * n + first + pack_size <= n * n);
      T last[pack_size];
      T* const out = fits ? to + first : last;
      if (meeting.carried && meeting.carries)
        fill_mass_column<true, true>(links[p], carriers, below, S, column, out);
      else if (meeting.carried)
        fill_mass_column<true, false>(links[p], carriers, below, S, column, out);
      else if (meeting.carries)
        fill_mass_column<false, true>(links[p], carriers, below, S, column, out);
      else
        std::fill(out, out + pack_size, T(0.0));
      if (!fits) std::copy(last, last + here, to + first);
    }
  }
}

}  // namespace quoin::rigid_body::detail
