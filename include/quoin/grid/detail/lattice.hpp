// SPDX-License-Identifier: BSD-3-Clause
// A query's first step: from the point to the cell that holds it, and from a corner to its key.
#pragma once

#include "quoin/map/point.hpp"
#include "quoin/util/errors.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace quoin::grid_detail {

/// A corner's integer position on the deepest lattice: x = origin + spacing * address * 2^-deepest_level, per axis.
template <int Dim>
using Address = std::array<std::int64_t, std::size_t{Dim}>;

/// An address packed into 128 bits. Two corners are the same if and only if their keys are equal.
struct LatticeKey {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend auto operator<=>(const LatticeKey&, const LatticeKey&) = default;

  /// Two products of 64 by 64 bits, folded: a query waits for them.
  std::size_t hash() const {
    __extension__ using Wide = unsigned __int128;
    const auto fold = [](std::uint64_t a, std::uint64_t b) {
      const Wide product = Wide{a} * b;
      return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    };
    return fold(fold(low ^ 0xbf58476d1ce4e5b9u, high ^ 0x94d049bb133111ebu) ^ 0x9e3779b97f4a7c15u, 0xd6e8feb86659fd93u);
  }
};

/// The position of a point: the lower corner of its cell at one level, and its place in the cell.
template <int Dim>
struct CellPosition {
  Address<Dim> lower;  ///< address of the cell's lower corner
  Point<Dim> t;        ///< in [0, 1]^Dim, but for rounding
  bool inside = true;  ///< false if the point lies outside the domain (or is not finite); then nothing else is set
};

/// The integer lattices of all levels, and the conversion between points and addresses.
///
/// Invariants: keys come from integers alone, never back from coordinates; every address that leaves this class lies
/// within the domain and within the key's range of 128/Dim bits an axis (62 at most). Along a periodic axis, whose
/// period is the domain, the upper bound's corners are those of the lower one, and have its address.
template <int Dim>
class Lattice {
 public:
  static_assert(1 <= Dim && Dim <= 6, "a lattice has 1 to 6 dimensions; slice larger maps with restrict_to");
  static constexpr int bits = Dim <= 2 ? 62 : 128 / Dim;
  static constexpr std::int64_t min_address = -(std::int64_t{1} << (bits - 1));
  static constexpr std::int64_t max_address = (std::int64_t{1} << (bits - 1)) - 1;

  /// Throws std::invalid_argument if the spacing is not positive, a bound is no lattice point of level 0, the domain
  /// is empty or larger than the range of the keys, or less than two cells along a periodic axis.
  Lattice(const Point<Dim>& origin, const Point<Dim>& spacing, const Point<Dim>& lower, const Point<Dim>& upper,
          int deepest_level, const std::array<bool, std::size_t{Dim}>& periodic = {})
      : origin_(origin),
        spacing_(spacing),
        unit_(spacing * std::ldexp(1.0, -deepest_level)),
        cells_per_unit_(spacing.cwiseInverse()),
        deepest_level_(deepest_level),
        periodic_(periodic),
        has_periods_(std::ranges::find(periodic, true) != periodic.end()) {
    if (deepest_level < 0 || deepest_level > bits - 2)
      throw std::invalid_argument("GridOptions::deepest_level = " + to_text(deepest_level) + " is not in 0.." +
                                  to_text(bits - 2));
    for (unsigned i = 0; i < Dim; ++i) {
      if (!(spacing[i] > 0) || !std::isfinite(spacing[i]))
        throw std::invalid_argument(named("spacing", i, spacing[i]) + " is not positive and finite");
      if (spacing[i] < min_spacing || spacing[i] > max_spacing)
        throw std::invalid_argument(named("spacing", i, spacing[i]) + " is not in " + to_text(min_spacing) + " .. " +
                                    to_text(max_spacing) + "; use another unit");
      if (!std::isfinite(origin[i])) throw std::invalid_argument(named("origin", i, origin[i]) + " is not finite");
      if (!(lower[i] < upper[i]))
        throw std::invalid_argument(named("lower", i, lower[i]) + " is not below upper = " + to_text(upper[i]));
      if (periodic[i] && !(std::isfinite(lower[i]) && std::isfinite(upper[i])))
        throw std::invalid_argument("GridOptions::periodic[" + to_text(i) + "]: the period is upper - lower, from " +
                                    to_text(lower[i]) + " to " + to_text(upper[i]));
      lower_[i] = bound("lower", i, lower[i], min_address);
      upper_[i] = bound("upper", i, upper[i], max_address);
      if (periodic[i] && upper_[i] - lower_[i] < 2 * stride(0))
        throw std::invalid_argument(named("spacing", i, spacing[i]) + ": a period, here " +
                                    to_text(upper[i] - lower[i]) + ", has at least two cells");
    }
  }

