package probe

// bitReader reads big-endian bit fields. Past the end it gives zeros and sets failed.
type bitReader struct {
	data   []byte
	at     uint
	failed bool
}

func (r *bitReader) bits(n uint) uint32 {
	var v uint32
	for range n {
		i := r.at / 8
		if i >= uint(len(r.data)) {
			r.failed = true
			return 0
		}
		v = v<<1 | uint32(r.data[i]>>(7-r.at%8)&1)
		r.at++
	}
	return v
}

func (r *bitReader) flag() bool { return r.bits(1) == 1 }

// golomb reads an unsigned Exp-Golomb number (ITU-T H.265, 9.2), which AV1 calls uvlc.
func (r *bitReader) golomb() uint32 {
	var zeros uint
	for !r.flag() {
		if zeros++; r.failed || zeros > 31 {
			r.failed = true
			return 0
		}
	}
	return 1<<zeros - 1 + r.bits(zeros)
}
