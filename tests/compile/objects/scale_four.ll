; Copies context[2] bytes from context[0] to context[1], then scales the first four floats there.
; A call of memcpy (R_X86_64_PLT32) and a constant (R_X86_64_PC32), for any x86-64.
declare ptr @memcpy(ptr, ptr, i64)

define void @nest(ptr %context) nounwind {
  %to_place = getelementptr i64, ptr %context, i64 1
  %size_place = getelementptr i64, ptr %context, i64 2
  %from = load ptr, ptr %context
  %to = load ptr, ptr %to_place
  %size = load i64, ptr %size_place
  call ptr @memcpy(ptr %to, ptr %from, i64 %size)
  %four = load <4 x float>, ptr %to, align 4
  %scaled = fmul <4 x float> %four, <float 1.0, float 2.0, float 3.0, float 4.0>
  store <4 x float> %scaled, ptr %to, align 4
  ret void
}
