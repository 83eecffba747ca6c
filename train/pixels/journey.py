"""What happens to pictures between their maker and a check: scaling, cutting, encoding, now and then twice.

Photographs and generated pictures take the same journeys, drawn from one distribution, so that format, size and quality
tell a network little of where a picture comes from.
"""
import io
import random

import numpy as np
from PIL import Image, ImageEnhance, ImageFilter

# REGION is the side, in pixels, of the piece of a picture that takes a journey.
REGION = 512
FILTERS = (Image.BICUBIC, Image.LANCZOS, Image.BILINEAR, Image.BOX)


def open_rgb(path):
    """The file's picture in 8-bit RGB; transparency lies on white."""
    with Image.open(path) as image:
        if image.mode in ("RGBA", "LA", "P"):
            image = image.convert("RGBA")
            ground = Image.new("RGBA", image.size, "white")
            return Image.alpha_composite(ground, image).convert("RGB")
        return image.convert("RGB")


def travel(image, rng, facts=None):
    """One journey of a picture; the outcome is at most REGION pixels a side. facts, a dict, is told what file it ends as."""
    image = scale_and_cut(image, rng)
    if rng.random() < 0.15:
        image = edit(image, rng)
    if rng.random() < 0.12:
        image = reencode(image, "JPEG", rng)
        if rng.random() < 0.5:
            image = cut(image, [s - rng.randrange(1, 12) for s in image.size], rng)
    fate = rng.random()
    if fate < 0.62:
        return reencode(image, "JPEG", rng, facts)
    if fate < 0.80:
        return reencode(image, "WEBP", rng, facts)
    return image


def scale_and_cut(image, rng):
    """A third keeps its pixels; the others are made smaller, to a long side that does not depend on where they began."""
    long = max(image.size)
    factor = 1.0
    if rng.random() > 0.34:
        wanted = 2 ** rng.uniform(np.log2(400), np.log2(2000))
        factor = wanted / long if wanted < long else rng.uniform(0.5, 1)
    # No picture is made so small that no patch fits.
    factor = min(1.0, max(factor, 160 / min(image.size)))
    region = [int(min(REGION / factor, s)) for s in image.size]
    image = cut(image, region, rng)
    if factor < 1:
        size = [max(1, round(s * factor)) for s in image.size]
        image = image.resize(size, rng.choice(FILTERS))
    return image


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