  int deepest_level() const { return deepest_level_; }
  /// The number of levels, 0 to the deepest.
  std::size_t levels() const { return static_cast<std::size_t>(deepest_level_) + 1; }
  Point<Dim> spacing(int level) const { return spacing_ * std::ldexp(1.0, -level); }

  /// Address units in one cell edge of a level.
  std::int64_t stride(int level) const { return std::int64_t{1} << (deepest_level_ - level); }

  /// The cell of a coarser level around a cell: their lower corners.
  Address<Dim> around(int level, Address<Dim> lower) const {
    for (std::int64_t& i : lower) i &= ~(stride(level) - 1);
    return lower;
  }

  /// The cell of a level that holds x. The upper face of the domain belongs to the last cell. A point that is within
  /// rounding of a lattice point belongs to the cells of that lattice point, and its place may then be outside [0, 1]
  /// by as much; the place itself is not rounded.
  CellPosition<Dim> locate(const Point<Dim>& x, int level) const {
    if (has_periods_) [[unlikely]]
      return locate_within(within_period(x), level);
    return locate_within(x, level);
  }

  /// The same point of the period from the lower bound on, along periodic axes.
  Point<Dim> within_period(Point<Dim> x) const {
    for (unsigned i = 0; i < Dim; ++i) {
      if (!periodic_[i]) continue;
      const double first = coordinate(i, static_cast<double>(lower_[i]));
      const double period = coordinate(i, static_cast<double>(upper_[i])) - first;
      x[i] -= std::floor((x[i] - first) / period) * period;
    }
    return x;
  }
  /// The nearest point of the domain. x: finite.
  Point<Dim> nearest(const Point<Dim>& x) const {
    Point<Dim> clamped = x.cwiseMax(lower()).cwiseMin(upper());
    for (unsigned i = 0; i < Dim; ++i)
      if (periodic_[i]) clamped[i] = x[i];
    return clamped;
  }

  /// The one address of a corner, which may be given as that of the upper bound of a periodic axis, or beyond.
  Address<Dim> wrapped(Address<Dim> address) const {
    for (std::size_t i = 0; i < Dim && has_periods_; ++i)
      if (periodic_[i]) address[i] = lower_[i] + offset(i, lower_[i], address[i]);
    return address;
  }
  /// How far a corner lies above another along an axis, in address units; less than a period.
  std::int64_t offset(std::size_t axis, std::int64_t from, std::int64_t to) const {
    if (!periodic_[axis]) return to - from;
    const std::int64_t period = upper_[axis] - lower_[axis], beyond = (to - from) % period;
    return beyond < 0 ? beyond + period : beyond;
  }
  bool periodic(std::size_t axis) const { return periodic_[axis]; }

  /// Of the corners of a level's cell that holds x the nearest. x: in the domain.
  Address<Dim> nearest_corner(const Point<Dim>& x, int level) const {
    const CellPosition<Dim> position = locate(x, level);
    Address<Dim> address = position.lower;
    for (unsigned i = 0; i < Dim; ++i)
      if (position.t[i] > 0.5) address[i] += stride(level);
    return wrapped(address);
  }

  /// Of the other cells of that level that hold x as well, which lies on faces of the one that locate() gives, the
  /// first that is accepted; those across one face come first.
  template <class Accept>
  std::optional<CellPosition<Dim>> find_beside(const Point<Dim>& x, int level, const CellPosition<Dim>& position,
                                               const Accept& accept) const {
    const Point<Dim> off_by = rounding(x).cwiseQuotient(spacing(level)).cwiseMin(most_rounding);
    for (int faces = 1; faces <= Dim; ++faces)
      for (unsigned across = 1; across < 1u << Dim; ++across) {
        if (std::popcount(across) != faces) continue;
        CellPosition<Dim> other = position;
        for (unsigned i = 0; i < Dim && other.inside; ++i) {
          if ((across >> i & 1) == 0) continue;
          other.lower[i] -= stride(level);
          other.t[i] += 1;
          other.inside = position.t[i] <= off_by[i] && (periodic_[i] || other.lower[i] >= lower_[i]);
        }
        other.lower = wrapped(other.lower);
        if (other.inside && accept(other)) return other;
      }
    return std::nullopt;
  }

