package film

import (
	"fmt"
	"math"
	"strings"

	"veracity/engine/ffmpeg"
)

// stage is the re-rendering of a source's pictures (stage 1). ffmpeg itself turns them upright before these filters.
type stage struct {
	rate          ffmpeg.Rate
	width, height int
	// scaledWidth and scaledHeight differ from width and height by the odd column and row that are cropped.
	scaledWidth, scaledHeight int
	// convert says what the scale filter does to colours, "" when nothing is to be done to them.
	convert string
	// matrix and span are those of the source, in the scale filter's spelling.
	matrix, span string
	// tone maps code values of high dynamic range or wide gamuts; nil for others. cube is the file that it lies in.
	tone *tone
	cube string
}

func newStage(v ffmpeg.Video, cfg Config) stage {
	s := stage{rate: outputRate(v, cfg.MaxFrames), matrix: scaleMatrix(v), span: scaleRange(v), tone: newTone(v)}
	s.shape(v, cfg)
	if v.PixelFormat != pixelFormat || s.matrix != standardMatrix || v.Range == "pc" {
		s.convert = ":out_color_matrix=" + standardMatrix + ":out_range=tv" + s.source()
	}
	return s
}

// shape finds the size. A picture that needs no scaling loses its last column or row when their number is odd, as 4:2:0
// needs: that leaves all other pixels as they are. One that is scaled anyway is scaled to even sizes.
func (s *stage) shape(v ffmpeg.Video, cfg Config) {
	coded := [2]int{v.CodedWidth, v.CodedHeight}
	if v.Rotation == 90 || v.Rotation == 270 {
		coded = [2]int{v.CodedHeight, v.CodedWidth}
	}
	width, height := float64(v.Width), float64(v.Height)
	shrink := min(1, math.Sqrt(float64(cfg.MaxPixels)/(width*height)), float64(cfg.MaxSide)/max(width, height))
	s.width, s.height = even(width*shrink), even(height*shrink)
	s.scaledWidth, s.scaledHeight = s.width, s.height
	if shrink == 1 && coded == [2]int{v.Width, v.Height} && v.Width > 1 && v.Height > 1 {
		s.scaledWidth, s.scaledHeight = v.Width, v.Height
	}
}

// even is the largest even number that is not above side, and at least 2.
func even(side float64) int { return max(2, int(side)/2*2) }

func (s *stage) cropped() bool { return s.scaledWidth != s.width || s.scaledHeight != s.height }

// filters is the chain from decoded, upright pictures to those that are coded. The scale filter stands in it always: should
// the size change amid the clip, the encoder never sees it. The deinterlacer leaves alone all pictures but those that the
// decoder says are interlaced.
func (s *stage) filters(more ...string) string {
	chain := []string{s.pace(), "fps=" + s.rateText() + ":start_time=0"}
	size := fmt.Sprintf("scale=%d:%d:flags=bicubic+accurate_rnd+full_chroma_int", s.scaledWidth, s.scaledHeight)
	if s.tone == nil {
		chain = append(chain, size+s.convert)
	} else {
		chain = append(chain, size+s.source(), "format=gbrp16le", "lut3d=file="+quoted(s.cube)+":interp=tetrahedral",
			"scale=flags=bicubic+accurate_rnd+full_chroma_int:out_color_matrix="+standardMatrix+":out_range=tv")
	}
	chain = append(chain, "format="+pixelFormat, "bwdif=mode=send_frame:deint=interlaced")
	if s.cropped() {
		chain = append(chain, fmt.Sprintf("crop=%d:%d:0:0", s.width, s.height))
	}
	chain = append(chain, "setsar=1", "setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709")
	return strings.Join(append(chain, more...), ",")
}

// pace puts each picture into a slot of the constant rate: the one behind the last picture's while that is less than one
// slot from the picture's own time, else the nearest. So times that were rounded, or that waver about their slots, neither
// drop nor repeat a picture, as rounding each alone would; only what runs ahead or falls behind does. Variable 0 of the
// expression is the last slot, variable 1 the picture's time in slots.
func (s *stage) pace() string {
	num, den := s.rate.Num, s.rate.Den
	return fmt.Sprintf("setpts='st(1,T*%d/%d);st(0,if(eq(N,0),round(ld(1)),if(lt(abs(ld(1)-ld(0)-1),1),ld(0)+1,"+
		"max(ld(0),round(ld(1))))))*%d/%d/TB+0.5'", num, den, den, num)
}

// source says to the scale filter what the source's samples mean.
func (s *stage) source() string {
	var options string
	if s.matrix != "" {
		options += ":in_color_matrix=" + s.matrix
	}
	if s.span != "" {
		options += ":in_range=" + s.span
	}
	return options
}

const (
	pixelFormat    = "yuv420p"
	standardMatrix = "bt709"
	// standardDefinition is the matrix of BT.601 in the scale filter's spelling.
	standardDefinition = "smpte170m"
	// highDefinition is the size from which video that does not name its matrix is taken for BT.709, as players do.
	highDefinition = 720
)

// scaleMatrix is the matrix of the source's luma and chroma, "" for those that the scale filter knows by the pixel format.
func scaleMatrix(v ffmpeg.Video) string {
	switch v.Matrix {
	case "bt709", "fcc", "smpte240m":
		return v.Matrix
	case "smpte170m", "bt470bg":
		return standardDefinition
	case "bt2020nc", "bt2020c":
		return "bt2020"
	case "gbr", "ycgco", "ycocg":
		return ""
	}
	switch {
	case v.HDR:
		return "bt2020"
	case min(v.CodedWidth, v.CodedHeight) >= highDefinition:
		return standardMatrix
	}
	return standardDefinition
}

// scaleRange is the range of the samples where the file names it; else the scale filter goes by the pixel format.
func scaleRange(v ffmpeg.Video) string {
	if v.Range == "tv" || v.Range == "pc" {
		return v.Range
	}
	return ""
}

// quoted is a path as the value of a filter's option, in a filter graph: escaped once for each of the two.
func quoted(path string) string {
	option := strings.NewReplacer(`\`, `\\`, `'`, `\'`, `:`, `\:`)
	graph := strings.NewReplacer(`\`, `\\`, `'`, `\'`, `[`, `\[`, `]`, `\]`, `,`, `\,`, `;`, `\;`)
	return graph.Replace(option.Replace(path))
}
