// Sorts and selects unsigned keys by their digits. Both take time linear in the number of keys.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace opwright {

// A key and where it was.
template <class Key>
struct PlacedKey {
  Key key;
  int64_t place;
};

template <class Key>
constexpr Key key_of(Key key) {
  return key;
}
template <class Key>
constexpr Key key_of(const PlacedKey<Key>& item) {
  return item.key;
}

inline constexpr unsigned kDigitBits = 8;
inline constexpr size_t kDigits = size_t{1} << kDigitBits;

template <class Key>
constexpr size_t digit_of(Key key, unsigned shift) {
  return static_cast<size_t>(key >> shift) & (kDigits - 1);
}

// Sorts stably. `scratch` gets the size of `items`.
template <class Item>
void radix_sort(std::vector<Item>& items, std::vector<Item>& scratch) {
  using Key = decltype(key_of(Item{}));
  constexpr size_t kFew = 128;
  if (items.size() <= kFew) {
    std::stable_sort(items.begin(), items.end(),
                     [](const Item& a, const Item& b) { return key_of(a) < key_of(b); });
    return;
  }
  scratch.resize(items.size());
  std::array<std::array<size_t, kDigits>, sizeof(Key)> counts{};
  for (const Item& item : items) {
    for (unsigned place = 0; place < sizeof(Key); ++place)
      ++counts[place][digit_of(key_of(item), place * kDigitBits)];
  }
  for (unsigned place = 0; place < sizeof(Key); ++place) {
    std::array<size_t, kDigits>& starts = counts[place];
    const unsigned shift = place * kDigitBits;
    if (starts[digit_of(key_of(items.front()), shift)] == items.size()) continue;  // all the same
    size_t sum = 0;
    for (size_t& start : starts) sum += std::exchange(start, sum);
    for (const Item& item : items) scratch[starts[digit_of(key_of(item), shift)]++] = item;
    items.swap(scratch);
  }
}

// The key at position `rank` of the sorted order, from 0; reorders and shortens `keys`.
template <class Key>
Key select_key(std::vector<Key>& keys, size_t rank) {
  constexpr size_t kFew = 512;
  unsigned shift = 8 * sizeof(Key);
  while (keys.size() > kFew && shift > 0) {
    shift -= kDigitBits;
    std::array<size_t, kDigits> counts{};
    for (const Key key : keys) ++counts[digit_of(key, shift)];
    size_t digit = 0;
    for (; rank >= counts[digit]; ++digit) rank -= counts[digit];
    if (counts[digit] == keys.size()) continue;
    size_t kept = 0;
    for (size_t i = 0; i < keys.size(); ++i) {  // no branch: most keys cannot be predicted
      const Key key = keys[i];
      keys[kept] = key;
      kept += digit_of(key, shift) == digit ? 1 : 0;
    }
    keys.resize(kept);
  }
  const auto found = keys.begin() + static_cast<ptrdiff_t>(rank);
  std::nth_element(keys.begin(), found, keys.end());
  return *found;
}

}  // namespace opwright
