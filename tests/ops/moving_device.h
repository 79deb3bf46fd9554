// The computing device's products, moves and random numbers, computed element by element as
// docs/concepts/device_plugin.md describes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "ops/computing_device.h"
#include "opwright/ops/engine/random/philox.h"

namespace opwright::testing {

class MovingDevice {
 public:
  // Counts of operations.
  static inline int64_t products = 0;
  static inline int64_t moves = 0;
  static inline int64_t draws = 0;
  static inline OpwProduct product{};        // the last one
  static inline std::vector<int64_t> sizes;  // of the last move
  static inline DType dtype{};               // of the last move
  static inline OpwRandom random{};          // the last one
  static inline int32_t index = -1;
  static inline OpwStream* stream = nullptr;

  // Call it before the device is first used.
  static bool add_to_table() {
    OpwDeviceTable& table = ComputingDevice::table();
    table.compute_product = [](const OpwHost* host, int32_t at, const OpwProduct* work,
                               OpwStream* on) {
      return give_status(host, [&] {
        note(at, on);
        ++products;
        product = *work;
        for_dtype(from_dlpack(work->dtype), "computing", [&]<typename T>() { multiply<T>(*work); });
      });
    };
    table.move_elements = [](const OpwHost* host, int32_t at, const OpwMove* work, OpwStream* on) {
      return give_status(host, [&] {
        note(at, on);
        ++moves;
        sizes.assign(work->sizes, work->sizes + work->rank);
        dtype = from_dlpack(work->result.dtype);
        for_dtype(dtype, "computing", [&]<typename T>() { move<T>(*work); });
      });
    };
    table.draw_random = [](const OpwHost* host, int32_t at, const OpwRandom* work, OpwStream* on) {
      return give_status(host, [&] {
        note(at, on);
        ++draws;
        random = *work;
        draw(*work);
      });
    };
    return true;
  }

 private:
  static void note(int32_t at, OpwStream* on) {
    index = at;
    stream = on;
  }

  // ---- products

  template <class T>
  static T* place(const OpwMatrix& matrix, int64_t batch, int64_t row, int64_t column) {
    return static_cast<T*>(matrix.data) + batch * matrix.batch + row * matrix.row +
           column * matrix.column;
  }

  template <class T>
  static void multiply(const OpwProduct& by) {
    using C = ComputeType<T>;
    for_each_index({by.batch, by.rows, by.columns}, [&](const std::vector<int64_t>& at) {
      C sum{};
      for (int64_t k = 0; k < by.depth; ++k)
        sum = wrap_add(sum, wrap_mul(convert_number<C>(*place<T>(by.left, at[0], at[1], k)),
                                     convert_number<C>(*place<T>(by.right, at[0], k, at[2]))));
      T* to = place<T>(by.result, at[0], at[1], at[2]);
      sum = wrap_mul(sum, convert_number<C>(by.alpha));
      if (by.beta != 0)
        sum = wrap_add(sum, wrap_mul(convert_number<C>(*to), convert_number<C>(by.beta)));
      *to = convert_number<T>(sum);
    });
  }

  // ---- moves

  static int64_t index_offset(const OpwMove& by, const std::vector<int64_t>& at) {
    int64_t offset = 0;
    for (uint32_t i = 0; i < by.num_indices; ++i) {
      const OpwIndex& each = by.indices[i];
      auto value = read_operand<int64_t>(each.value, offset_of(each.value, at));
      if (value < 0) value += each.size;
      if (value < 0 || value >= each.size)
        throw Error("IndexError", "an index is out of range on the computing device");
      offset += value * each.step;
    }
    return offset;
  }

  template <class T>
  static void move(const OpwMove& by) {
    for_each_index(sizes, [&](const std::vector<int64_t>& at) {
      const int64_t moved = index_offset(by, at);
      const bool gathers = by.kind == kOpwMoveGather;
      const int64_t from = (by.source.data ? offset_of(by.source, at) : 0) + (gathers ? moved : 0);
      T& to = static_cast<T*>(by.result.data)[offset_of(by.result, at) + (gathers ? 0 : moved)];
      const T value = by.source.data ? static_cast<const T*>(by.source.data)[from]
                                     : number_as<T>(ValueOf<Scalar>::read(by.source.number));
      using C = ComputeType<T>;
      to = by.kind == kOpwMoveAdd
               ? convert_number<T>(wrap_add(convert_number<C>(to), convert_number<C>(value)))
               : value;
    });
  }

