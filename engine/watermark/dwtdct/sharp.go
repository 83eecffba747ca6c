package dwtdct

// Chroma that is stored at half the size is the low band itself. Decoders that make it whole again by weights of 3 and 1
// (libjpeg's and libwebp's "fancy" upsampling) smooth it by 1, 6 and 1 eighths in each direction; scaling does much the
// same. What is nearly its inverse sharpens the low band: -sharpness, 1 + 2 sharpness, -sharpness, in 256ths.
const sharpness = 60

// sharpenRow sharpens a row along itself.
func sharpenRow(from, to []int16) {
	last := len(from) - 1
	left := int32(from[0])
	for i, v := range from[:last] {
		at, right := int32(v), int32(from[i+1])
		to[i] = hold(((256+2*sharpness)*at - sharpness*(left+right)) >> 8)
		left = at
	}
	to[last] = hold(((256+sharpness)*int32(from[last]) - sharpness*left) >> 8)
}

// sharpenAcross sharpens a row by those above and below it.
func sharpenAcross(above, at, below, to []int16) {
	above, below, to = above[:len(at)], below[:len(at)], to[:len(at)]
	for i, v := range at {
		to[i] = hold(((256+2*sharpness)*int32(v) - sharpness*(int32(above[i])+int32(below[i]))) >> 8)
	}
}

// hold keeps a value within what a low band has.
func hold(v int32) int16 { return int16(min(max(v, -extreme), extreme)) }
