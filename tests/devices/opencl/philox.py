"""Random words as docs/concepts/device_plugin.md defines them, by numpy."""

import numpy


def philox(seed, counters):
    """Four words for each of the counters (uint64)."""
    x = [counters & 0xFFFFFFFF, counters >> 32, counters * 0, counters * 0]
    key0, key1 = seed & 0xFFFFFFFF, seed >> 32
    for turn in range(10):
        k0 = numpy.uint64((key0 + turn * 0x9E3779B9) & 0xFFFFFFFF)
        k1 = numpy.uint64((key1 + turn * 0xBB67AE85) & 0xFFFFFFFF)
        p0 = numpy.uint64(0xD2511F53) * x[0]
        p1 = numpy.uint64(0xCD9E8D57) * x[2]
        low = numpy.uint64(0xFFFFFFFF)
        high = numpy.uint64(32)
        x = [p1 >> high ^ x[1] ^ k0, p1 & low, p0 >> high ^ x[3] ^ k1, p0 & low]
    return numpy.stack(x)


def words(seed, first, count, words_of_element):
    """Word k of element i is [k, i]."""
    i = numpy.arange(count, dtype=numpy.uint64)
    group, lane = i // 64, i % 64
    drawn = []
    for k in range(words_of_element):
        counters = first + 16 * (group * words_of_element + k) + lane % 16
        blocks = philox(seed, counters.astype(numpy.uint64))
        drawn.append(blocks[(lane // 16).astype(int), i.astype(int)])
    return numpy.stack(drawn)
