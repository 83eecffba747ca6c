package probe

// NAL unit types (ITU-T H.265, table 7-1). Types below nalParameterSets carry slices.
const (
	nalParameterSets = 32
	nalSPS           = 33
)

// scanHEVC walks the length-prefixed NAL units of an item (ISO/IEC 14496-15) without decoding.
func scanHEVC(data []byte, size *codedSize) error {
	c := cursor{data: data}
	for units := 0; c.left() > 0; units++ {
		if units == maxUnits {
			return excessive("more than %d HEVC units", maxUnits)
		}
		length := c.be32()
		if uint64(length) > uint64(len(c.data[c.at:])) {
			return malformed("HEVC unit runs past the item")
		}
		if err := size.nal(c.take(int(length))); err != nil {
			return err
		}
	}
	return nil
}

func (s *codedSize) nal(unit []byte) error {
	if len(unit) < 3 {
		return nil
	}
	kind := unit[0] >> 1 & 0x3F
	if kind == nalSPS {
		width, height, ok := hevcSPSSize(unit[2:])
		if !ok {
			return malformed("HEVC sequence parameter set")
		}
		s.grow(width, height)
	}
	firstSlice := unit[2]&0x80 != 0
	if kind < nalParameterSets && firstSlice {
		if s.frames++; s.frames > maxFrames {
			return excessive("more than %d HEVC pictures in one item", maxFrames)
		}
	}
	return nil
}

// scanHVCC reads the parameter sets of a decoder configuration record (ISO/IEC 14496-15, 8.3.3.1).
func scanHVCC(record []byte, size *codedSize) error {
	c := cursor{data: record}
	c.skip(21)
	if lengthSize := c.u8()&3 + 1; lengthSize != 4 && !c.failed {
		return unsupported("HEVC units with %d-byte lengths", lengthSize)
	}
	arrays := c.u8()
	for range arrays {
		c.skip(1)
		count := c.be16()
		for range count {
			if err := size.nal(c.take(int(c.be16()))); err != nil {
				return err
			}
			if c.failed {
				return malformed("HEVC configuration")
			}
		}
	}
	if c.failed {
		return malformed("HEVC configuration")
	}
	return nil
}

// hevcSPSSize reads seq_parameter_set_rbsp (ITU-T H.265, 7.3.2.2) up to the picture size.
func hevcSPSSize(payload []byte) (width, height int, ok bool) {
	const enough = 256
	r := bitReader{data: unescape(payload[:min(len(payload), enough)])}
	r.bits(4)
	subLayers := uint(r.bits(3))
	r.bits(1)
	hevcProfile(&r, subLayers)
	r.golomb()
	if chroma := r.golomb(); chroma == 3 {
		r.bits(1)
	}
	w, h := r.golomb(), r.golomb()
	const largest = 1 << 20
	if r.failed || w > largest || h > largest {
		return 0, 0, false
	}
	return int(w), int(h), true
}

// hevcProfile skips profile_tier_level (ITU-T H.265, 7.3.3).
func hevcProfile(r *bitReader, subLayers uint) {
	for range 3 {
		r.bits(32)
	}
	if subLayers == 0 {
		return
	}
	var profiles, levels uint
	for i := range uint(8) {
		hasProfile, hasLevel := r.flag(), r.flag()
		if i < subLayers && hasProfile {
			profiles++
		}
		if i < subLayers && hasLevel {
			levels++
		}
	}
	for range profiles {
		r.bits(32)
		r.bits(32)
		r.bits(24)
	}
	for range levels {
		r.bits(8)
	}
}

// unescape drops the emulation-prevention bytes: 00 00 03 stands for 00 00.
func unescape(b []byte) []byte {
	out := make([]byte, 0, len(b))
	zeros := 0
	for _, v := range b {
		if zeros >= 2 && v == 3 {
			zeros = 0
			continue
		}
		if v == 0 {
			zeros++
		} else {
			zeros = 0
		}
		out = append(out, v)
	}
	return out
}
