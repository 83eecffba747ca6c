#include "vips.h"

#include <string.h>

/* Blocks every loader but the ones that raster_open names, whatever else this libvips was built with. */
void
raster_lock_down(int threads)
{
	static const char *const allowed[] = {
		"VipsForeignLoadJpegBuffer",
		"VipsForeignLoadPngBuffer",
		"VipsForeignLoadWebpBuffer",
		"VipsForeignLoadNsgifBuffer",
		"VipsForeignLoadTiffBuffer",
		"VipsForeignLoadHeifBuffer",
	};

	vips_cache_set_max(0);
	vips_cache_set_max_mem(0);
	vips_cache_set_max_files(0);
	vips_concurrency_set(threads);

	vips_operation_block_set("VipsForeignLoad", TRUE);
	for (size_t i = 0; i < G_N_ELEMENTS(allowed); i++)
		vips_operation_block_set(allowed[i], FALSE);
	vips_block_untrusted_set(TRUE);
}

int
raster_open(RasterLoader loader, const void *data, size_t length, VipsImage **out)
{
	void *buf = (void *) data;

#define LOAD(name) \
	name(buf, length, out, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_ERROR, NULL)

	switch (loader) {
	case RASTER_JPEG:
		return LOAD(vips_jpegload_buffer);
	case RASTER_PNG:
		return LOAD(vips_pngload_buffer);
	case RASTER_WEBP:
		return LOAD(vips_webpload_buffer);
	case RASTER_GIF:
		return LOAD(vips_gifload_buffer);
	case RASTER_TIFF:
		return LOAD(vips_tiffload_buffer);
	case RASTER_HEIF:
		return LOAD(vips_heifload_buffer);
	}
	vips_error("raster", "no such loader");
	return -1;

#undef LOAD
}

/* The embedded ICC profile, or NULL. The bytes belong to the image. */
int
raster_profile(VipsImage *in, const void **data, size_t *length)
{
	*data = NULL;
	*length = 0;
	if (!vips_image_get_typeof(in, VIPS_META_ICC_NAME))
		return 0;
	return vips_image_get_blob(in, VIPS_META_ICC_NAME, data, length);
}

/* Converts to 8-bit sRGB with or without alpha. A profile that does not fit the pixels falls back to none. */
int
raster_srgb(VipsImage *in, gboolean use_profile, VipsImage **out)
{
	VipsImage *context = vips_image_new();
	VipsImage **t = (VipsImage **) vips_object_local_array(VIPS_OBJECT(context), 3);
	int result = -1;

	if (use_profile && vips_icc_transform(in, &t[0], "srgb", "embedded", TRUE, "depth", 8, NULL))
		vips_error_clear();
	if (!t[0] && vips_colourspace(in, &t[0], VIPS_INTERPRETATION_sRGB, NULL))
		goto done;
	if (vips_cast_uchar(t[0], &t[1], NULL))
		goto done;
	if (t[1]->Bands < 3) {
		vips_error("raster", "%d bands", t[1]->Bands);
		goto done;
	}
	result = vips_extract_band(t[1], out, 0, "n", VIPS_MIN(t[1]->Bands, 4), NULL);

done:
	g_object_unref(context);
	return result;
}

typedef struct {
	guint8 *origin;
	gint64 step_x;
	gint64 step_y;
	const gint *cancelled;
} Sink;

/* Where the EXIF orientation puts the first stored pixel, and how far apart stored neighbours then lie (CIPA DC-008,
 * 4.6.4, tag Orientation). */
static Sink
sink_new(VipsImage *in, int orientation, guint8 *pixels, const gint *cancelled)
{
	const gint64 px = in->Bands;
	const gint64 w = in->Xsize - 1;
	const gint64 h = in->Ysize - 1;
	const gint64 line = px * (orientation >= 5 ? in->Ysize : in->Xsize);

	switch (orientation) {
	case 2:
		return (Sink){ pixels + w * px, -px, line, cancelled };
	case 3:
		return (Sink){ pixels + h * line + w * px, -px, -line, cancelled };
	case 4:
		return (Sink){ pixels + h * line, px, -line, cancelled };
	case 5:
		return (Sink){ pixels, line, px, cancelled };
	case 6:
		return (Sink){ pixels + h * px, line, -px, cancelled };
	case 7:
		return (Sink){ pixels + w * line + h * px, -line, -px, cancelled };
	case 8:
		return (Sink){ pixels + w * line, -line, px, cancelled };
	default:
		return (Sink){ pixels, px, line, cancelled };
	}
}

static int
sink_write(VipsRegion *region, VipsRect *area, void *user)
{
	const Sink *sink = (const Sink *) user;
	const int bands = region->im->Bands;

	if (g_atomic_int_get(sink->cancelled))
		return -1;
	for (int y = area->top; y < area->top + area->height; y++) {
		const VipsPel *from = VIPS_REGION_ADDR(region, area->left, y);
		guint8 *to = sink->origin + y * sink->step_y + area->left * sink->step_x;

		if (sink->step_x == bands) {
			memcpy(to, from, (size_t) area->width * bands);
			continue;
		}
		for (int x = 0; x < area->width; x++) {
			for (int b = 0; b < bands; b++)
				to[b] = from[b];
			from += bands;
			to += sink->step_x;
		}
	}
	return 0;
}

/* Decodes into pixels, which has room for the whole picture, upright. It stops soon after cancelled becomes non-zero,
 * but not while a codec is inside one call that decodes everything at once. */
int
raster_write(VipsImage *in, int orientation, void *pixels, const gint *cancelled)
{
	Sink sink = sink_new(in, orientation, (guint8 *) pixels, cancelled);

	return vips_sink_disc(in, sink_write, &sink);
}

/* Takes libvips's error text, which the caller frees with g_free. */
char *
raster_error(void)
{
	return vips_error_buffer_copy();
}
