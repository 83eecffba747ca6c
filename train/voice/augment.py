"""What happens to speech on its way, drawn anew for each window: rooms, noise, filters, levels."""
import io

import numpy as np
import soundfile
from scipy.signal import butter, fftconvolve, istft, resample_poly, sosfilt, stft

from .data import RATE

WINDOW = 4 * RATE  # samples that the network hears at once
FRAME = RATE // 100


def speech_frames(sound):
    """A mask of 10 ms frames with speech, by energy: within 35 dB of the loud frames, and over the quiet ones."""
    n = len(sound) // FRAME
    if n < 5:
        return np.ones(max(n, 1), bool)
    power = (sound[: n * FRAME].astype(np.float32).reshape(n, FRAME) ** 2).mean(1)
    level = 10 * np.log10(power + 1e-9)
    loud, quiet = np.percentile(level, 95), np.percentile(level, 5)
    mask = level > max(loud - 35, min(quiet + 6, loud - 12))
    # Pauses of up to 0.3 s belong to speech.
    at = np.flatnonzero(mask)
    for a, b in zip(at[:-1], at[1:]):
        if b - a <= 30:
            mask[a:b] = True
    return mask


def fill(sound, size=WINDOW):
    """A window of exactly `size` samples: a shorter one is repeated from its beginning."""
    return np.resize(sound, size)


def trimmed(sound):
    """The clip from its first to its last speech, so that silence at the ends, which gives away a source, is not heard."""
    at = np.flatnonzero(speech_frames(sound))
    return sound if len(at) == 0 else sound[at[0] * FRAME : (at[-1] + 1) * FRAME]


