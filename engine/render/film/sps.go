package film

// Profiles of H.264 (ITU-T H.264, A.2) that every player takes.
const (
	profileMain = 77
	profileHigh = 100
)

// sequence is what the first sequence parameter set of an H.264 track says.
type sequence struct {
	profile int
	// whole says that every picture is a frame, none a field.
	whole bool
}

// readSequence reads an avcC box (ISO/IEC 14496-15, 5.3.3.1) up to frame_mbs_only_flag of its first parameter set (ITU-T
// H.264, 7.3.2.1.1). It knows profiles Main and High; others, and what is broken, are not ok.
func readSequence(avcC []byte) (s sequence, ok bool) {
	const head = 8 // version, profile, compatibility, level, lengths, count, and the first set's length
	if len(avcC) < head || avcC[5]&0x1f == 0 {
		return sequence{}, false
	}
	size := int(avcC[6])<<8 | int(avcC[7])
	set := avcC[head:]
	if size < 4 || size > len(set) || set[0]&0x1f != 7 {
		return sequence{}, false
	}
	s.profile = int(set[1])
	b := &bits{data: unescaped(set[4:size])}
	b.golomb() // seq_parameter_set_id
	switch s.profile {
	case profileMain:
	case profileHigh:
		if b.golomb() != 1 || b.golomb() != 0 || b.golomb() != 0 {
			return sequence{}, false // Not 4:2:0 of 8 bits.
		}
		b.read(1) // qpprime_y_zero_transform_bypass_flag
		if b.read(1) == 1 {
			skipScaling(b)
		}
	default:
		return sequence{}, false
	}
	b.golomb() // log2_max_frame_num_minus4
	skipOrder(b)
	b.golomb() // max_num_ref_frames
	b.read(1)  // gaps_in_frame_num_value_allowed_flag
	b.golomb() // pic_width_in_mbs_minus1
	b.golomb() // pic_height_in_map_units_minus1
	s.whole = b.read(1) == 1
	return s, !b.broken
}

// skipScaling passes over the scaling lists of an SPS for 4:2:0: six of 16 numbers and two of 64 (7.3.2.1.1.1).
func skipScaling(b *bits) {
	for i := range 8 {
		if b.read(1) == 0 {
			continue
		}
		numbers := 16
		if i >= 6 {
			numbers = 64
		}
		last, next := 8, 8
		for range numbers {
			if next != 0 {
				next = (last + b.signed() + 256) % 256
			}
			if next != 0 {
				last = next
			}
		}
	}
}

// skipOrder passes over what tells the order of pictures.
func skipOrder(b *bits) {
	switch b.golomb() {
	case 0:
		b.golomb()
	case 1:
		b.read(1)
		b.signed()
		b.signed()
		for range min(b.golomb(), 255) {
			b.signed()
		}
	}
}

// unescaped leaves out the emulation prevention bytes (7.4.1.1).
func unescaped(b []byte) []byte {
	out := make([]byte, 0, len(b))
	zeros := 0
	for _, c := range b {
		if zeros >= 2 && c == 3 {
			zeros = 0
			continue
		}
		zeros++
		if c != 0 {
			zeros = 0
		}
		out = append(out, c)
	}
	return out
}

// bits reads big-endian bits. Beyond the end it gives zeros and is broken.
type bits struct {
	data   []byte
	at     int
	broken bool
}

func (b *bits) read(n int) (value int) {
	for range n {
		if b.at >= 8*len(b.data) {
			b.broken = true
			return 0
		}
		value = value<<1 | int(b.data[b.at/8]>>(7-b.at%8)&1)
		b.at++
	}
	return value
}

// golomb reads ue(v), at most 31 bits long (9.1).
func (b *bits) golomb() int {
	zeros := 0
	for b.read(1) == 0 {
		if zeros++; b.broken || zeros > 15 {
			b.broken = true
			return 0
		}
	}
	return 1<<zeros - 1 + b.read(zeros)
}

// signed reads se(v) (9.1.1).
func (b *bits) signed() int {
	n := b.golomb()
	if n%2 == 0 {
		return -n / 2
	}
	return (n + 1) / 2
}
