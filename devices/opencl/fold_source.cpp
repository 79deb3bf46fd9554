#include "devices/opencl/fold_source.h"

#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>

#include "devices/opencl/dtype_text.h"
#include "opwright/dtype.h"
#include "opwright/error.h"

namespace opwright::opencl {
namespace {

// Float sums carry the rounding error (Neumaier).
constexpr const char* kSumOfFloats = R"(
typedef struct { A value; A lost; } State;
void start(State* s) { s->value = 0; s->lost = 0; }
void add(State* s, A v) {
  const A sum = s->value + v;
  s->lost += fabs(s->value) >= fabs(v) ? (s->value - sum) + v : (v - sum) + s->value;
  s->value = sum;
}
void step(State* s, A v, long place) { add(s, ELEMENT(v)); }
void merge(State* s, const State* other) { add(s, other->value); s->lost += other->lost; }
A finish(const State* s, long count) {
  const A sum = isinf(s->value) || isnan(s->value) ? s->value : s->value + s->lost;
  return FINISHED(sum);
}
)";

// A value and one more element: integer sums, products, any and all, norms that are an extremum.
constexpr const char* kPlain = R"(
typedef struct { A value; } State;
void start(State* s) { s->value = START; }
void step(State* s, A v, long place) { s->value = JOINED(s->value, ELEMENT(v)); }
void merge(State* s, const State* other) { s->value = JOINED(s->value, other->value); }
A finish(const State* s, long count) { return FINISHED(s->value); }
)";

// The first of the best elements; NaN is better than all.
constexpr const char* kExtremum = R"(
typedef struct { A value; long place; } State;
void start(State* s) { s->value = 0; s->place = -1; }
void step(State* s, A v, long place) {
  if (s->place < 0 || IS_BETTER(v, s->value) || (IS_NAN(v) && !IS_NAN(s->value))) {
    s->value = v;
    s->place = place;
  }
}
void merge(State* s, const State* other) {
  if (other->place < 0) return;
  const int is_first = s->place < 0;
  const int is_better = IS_BETTER(other->value, s->value) ||
                        (IS_NAN(other->value) && !IS_NAN(s->value));
  const int is_same = other->value == s->value || (IS_NAN(other->value) && IS_NAN(s->value));
  if (is_first || is_better || (is_same && other->place < s->place)) *s = *other;
}
A finish(const State* s, long count) { return s->value; }
)";

// Mean and sum of squares around it (Welford, Chan).
constexpr const char* kVariance = R"(
typedef struct { A mean; A squares; long count; } State;
void start(State* s) { s->mean = 0; s->squares = 0; s->count = 0; }
void step(State* s, A v, long place) {
  s->count += 1;
  const A apart = v - s->mean;
  s->mean += apart / (A)s->count;
  s->squares += apart * (v - s->mean);
}
void merge(State* s, const State* other) {
  if (other->count == 0) return;
  const long count = s->count + other->count;
  const A apart = other->mean - s->mean;
  const A share = (A)other->count / (A)count;
  s->mean += apart * share;
  s->squares += other->squares + apart * apart * (A)s->count * share;
  s->count = count;
}
A finish(const State* s, long count) {
  const A divisor = (A)s->count - (A)NUMBER;
  return s->squares / (divisor > 0 ? divisor : (A)0);
}
)";

constexpr const char* kFoldKernels = R"(
long kept_place(Layout layout, ulong i, int array) {
  long at = 0;
  for (int dim = KEPT - 1; dim >= 0; --dim) {
    const ulong size = (ulong)layout.kept_sizes[dim];
    at += (long)(i % size) * layout.kept[array][dim];
    i /= size;
  }
  return at;
}
void fold_range(State* s, Layout layout, __global const E* elements, long begin, long end) {
  const long inner = layout.folded_sizes[FOLDED - 1];
  const long stride = layout.folded[FOLDED - 1];
  for (long place = begin; place < end;) {
    long row = place / inner;
    const long column = place - row * inner;
    long base = column * stride;
    for (int dim = FOLDED - 2; dim >= 0; --dim) {
      base += row % layout.folded_sizes[dim] * layout.folded[dim];
      row /= layout.folded_sizes[dim];
    }
    const long stop = min(end, place + inner - column);
    for (; place < stop; ++place, base += stride) step(s, LOADED(elements[base]), place);
  }
}
#if HAS_INDICES
#define INDICES_ARGUMENT , __global long* indices
#define STORE_INDEX indices[kept_place(layout, i, 2)] = s.place;
#else
#define INDICES_ARGUMENT
#define STORE_INDEX
#endif
#if HAS_RESULT
#define RESULT_ARGUMENT , __global R* result
#define STORE_RESULT { const A value = finish(&s, length); STORE(result[kept_place(layout, i, 1)]) }
#else
#define RESULT_ARGUMENT
#define STORE_RESULT
#endif
__kernel void fold_each(Layout layout, ulong count, long length,
                        __global const E* elements RESULT_ARGUMENT INDICES_ARGUMENT) {
  const ulong i = get_global_id(0);
  if (i >= count) return;
  State s;
  start(&s);
  fold_range(&s, layout, elements + kept_place(layout, i, 0), 0, length);
  STORE_RESULT
  STORE_INDEX
}
__kernel void fold_parts(Layout layout, long length, long part,
                         __global const E* elements, __global State* states) {
  __local State shared[GROUP];
  const ulong i = get_group_id(0);
  const long begin = (long)get_group_id(1) * part;
  const long end = min(length, begin + part);
  const int mine = (int)get_local_id(0);
  const long chunk = (part + GROUP - 1) / GROUP;
  State s;
  start(&s);
  const long first = min(end, begin + mine * chunk);
  fold_range(&s, layout, elements + kept_place(layout, i, 0), first, min(end, first + chunk));
  shared[mine] = s;
  for (int half_of = GROUP / 2; half_of > 0; half_of /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (mine < half_of) {
      const State other = shared[mine + half_of];
      merge(&s, &other);
      shared[mine] = s;
    }
  }
  if (mine == 0) states[i * get_num_groups(1) + get_group_id(1)] = s;
}
__kernel void fold_finish(Layout layout, ulong count, long length, long parts,
                          __global const State* states RESULT_ARGUMENT INDICES_ARGUMENT) {
  const ulong i = get_global_id(0);
  if (i >= count) return;
  State s = states[i * parts];
  for (long place = 1; place < parts; ++place) {
    const State other = states[i * parts + place];
    merge(&s, &other);
  }
  STORE_RESULT
  STORE_INDEX
}
)";