  // ---- random numbers

  struct Words {
    const OpwRandom& by;
    int64_t each;  // words per element

    [[nodiscard]] uint32_t operator()(int64_t k, int64_t i) const {
      const int64_t lane = i % 64;
      const auto counter = by.first + static_cast<uint64_t>(16 * (i / 64 * each + k) + lane % 16);
      const PhiloxBlock block =
          philox({static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32), 0, 0},
                 static_cast<uint32_t>(by.seed), static_cast<uint32_t>(by.seed >> 32));
      return block.words[lane / 16];
    }
  };

  template <class C>
  static C number(const OpwRandom& by, int64_t i) {
    const OpwValue& value = by.numbers[i];
    if (value.tag == kOpwFloat) return static_cast<C>(value.as_double);
    return static_cast<C>(value.as_int);
  }

  // In [0, 1) from two words, and in (0, 1] from one or two.
  static double below_one(const Words& words, int64_t i) {
    return words(1, i) * 0x1p-32 + (words(0, i) >> 11) * 0x1p-53;
  }
  template <class C>
  static C above_zero(const Words& words, int64_t i) {
    if constexpr (std::is_same_v<C, double>) return below_one(words, i) + 0x1p-53;
    return static_cast<C>(words(0, i) >> 1) * C(0x1p-31) + C(0x1p-32);
  }

  template <class C>
  static C draw_float(const OpwRandom& by, int64_t i) {
    const std::string_view name = by.distribution;
    constexpr bool kIsDouble = std::is_same_v<C, double>;
    const Words words{by, kIsDouble ? 2 : 1};
    if (name == "uniform") {
      const auto bits = number<int64_t>(by, 3);
      C value = kIsDouble ? static_cast<C>(below_one(words, i)) * number<C>(by, 1)
                          : static_cast<C>(words(0, i) >> (32 - bits)) *
                                (number<C>(by, 1) * static_cast<C>(std::ldexp(1, -int(bits))));
      return std::min(value + number<C>(by, 0), number<C>(by, 2));
    }
    if (name == "exponential") {
      const C least = kIsDouble ? C(0x1p-54) : C(0x1p-26);
      return std::max(-std::log(above_zero<C>(words, i)), least) * number<C>(by, 0);
    }
    if (name != "normal") throw Error("ValueError", "there is no such distribution");
    const int64_t near = i % 64 < 32 ? i : i - 32;
    const C radius = std::sqrt(C(-2) * std::log(above_zero<C>(words, near))) * number<C>(by, 1);
    const double turns =
        (kIsDouble ? words(1, near + 32) + words(0, near + 32) * 0x1p-32 : words(0, near + 32)) *
        0x1p-32;
    const double angle = 2 * std::numbers::pi * turns;
    return radius * static_cast<C>(near == i ? std::cos(angle) : std::sin(angle)) +
           number<C>(by, 0);
  }

  static int64_t draw_int(const OpwRandom& by, int64_t i) {
    if (std::string_view(by.distribution) == "bernoulli")
      return static_cast<int64_t>(Words{by, 1}(0, i) >> 1) < number<int64_t>(by, 0);
    const auto low = static_cast<uint64_t>(number<int64_t>(by, 0));
    const auto range = static_cast<uint64_t>(number<int64_t>(by, 1));
    const bool is_narrow = range - 1 < (1U << 16);
    const Words words{by, is_narrow ? 1 : 2};
    if (is_narrow) return static_cast<int64_t>(low + (words(0, i) * range >> 32));
    const uint64_t bits = uint64_t{words(1, i)} << 32 | words(0, i);
    if (range == 0) return static_cast<int64_t>(low + bits);
    const auto wide = static_cast<unsigned __int128>(bits) * range;
    return static_cast<int64_t>(low + static_cast<uint64_t>(wide >> 64));
  }

  static void draw(const OpwRandom& by) {
    const std::string_view name = by.distribution;
    for_dtype(from_dlpack(by.dtype), "computing", [&]<typename T>() {
      using C = ComputeType<T>;
      T* to = static_cast<T*>(by.result);
      for (int64_t i = 0; i < by.count; ++i) {
        if (name == "bernoulli" || name == "integers")
          to[i] = convert_number<T>(draw_int(by, i));
        else if constexpr (std::is_floating_point_v<C>)
          to[i] = convert_number<T>(draw_float<C>(by, i));
      }
    });
  }
};

inline const bool kMovesElements = MovingDevice::add_to_table();

}  // namespace opwright::testing
