#ifndef VERACITY_SSIMULACRA2_KERNELS_H
#define VERACITY_SSIMULACRA2_KERNELS_H

#include <stddef.h>

/* Rows of n numbers; what is written overlaps nothing that is read. What each does is said in kernels.go. */

enum { SSIM2_REACH = 4, SSIM2_WINDOW = 2 * SSIM2_REACH + 1 };

/* Where the sums of errors lie: of each map first the sum, MAPS further the sum of fourth powers. */
enum { SSIM2_STRUCTURAL, SSIM2_ARTEFACT, SSIM2_LOST, SSIM2_MAPS, SSIM2_NORMS = 2 };

void ssim2_xyb(const float *r, const float *g, const float *b, float *x, float *y, float *z, size_t n);
void ssim2_average(const float *upper, const float *lower, float *out, size_t n);
void ssim2_combine(const float *a, const float *b, float *power, float *departure, size_t n);
void ssim2_columns(const float *r0, const float *r1, const float *r2, const float *r3, const float *r4,
	const float *r5, const float *r6, const float *r7, const float *r8, float *out, size_t n);

/* These read SSIM2_REACH numbers before and after each of the blurred rows' n: their first is that much to the left. */
void ssim2_structure(const float *mean_a, const float *mean_b, const float *power, const float *departure, size_t n,
	double *sums);
void ssim2_edges(const float *a, const float *b, const float *mean_a, const float *mean_b, size_t n, double *sums);

#endif
