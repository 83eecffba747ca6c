#include "kernels.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/*
 * Plain loops that the compiler turns into vector instructions: four lanes, or eight where the processor has AVX2,
 * which is looked up when the program is loaded. AVX2 alone, without FMA, comes to the same sums to the last bit.
 */
#if defined(__x86_64__) && defined(__GLIBC__)
#define VECTORS __attribute__((target_clones("avx2", "default")))
#else
#define VECTORS
#endif
#define INLINE static inline __attribute__((always_inline))

/* The blur's taps, from the middle outwards. */
#define TAPS(c, p1, p2, p3, p4)                                                                                        \
	(0.2646211054881986f * (c) + 0.21292859201042227f * (p1) + 0.10933537277746035f * (p2)                             \
		+ 0.03601111465836439f * (p3) + 0.009414367809653733f * (p4))

/* The cube root of 0.003 to 1.1 to within 1e-6: a third of the exponent, then two steps of Halley's method. */
INLINE float
root(float v)
{
	int32_t bits;
	float t, cube;

	memcpy(&bits, &v, sizeof(bits));
	bits = (int32_t) ((float) bits * (1.0f / 3)) + 709958130;
	memcpy(&t, &bits, sizeof(t));
	cube = t * t * t;
	t *= (cube + v + v) / (cube + cube + v);
	cube = t * t * t;
	return t * (cube + v + v) / (cube + cube + v);
}

VECTORS void
ssim2_xyb(const float *restrict r, const float *restrict g, const float *restrict b, float *restrict x,
	float *restrict y, float *restrict z, size_t n)
{
	const float bias = 0.0037930732552754493f;
	const float bias_root = 0.15595420054924863f;

	for (size_t i = 0; i < n; i++) {
		float blue = 0.078f * b[i];
		float l = root(0.3f * r[i] + 0.622f * g[i] + blue + bias) - bias_root;
		float m = root(0.23f * r[i] + 0.692f * g[i] + blue + bias) - bias_root;
		float s = root(0.24342268924547819f * r[i] + 0.20476744424496821f * g[i] + 0.5518098665095536f * b[i] + bias)
			- bias_root;
		float luma = 0.5f * (l + m);

		x[i] = 7 * (l - m) + 0.42f;
		y[i] = luma + 0.01f;
		z[i] = s - luma + 0.55f;
	}
}

VECTORS void
ssim2_average(const float *restrict upper, const float *restrict lower, float *restrict out, size_t n)
{
	for (size_t i = 0; i < n / 2; i++)
		out[i] = 0.25f * (upper[2 * i] + upper[2 * i + 1] + lower[2 * i] + lower[2 * i + 1]);
	if (n & 1)
		out[n / 2] = 0.5f * (upper[n - 1] + lower[n - 1]);
}

VECTORS void
ssim2_combine(const float *restrict a, const float *restrict b, float *restrict power, float *restrict departure,
	size_t n)
{
	for (size_t i = 0; i < n; i++) {
		float d = a[i] - b[i];

		power[i] = a[i] * a[i] + b[i] * b[i];
		departure[i] = d * d;
	}
}

VECTORS void
ssim2_columns(const float *restrict r0, const float *restrict r1, const float *restrict r2, const float *restrict r3,
	const float *restrict r4, const float *restrict r5, const float *restrict r6, const float *restrict r7,
	const float *restrict r8, float *restrict out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = TAPS(r4[i], r3[i] + r5[i], r2[i] + r6[i], r1[i] + r7[i], r0[i] + r8[i]);
}

/* The blur along a row, around the middle of nine neighbours. */
INLINE float
along(const float *v)
{
	return TAPS(v[4], v[3] + v[5], v[2] + v[6], v[1] + v[7], v[0] + v[8]);
}

/* Errors are worked out and added up by pieces of a row: short enough for the first cache and for sums of floats. */
enum { LANES = 8, PIECE = 32 * LANES };

typedef float Lanes __attribute__((vector_size(LANES * sizeof(float))));

/* Adds up a piece, whose end is filled with zeros to whole lanes. */
INLINE void
add_up(const float *piece, size_t n, double *sums)
{
	Lanes v, square, lanes = { 0 }, lanes4 = { 0 };

	for (size_t i = 0; i < n; i += LANES) {
		memcpy(&v, piece + i, sizeof(v));
		square = v * v;
		lanes += v;
		lanes4 += square * square;
	}
	for (int i = 0; i < LANES; i++) {
		sums[0] += lanes[i];
		sums[SSIM2_MAPS] += lanes4[i];
	}
}

VECTORS void
ssim2_structure(const float *restrict mean_a, const float *restrict mean_b, const float *restrict power,
	const float *restrict departure, size_t n, double *restrict sums)
{
	const float c2 = 0.0009f;
	float piece[PIECE];

	for (size_t from = 0; from < n; from += PIECE) {
		size_t count = n - from < PIECE ? n - from : PIECE;

		for (size_t i = 0; i < count; i++) {
			size_t at = from + i;
			float a = along(mean_a + at);
			float b = along(mean_b + at);
			float q = (a - b) * (a - b);
			float variances = along(power + at) - a * a - b * b + c2;
			float d = q + (1 - q) * (along(departure + at) - q) / variances;

			piece[i] = d > 0 ? d : 0;
		}
		for (size_t i = count; i % LANES != 0; i++)
			piece[i] = 0;
		add_up(piece, count, sums + SSIM2_STRUCTURAL);
	}
}

VECTORS void
ssim2_edges(const float *restrict a, const float *restrict b, const float *restrict mean_a,
	const float *restrict mean_b, size_t n, double *restrict sums)
{
	float artefact[PIECE], lost[PIECE];

	for (size_t from = 0; from < n; from += PIECE) {
		size_t count = n - from < PIECE ? n - from : PIECE;

		for (size_t i = 0; i < count; i++) {
			size_t at = from + i;
			float before = fabsf(a[at] - along(mean_a + at));
			float d = (fabsf(b[at] - along(mean_b + at)) - before) / (1 + before);

			artefact[i] = d > 0 ? d : 0;
			lost[i] = d < 0 ? -d : 0;
		}
		for (size_t i = count; i % LANES != 0; i++)
			artefact[i] = lost[i] = 0;
		add_up(artefact, count, sums + SSIM2_ARTEFACT);
		add_up(lost, count, sums + SSIM2_LOST);
	}
}
