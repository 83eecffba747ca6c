"""What happens to pictures between their maker and a check: scaling, cutting, encoding, now and then twice.

Photographs and generated pictures take the same journeys, drawn from one distribution, so that format, size and quality
tell a network little of where a picture comes from.
"""
import io
import random

import numpy as np
from PIL import Image, ImageEnhance, ImageFilter

# TILE is the side, in pixels, of what is left of a picture after a journey. It is the same for all, since sizes tell hosts apart.
TILE = 144
FILTERS = (Image.BICUBIC, Image.LANCZOS, Image.BILINEAR, Image.BOX)
# LOSSY are the formats of files whose pixels went through a codec already.
LOSSY = ("JPEG", "MPO", "WEBP")


def open_rgb(path):
    """The file's picture in 8-bit RGB, transparency on white, and whether a codec with losses stored it."""
    with Image.open(path) as image:
        lossy = image.format in LOSSY
        if image.mode in ("RGBA", "LA", "P"):
            image = image.convert("RGBA")
            ground = Image.new("RGBA", image.size, "white")
            return Image.alpha_composite(ground, image).convert("RGB"), lossy
        return image.convert("RGB"), lossy


def travel(image, lossy, rng, facts=None):
    """One journey of a part of a picture; TILE pixels a side are left. facts, a dict, is told what file it ends as."""
    factor = scale(min(image.size), rng)
    image = place(image, round(TILE / factor) + 8, rng)
    # Nearly every photograph comes out of its camera as JPEG. Pictures that were stored without losses catch up with them,
    # or the traces of a codec would stand for a camera.
    if not lossy and rng.random() < 0.8:
        image = encoded(image, "JPEG", quality=rng.randrange(75, 98), subsampling=rng.choice((0, 2, 2)))
    image = cut(image, [min(round(TILE / factor), s) for s in image.size], rng)
    if factor != 1:
        image = image.resize((TILE, TILE), rng.choice(FILTERS))
    if rng.random() < 0.15:
        image = edit(image, rng)
    if rng.random() < 0.12:
        image = reencode(image, "JPEG", rng)
    if facts is not None:
        facts.update(width=image.width, height=image.height, factor=factor)
    fate = rng.random()
    if fate < 0.62:
        return reencode(image, "JPEG", rng, facts)
    if fate < 0.80:
        return reencode(image, "WEBP", rng, facts)
    return image


def scale(short, rng):
    """By how much a picture with this shorter side is scaled: not at all, to a half at most, as published pictures are, or
    up by a little, as on a screenshot."""
    fate = rng.random()
    factor = 1.0
    if fate < 0.34:
        factor = rng.uniform(0.5, 1)
    elif fate < 0.60:
        wanted = 2 ** rng.uniform(np.log2(2 * TILE), np.log2(1080))
        factor = wanted / short if wanted < short else rng.uniform(0.5, 1)
    elif fate < 0.66:
        factor = rng.uniform(1, 1.4)
    return max(factor, TILE / short)


def place(image, side, rng):
    """A square of the picture: the one with most texture of three, or any that is not flat."""
    side = [min(side, s) for s in image.size]
    spots = [cut(image, side, rng) for _ in range(3)]
    textured = [texture(s) for s in spots]
    if rng.random() < 0.5:
        return spots[int(np.argmax(textured))]
    return next((s for s, t in zip(spots, textured) if t > 0.5), spots[0])


def texture(image):
    """The mean difference of neighbouring grey levels."""
    a = np.asarray(image.convert("L"), np.int16)[::2]
    return np.abs(np.diff(a, axis=1)).mean()


def cut(image, size, rng):
    x, y = (rng.randrange(have - want + 1) for have, want in zip(image.size, size))
    return image.crop((x, y, x + size[0], y + size[1]))


def edit(image, rng):
    kind = rng.randrange(4)
    if kind == 0:
        return image.filter(ImageFilter.GaussianBlur(rng.uniform(0.3, 0.9)))
    if kind == 1:
        return image.filter(ImageFilter.UnsharpMask(rng.uniform(0.6, 2), rng.randrange(30, 120), 2))
    if kind == 2:
        noise = np.random.default_rng(rng.randrange(2**32)).normal(0, rng.uniform(1, 5), (image.height, image.width, 1))
        return Image.fromarray(np.clip(np.asarray(image) + noise, 0, 255).astype(np.uint8))
    enhance = rng.choice((ImageEnhance.Brightness, ImageEnhance.Contrast, ImageEnhance.Color))
    return enhance(image).enhance(rng.uniform(0.75, 1.3))


def reencode(image, kind, rng, facts=None):
    options = {"quality": rng.randrange(60, 99)}
    if kind == "JPEG":
        options["subsampling"] = rng.choice((0, 2, 2))
    if facts is not None:
        facts.update(options, kind=kind)
    return encoded(image, kind, **options)


def encoded(image, kind, **options):
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    buffer.seek(0)
    return Image.open(buffer).convert("RGB")


def patches(image, count, side, rng):
    """count patches of side x side: half of them the most textured of many, half anywhere. Smaller pictures are mirrored."""
    a = np.asarray(image)
    short = [max(0, side - s) for s in a.shape[:2]]
    if any(short):
        a = np.pad(a, ((0, short[0]), (0, short[1]), (0, 0)), mode="symmetric")
    spots = [(rng.randrange(a.shape[0] - side + 1), rng.randrange(a.shape[1] - side + 1)) for _ in range(6 * count)]
    luma = a.astype(np.float32) @ np.float32([0.299, 0.587, 0.114])
    across, down = np.abs(np.diff(luma, axis=1))[:-1], np.abs(np.diff(luma, axis=0))[:, :-1]
    activity = across + down
    ranked = sorted(spots, key=lambda s: -activity[s[0]:s[0] + side, s[1]:s[1] + side].mean())
    half = count // 2
    chosen = ranked[:half] + rng.sample(ranked[half:], count - half)
    return np.stack([a[y:y + side, x:x + side] for y, x in chosen])


def seeded(*parts):
    return random.Random("/".join(str(p) for p in parts))