  /// Throws DomainError with the coordinate and the bound that it violates. column: of a matrix of points; -1: x is a
  /// point alone.
  [[noreturn]] void throw_outside(const Point<Dim>& x, const char* who, std::ptrdiff_t column = -1) const {
    const std::string prefix = "AdaptiveGrid<" + to_text(Dim) + ">::" + who + ": ";
    const Point<Dim> low = lower(), high = upper();
    for (int i = 0; i < Dim; ++i) {
      const std::string axis = "[" + to_text(i) + "]";
      const std::string place = column < 0 ? "x" + axis : "X(" + to_text(i) + ", " + to_text(column) + ")";
      const std::string coordinate = prefix + place + " = " + to_text(x[i]);
      if (!std::isfinite(x[i])) throw DomainError(coordinate + " is not finite");
      if (periodic_[static_cast<std::size_t>(i)]) continue;
      if (x[i] < low[i]) throw DomainError(coordinate + " is below lower" + axis + " = " + to_text(low[i]));
      if (x[i] > high[i]) throw DomainError(coordinate + " is above upper" + axis + " = " + to_text(high[i]));
    }
    throw DomainError(prefix + "x lies outside the domain");
  }

  /// How far a coordinate of a lattice point may be off: by the rounding of its product with the spacing, and of its
  /// sum with the origin.
  Point<Dim> rounding(const Point<Dim>& x) const {
    return 4 * std::numeric_limits<double>::epsilon() * (x.cwiseAbs() + origin_.cwiseAbs());
  }

  /// The lattice point of the domain, of any level, that x is but for rounding.
  std::optional<Address<Dim>> find(const Point<Dim>& given) const {
    const Point<Dim> x = has_periods_ ? within_period(given) : given;
    Address<Dim> address;
    const Point<Dim> off_by = rounding(x);
    for (unsigned i = 0; i < Dim; ++i) {
      int level = 0;
      for (;; ++level) {
        if (level > deepest_level_) return std::nullopt;
        const double cells = cells_per_unit_[i] * std::ldexp(1.0, level), u = (x[i] - origin_[i]) * cells;
        const double first = static_cast<double>(lower_[i] >> (deepest_level_ - level));
        const double last = static_cast<double>(upper_[i] >> (deepest_level_ - level));
        const double nearest = std::nearbyint(u);
        if (!(nearest >= first && nearest <= last) || off_by[i] * cells > most_rounding) return std::nullopt;
        if (std::abs(u - nearest) > off_by[i] * cells) continue;
        address[i] = static_cast<std::int64_t>(nearest) * stride(level);
        break;
      }
    }
    return wrapped(address);
  }

  Point<Dim> point(const Address<Dim>& address) const {
    Point<Dim> x;
    for (unsigned i = 0; i < Dim; ++i) x[i] = coordinate(i, static_cast<double>(address[i]));
    return x;
  }

  /// The corners of a cell: bit i of their number tells the side along axis i.
  std::array<Address<Dim>, std::size_t{1} << Dim> cell_corners(int level, const Address<Dim>& lower) const {
    std::array<Address<Dim>, std::size_t{1} << Dim> corners;
    for (unsigned c = 0; c < corners.size(); ++c) {
      for (std::size_t i = 0; i < Dim; ++i) corners[c][i] = lower[i] + (c >> i & 1) * stride(level);
      if (has_periods_) corners[c] = wrapped(corners[c]);
    }
    return corners;
  }

  /// Whether the domain has that cell.
  bool has_cell(int level, const Address<Dim>& lower) const {
    for (unsigned i = 0; i < Dim; ++i)
      if (lower[i] < lower_[i] || lower[i] + stride(level) > upper_[i]) return false;
    return true;
  }

  Point<Dim> centre(int level, const Address<Dim>& lower) const { return point(lower) + spacing(level) / 2; }

  /// The first level that has a lattice point there.
  int coarsest_level(const Address<Dim>& address) const {
    int level = 0;
    for (const std::int64_t i : address)
      if (i != 0) level = std::max(level, deepest_level_ - std::countr_zero(static_cast<std::uint64_t>(i)));
    return level;
  }

  /// visit(level, address) for the centres of a cell and of its descendants, down to `generations` below it: corners of
  /// the level below theirs. There are fewer near the deepest level, and none at it.
  template <class Visitor>
  void for_each_centre_below(int level, const Address<Dim>& lower, int generations, Visitor&& visit) const {
    for (int g = 1; g <= generations && level + g <= deepest_level_; ++g)
      for (int place = 0; place < 1 << (Dim * (g - 1)); ++place) {
        Address<Dim> address = lower;
        int rest = place;  // g - 1 bits per axis
        for (std::int64_t& i : address) {
          i += (2 * (rest & ((1 << (g - 1)) - 1)) + 1) * stride(level + g);
          rest >>= g - 1;
        }
        visit(level + g, address);
      }
  }

  /// Domain bounds as points; an axis without bounds ends where the keys end.
  Point<Dim> lower() const { return point(lower_); }
  Point<Dim> upper() const { return point(upper_); }

  const Address<Dim>& lower_address() const { return lower_; }
  const Address<Dim>& upper_address() const { return upper_; }

