#ifndef VERACITY_RASTER_VIPS_H
#define VERACITY_RASTER_VIPS_H

#include <vips/vips.h>

/* What govips has no binding for: per-loader failure levels, blocking of loaders, decoding straight into memory of the
 * caller's, and stopping a decode. Every int result is 0 for success. */

typedef enum {
	RASTER_JPEG,
	RASTER_PNG,
	RASTER_WEBP,
	RASTER_GIF,
	RASTER_TIFF,
	RASTER_HEIF,
} RasterLoader;

void raster_lock_down(int threads);
int raster_open(RasterLoader loader, const void *data, size_t length, VipsImage **out);
int raster_profile(VipsImage *in, const void **data, size_t *length);
int raster_srgb(VipsImage *in, gboolean use_profile, VipsImage **out);
int raster_write(VipsImage *in, int orientation, void *pixels, const gint *cancelled);
char *raster_error(void);

#endif
