package cbor_test

import (
	"encoding/hex"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"veracity/engine/c2pa/cbor"
)

// rewritten is what was read in terms of what is written. Keys that are neither text nor small stay as they are.
func rewritten(v cbor.Value) any {
	switch v.Kind() {
	case cbor.Integer:
		if n, ok := v.Int(); ok {
			return n
		}
		return v
	case cbor.Bytes:
		b, _ := v.Bytes()
		return b
	case cbor.Text:
		s, _ := v.Text()
		return s
	case cbor.Array:
		out := []any{}
		for _, e := range v.Elements() {
			out = append(out, rewritten(e))
		}
		return out
	case cbor.Map:
		out := cbor.Members{}
		for _, p := range v.Pairs() {
			out = append(out, cbor.Member{Key: rewritten(p.Key), Value: rewritten(p.Value)})
		}
		return out
	case cbor.Tag:
		n, content, _ := v.Tagged()
		return cbor.TagOf{Number: n, Content: rewritten(content)}
	case cbor.Bool:
		b, _ := v.Bool()
		return b
	case cbor.Float:
		f, _ := v.Float()
		return f
	case cbor.Null:
		return nil
	default:
		return v
	}
}

func TestValuesAreWrittenInTheirShortestForm(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]any{
		"17": 23, "1818": 24, "18ff": 255, "190100": 256, "19ffff": 65535, "1a00010000": 65536, "1b0000000100000000": int64(1) << 32,
		"1bffffffffffffffff": uint64(math.MaxUint64), "20": -1, "37": -24, "3818": -25, "3b7fffffffffffffff": int64(math.MinInt64),
		"f4": false, "f5": true, "f6": nil, "f7": cbor.Value{}, "40": []byte{}, "60": "", "80": []any{}, "a0": cbor.Members{},
		"8261616162": []string{"a", "b"}, "83f6014100": []any{nil, 1, []byte{0}}, "a2616201616102": cbor.Members{{"b", 1}, {"a", 2}},
		"a12661 78": cbor.Members{{-7, "x"}}, "d28100": cbor.TagOf{Number: 18, Content: []any{0}}, "811817": []any{cbor.Encoded{0x18, 0x17}},
		"f90000": 0.0, "f98000": math.Copysign(0, -1), "f93c00": 1.0, "f97bff": 65504.0, "fa47800000": 65536.0, "fa47c35000": 100000.0,
		"fb3ff199999999999a": 1.1, "f90001": 0x1p-24, "f90400": 0x1p-14, "f903ff": 0x1.ff8p-15, "fa33000000": 0x1p-25, "fa387fe000": 0x1.ffcp-15,
		"f97e00": math.NaN(), "f97c00": math.Inf(1), "f9fc00": math.Inf(-1), "fa7f7fffff": float64(math.MaxFloat32), "fb7e37e43c8800759c": 1.0e+300,
	} {
		require.Equal(t, unhex(t, want), cbor.Encode(v), want)
	}
	require.Panics(t, func() { cbor.Encode(struct{}{}) })
}

// values draws what can be written, depth levels deep at most, as decoding it gives it back.
func values(depth int) *rapid.Generator[any] {
	leaves := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.Int64().AsAny(), rapid.String().AsAny(), rapid.Float64().AsAny(),
		rapid.SliceOf(rapid.Byte()).AsAny(), rapid.Map(rapid.Float32(), func(f float32) any { return float64(f) }),
	}
	if depth == 0 {
		return rapid.OneOf(leaves...)
	}
	inner := values(depth - 1)
	return rapid.OneOf(append(leaves,
		rapid.SliceOfN(inner, 0, 30).AsAny(),
		rapid.Custom(func(t *rapid.T) any {
			return cbor.TagOf{Number: rapid.Uint64().Draw(t, "tag"), Content: inner.Draw(t, "content")}
		}),
		rapid.Custom(func(t *rapid.T) any {
			out := cbor.Members{}
			for _, key := range rapid.SliceOfNDistinct(rapid.String(), 0, 30, rapid.ID).Draw(t, "keys") {
				out = append(out, cbor.Member{Key: key, Value: inner.Draw(t, "value")})
			}
			return out
		}),
	)...)
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := values(3).Draw(t, "value")
		written := cbor.Encode(want)
		v, err := cbor.Decode(written)
		if err != nil {
			t.Fatalf("%s: %v", hex.EncodeToString(written), err)
		}
		require.Equal(t, want, rewritten(v))
		require.Equal(t, written, cbor.Encode(rewritten(v)))
	})
}