def windows(sound):
    """The windows of a clip in which somebody speaks, as package engine/voice spreads them: 4 s long, 3 s apart or less.

    Float32 of -1 to 1; none where no window has a second of speech.
    """
    sound = np.asarray(sound)
    way = len(sound) - WINDOW
    hops = 0 if way <= 0 else max(1, -(-(way - RATE // 4) // (3 * RATE)))
    speech = speech_frames(sound)
    found = []
    for start in [i * way // max(hops, 1) for i in range(hops + 1)] if way > 0 else [0]:
        if speech[start // FRAME : (start + WINDOW) // FRAME].sum() * FRAME >= RATE:
            found.append(fill(sound[start : start + WINDOW].astype(np.float32) / 32768))
    return found


def cut(sound, rng, size):
    """A random window of a clip, the louder of two; some are shorter and repeated, as short clips are."""
    sound = trimmed(np.asarray(sound))
    want = size if rng.random() < 0.8 else int(rng.uniform(0.4, 1) * size)
    if len(sound) > want:
        best = max((rng.integers(0, len(sound) - want + 1) for _ in range(2)), key=lambda s: np.abs(sound[s : s + want : 16].astype(np.int32)).mean())
        sound = sound[best : best + want]
    sound = sound.astype(np.float32) / 32768
    if rng.random() < 0.3:
        sound = between_pauses(sound, rng, size)
    return fill(sound, size)


def between_pauses(sound, rng, size):
    """Speech between pauses of the same making for all clips: faint noise, up to 0.6 s at either end."""
    before, after = (int(rng.uniform(0, 0.6) * RATE) for _ in range(2))
    hush = np.sqrt((sound**2).mean()) * 10 ** (-rng.uniform(25, 60) / 20)
    speech = sound[: max(size - before - after, RATE // 2)]
    return np.concatenate([hush * rng.standard_normal(before), speech, hush * rng.standard_normal(after)])[:size].astype(np.float32)


def reverb(x, rng):
    """A room: direct sound and an exponential tail of noise, 0.1 to 0.7 s to -60 dB, as in Polack's model."""
    time = rng.uniform(0.1, 0.7)
    n = int(time * RATE)
    tail = rng.standard_normal(n) * 10 ** (-3 * np.arange(n) / n)
    tail[: int(0.002 * RATE)] = 0
    tail *= 10 ** (rng.uniform(-20, 0) / 20) / (np.sqrt((tail**2).sum()) + 1e-9)
    tail[0] = 1
    return fftconvolve(x, tail)[: len(x)].astype(np.float32)


def noise(x, rng):
    """Coloured noise, 10 to 40 dB below the speech: its power falls with the frequency to a power of 0 to 2."""
    spectrum = np.fft.rfft(rng.standard_normal(len(x)))
    spectrum[1:] /= np.arange(1, len(spectrum)) ** (rng.uniform(0, 2) / 2)
    spectrum[0] = 0
    hiss = np.fft.irfft(spectrum, len(x))
    gain = np.sqrt((x**2).mean() / ((hiss**2).mean() + 1e-12)) * 10 ** (-rng.uniform(10, 40) / 20)
    return (x + gain * hiss).astype(np.float32)


def band(x, rng, low=3400):
    """A low-pass of low to 7900 Hz, so that the rate a clip was stored at tells nothing."""
    edge = rng.uniform(low, 7900)
    order = int(rng.integers(4, 13))
    return sosfilt(butter(order, edge, fs=RATE, output="sos"), x).astype(np.float32)


def tilt(x, rng):
    """A microphone: a high-pass of 30 to 250 Hz and a first-order slope up or down."""
    x = sosfilt(butter(2, rng.uniform(30, 250), "highpass", fs=RATE, output="sos"), x)
    a = rng.uniform(-0.5, 0.5)
    return np.append(x[:1], x[1:] - a * x[:-1]).astype(np.float32)


def telephone(x, rng):
    """A telephone line: 300 to 3400 Hz, and eight bits a sample in the curve of ITU-T G.711's mu-law."""
    x = resample_poly(sosfilt(butter(3, [rng.uniform(150, 350), 3500], "bandpass", fs=RATE, output="sos"), x), 1, 2)
    peak = np.abs(x).max() + 1e-9
    y = np.sign(x) * np.log1p(255 * np.abs(x) / peak) / np.log(256)
    y = np.round(y * 127) / 127
    x = np.sign(y) * (256 ** np.abs(y) - 1) / 255 * peak
    return resample_poly(x, 2, 1).astype(np.float32)


def lossy(x, rng):
    """A transform codec in outline: coefficients are rounded band by band and frame by frame, weak bands dropped."""
    size = int(rng.choice([256, 512, 1024]))
    _, _, spectrum = stft(x, nperseg=size, noverlap=size // 2, window="hann")
    edges = np.unique(np.geomspace(1, len(spectrum), 21).astype(int))
    ratio, drop = rng.uniform(3, 20), rng.uniform(25, 60)
    power = np.add.reduceat(np.abs(spectrum) ** 2, edges[:-1], axis=0) / np.diff(edges, append=len(spectrum))[: len(edges) - 1, None]
    loud = power.max(0, keepdims=True)
    width = np.sqrt(power * 6) * 10 ** (-ratio / 20) + 1e-9
    width[power < loud * 10 ** (-drop / 10)] = np.inf
    step = np.repeat(width, np.diff(edges), axis=0)
    step = np.concatenate([np.full((edges[0], step.shape[1]), 1e-9), step, np.full((len(spectrum) - edges[0] - len(step), step.shape[1]), np.inf)])
    with np.errstate(invalid="ignore"):
        kept = np.where(np.isinf(step), 0, (np.round(spectrum.real / step) + 1j * np.round(spectrum.imag / step)) * step)
    if rng.random() < 0.5:
        kept[int(len(kept) * rng.uniform(0.45, 1)) :] = 0
    _, y = istft(np.nan_to_num(kept), nperseg=size, noverlap=size // 2, window="hann")
    return np.resize(y, len(x)).astype(np.float32)


def coded(x, rng):
    """A real codec at its usual setting: MP3, Vorbis or Opus, now and then at a lower rate of samples."""
    kind, subtype = (("MP3", "MPEG_LAYER_III"), ("OGG", "VORBIS"), ("OGG", "OPUS"), ("OGG", "OPUS"))[rng.integers(4)]
    rate = int(rng.choice([RATE, RATE, 8000 if subtype == "OPUS" else RATE]))
    file = io.BytesIO()
    soundfile.write(file, resample_poly(x, rate, RATE) if rate != RATE else x, rate, format=kind, subtype=subtype)
    file.seek(0)
    y, rate = soundfile.read(file, dtype="float32")
    return np.resize(resample_poly(y, RATE // 100, rate // 100) if rate != RATE else y, len(x)).astype(np.float32)


def journey(x, rng, strength=1.0):
    """A window after a random journey. Strength scales how likely each step is."""
    if rng.random() < 0.25 * strength:
        x = reverb(x, rng)
    if rng.random() < 0.5 * strength:
        x = tilt(x, rng)
    if rng.random() < 0.6 * strength:
        x = band(x, rng)
    if rng.random() < 0.5 * strength:
        x = noise(x, rng)
    fate = rng.random() / strength
    if fate < 0.1:
        x = telephone(x, rng)
    elif fate < 0.28:
        x = lossy(x, rng)
    elif fate < 0.48:
        x = coded(x, rng)
    peak = np.abs(x).max() + 1e-9
    x = x / peak * 10 ** (-rng.uniform(0, 25) / 20)
    if rng.random() < 0.1 * strength:
        x = np.clip(x * rng.uniform(1, 3), -peak, peak)
    return (np.round(x * 32767) / 32768).astype(np.float32)