  static LatticeKey key(const Address<Dim>& address) {
    __extension__ using Wide = unsigned __int128;
    Wide packed = 0;
    for (const std::int64_t i : address)
      packed = (packed << bits) | static_cast<Wide>(static_cast<std::uint64_t>(i - min_address));
    return {.high = static_cast<std::uint64_t>(packed >> 64), .low = static_cast<std::uint64_t>(packed)};
  }

  /// The address that has this key.
  static Address<Dim> address(const LatticeKey& key) {
    __extension__ using Wide = unsigned __int128;
    Wide packed = (static_cast<Wide>(key.high) << 64) | key.low;
    Address<Dim> address;
    for (std::size_t i = Dim; i-- > 0; packed >>= bits)
      address[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(packed) & ((std::uint64_t{1} << bits) - 1)) +
                   min_address;
    return address;
  }

 private:
  static constexpr double bound_slack = 1e-9;    // of a cell of level 0: how far a bound may be from a lattice point
  static constexpr double most_rounding = 1e-3;  // of a cell: coordinates that are rounded more have no lattice points
  // Powers of the edges of all levels stay within the range of doubles.
  static constexpr double min_spacing = 1e-50, max_spacing = 1e50;

  CellPosition<Dim> locate_within(const Point<Dim>& x, int level) const {
    CellPosition<Dim> position;
    const double scale = std::ldexp(1.0, level);
    for (unsigned i = 0; i < Dim; ++i) {
      const double cells = cells_per_unit_[i] * scale;  // of x
      double u = (x[i] - origin_[i]) * cells;
      const double nearest = std::nearbyint(u);
      const double rounding =
          4 * std::numeric_limits<double>::epsilon() * (std::abs(x[i]) + std::abs(origin_[i])) * cells;
      if (std::abs(u - nearest) <= std::min(rounding, most_rounding)) u = nearest;
      const double first = static_cast<double>(lower_[i] >> (deepest_level_ - level));
      const double last = static_cast<double>(upper_[i] >> (deepest_level_ - level));
      // Bounds were accepted if they were this close to a lattice point: they belong to the domain.
      const double slack = bound_slack * scale;
      if (!(u >= first - slack && u <= last + slack)) {
        position.inside = false;
        return position;
      }
      const double cell = std::clamp(std::floor(u), first, last - 1);
      position.lower[i] = static_cast<std::int64_t>(cell) * stride(level);
      // Measured from the nearer corner, the very point at which f was called: there the place is exactly 0 or 1,
      // however far the corner is from zero.
      const double upper = u - cell > 0.5;
      const double corner = coordinate(i, (cell + upper) * static_cast<double>(stride(level)));
      position.t[i] = upper + (x[i] - corner) * cells;
    }
    return position;
  }

  double coordinate(unsigned axis, double address) const {
    // Never contracted into one operation: a corner must have the same coordinate everywhere, to the bit.
    const volatile double from_origin = unit_[axis] * address;
    return origin_[axis] + from_origin;
  }

  static std::string named(const char* option, unsigned axis, double value) {
    return std::string("GridOptions::") + option + "[" + to_text(axis) + "] = " + to_text(value);
  }

  std::int64_t bound(const char* option, unsigned axis, double value, std::int64_t open_end) const {
    const std::int64_t level0 = stride(0);
    if (std::isinf(value)) return open_end / level0 * level0;
    const double cells = (value - origin_[axis]) / spacing_[axis];
    const double nearest = std::nearbyint(cells);
    const double rounding =
        4 * std::numeric_limits<double>::epsilon() * (std::abs(value) + std::abs(origin_[axis])) / spacing_[axis];
    if (!(std::abs(cells - nearest) <= std::max(bound_slack, rounding)))
      throw std::invalid_argument(named(option, axis, value) + " is no lattice point of level 0; the nearest is " +
                                  to_text(origin_[axis] + spacing_[axis] * nearest));
    if (std::abs(nearest) > std::ldexp(1.0, bits - 1 - deepest_level_) - 1)
      throw std::invalid_argument(
          named(option, axis, value) + " is " + to_text(nearest) +
          " spacings from the origin, beyond the range of the keys at deepest_level = " + to_text(deepest_level_));
    return static_cast<std::int64_t>(nearest) * level0;
  }

  Point<Dim> origin_;
  Point<Dim> spacing_;
  Point<Dim> unit_;            // of an address
  Point<Dim> cells_per_unit_;  // of level 0
  int deepest_level_;
  std::array<bool, std::size_t{Dim}> periodic_;  // along which axes
  bool has_periods_;                             // along any
  Address<Dim> lower_;
  Address<Dim> upper_;
};

}  // namespace quoin::grid_detail