struct FoldText {
  const char* states;
  std::string defines;
};

std::string define(const char* element, const char* finished) {
  return concatenate("#define ELEMENT(v) ", element, "\n#define FINISHED(v) ", finished, "\n");
}

std::string define_joined(const char* start, const char* joined) {
  return concatenate("#define START ", start, "\n#define JOINED(a, b) ", joined, "\n");
}

// Orders other than those below are powers of the order.
FoldText text_of_norm(const FoldForm& form) {
  OPWRIGHT_CHECK_TYPE(is_floating(form.compute), "opencl: a norm is computed in floats, got ",
                      form.compute);
  if (form.number == 0) return {kSumOfFloats, define("((v) != 0 ? (A)1 : (A)0)", "(v)")};
  if (form.number == 1) return {kSumOfFloats, define("fabs(v)", "(v)")};
  if (form.number == 2) return {kSumOfFloats, define("((v) * (v))", "sqrt(v)")};
  if (std::isinf(form.number)) {
    const bool is_largest = form.number > 0;
    return {kPlain,
            define("fabs(v)", "(v)") +
                define_joined(is_largest ? "0" : "INFINITY",
                              is_largest ? "(isnan(a) || isnan(b) ? (a) + (b) : fmax(a, b))"
                                         : "(isnan(a) || isnan(b) ? (a) + (b) : fmin(a, b))")};
  }
  return {kSumOfFloats, define("pow(fabs(v), (A)NUMBER)", "pow(v, (A)1 / (A)NUMBER)")};
}

FoldText text_of(const FoldForm& form) {
  const bool is_float = is_floating(form.compute);
  if (form.fold == "sum") {
    if (is_float) return {kSumOfFloats, define("(v)", "(v)")};
    return {kPlain, define("(v)", "(v)") + define_joined("0", "(A)((a) + (b))")};
  }
  if (form.fold == "mean") {
    OPWRIGHT_CHECK_TYPE(is_float, "opencl: a mean is computed in floats, got ", form.compute);
    return {kSumOfFloats, define("(v)", "((v) / (A)count)")};
  }
  if (form.fold == "prod")
    return {kPlain, define("(v)", "(v)") + define_joined("1", "(A)((a) * (b))")};
  if (form.fold == "any")
    return {kPlain, define("((v) != 0 ? (A)1 : (A)0)", "(v)") +
                        define_joined("0", "((a) > (b) ? (a) : (b))")};
  if (form.fold == "all")
    return {kPlain, define("((v) != 0 ? (A)1 : (A)0)", "(v)") +
                        define_joined("1", "((a) < (b) ? (a) : (b))")};
  if (form.fold == "max" || form.fold == "min") {
    return {kExtremum, concatenate("#define IS_BETTER(a, b) ((a) ", form.fold == "max" ? ">" : "<",
                                   " (b))\n#define IS_NAN(v) ", is_float ? "isnan(v)" : "0", "\n")};
  }
  if (form.fold == "var") return {kVariance, ""};
  if (form.fold == "norm") return text_of_norm(form);
  throw_error("NotImplementedError", "opencl: there is no fold '", std::string(form.fold), "'");
}

}  // namespace

std::string fold_source(const FoldForm& form) {
  const FoldText fold = text_of(form);
  const bool has_result = form.result != DType{};
  const DType result = has_result ? form.result : form.compute;
  const std::string loaded =
      convert_text(convert_text(load_text(form.operand, "(e)"), form.operand, form.through),
                   form.through, form.compute);
  std::string text = dtype_prelude();
  text += concatenate("typedef ", value_type(form.compute), " A;\ntypedef ",
                      storage_type(form.operand), " E;\ntypedef ", storage_type(result), " R;\n");
  text += concatenate("#define KEPT ", form.kept, "\n#define FOLDED ", form.folded,
                      "\n#define GROUP ", kFoldGroup, "\n#define HAS_RESULT ", has_result ? 1 : 0,
                      "\n#define HAS_INDICES ", form.has_indices ? 1 : 0, "\n");
  char number[32];
  std::snprintf(number, sizeof number, "%.17e", form.number);
  text += concatenate("#define NUMBER ", number, form.compute == DType::Float64 ? "" : "f", "\n");
  text += "#define LOADED(e) " + loaded + "\n#define STORE(element) " +
          store_text(result, "(element)", "value", form.compute);
  text +=
      "typedef struct { long kept_sizes[KEPT]; long kept[3][KEPT]; long folded_sizes[FOLDED];"
      " long folded[FOLDED]; } Layout;\n";
  return text + fold.defines + fold.states + kFoldKernels;
}

}  // namespace opwright::opencl
