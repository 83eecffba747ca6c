package pixels_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest"
	"veracity/engine/model"
	"veracity/engine/model/modeltest"
	"veracity/engine/pixels"
	"veracity/engine/pixels/pixelstest"
)

// BenchmarkRead measures the lane without a network, and with one of the size of the product's own.
func BenchmarkRead(b *testing.B) {
	const side, count = 224, 16
	spec := modeltest.PixelsSpec()
	spec.Input.Width, spec.Input.Height, spec.Crop.Count = side, side, count
	onnx, _ := modeltest.Convolutions(side, 16, 32, 64, 128, 128)
	for _, size := range [][2]int{{1152, 864}, {4000, 3000}} {
		m := rgb(mediatest.Photo(size[0], size[1]))
		for name, network := range map[string]func() pixels.Network{
			"patches, no network":   func() pixels.Network { return pixelstest.Patches(side, count, pixelstest.Always(0)) },
			"patches and a network": func() pixels.Network { return modeltest.Open(b, spec, onnx) },
			"whole, no network": func() pixels.Network {
				n := pixelstest.Patches(side, count, pixelstest.Always(0))
				n.Crop.Policy = model.Resize
				return n
			},
		} {
			b.Run(fmt.Sprintf("%.0f megapixels, %s", float64(size[0]*size[1])/1e6, name), func(b *testing.B) {
				n := network()
				b.ReportAllocs()
				for b.Loop() {
					_, err := pixels.Read(b.Context(), n, m)
					require.NoError(b, err)
				}
			})
		}
	}
}
