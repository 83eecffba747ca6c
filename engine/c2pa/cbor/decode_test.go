package cbor_test

import (
	"bytes"
	"encoding/hex"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/cbor"
)

func unhex(tb testing.TB, s string) []byte {
	tb.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	require.NoError(tb, err)
	return b
}

func decode(tb testing.TB, s string) cbor.Value {
	tb.Helper()
	v, err := cbor.Decode(unhex(tb, s))
	require.NoError(tb, err)
	return v
}

// tag is what [plain] makes of a tagged value, simple of a simple one, big of an integer beyond int64.
type (
	tag    struct{ number, content any }
	simple byte
	big    string
)

// plain is a value in terms of Go, with maps as lists of pairs.
func plain(tb testing.TB, v cbor.Value) any {
	tb.Helper()
	switch v.Kind() {
	case cbor.Integer:
		if n, ok := v.Int(); ok {
			return n
		}
		return big(hex.EncodeToString(v.Raw()))
	case cbor.Bytes:
		b, ok := v.Bytes()
		require.True(tb, ok)
		return b
	case cbor.Text:
		s, ok := v.Text()
		require.True(tb, ok)
		return s
	case cbor.Array:
		out := []any{}
		for _, e := range v.Elements() {
			out = append(out, plain(tb, e))
		}
		return out
	case cbor.Map:
		out := [][2]any{}
		for _, p := range v.Pairs() {
			out = append(out, [2]any{plain(tb, p.Key), plain(tb, p.Value)})
		}
		return out
	case cbor.Tag:
		n, content, ok := v.Tagged()
		require.True(tb, ok)
		return tag{n, plain(tb, content)}
	case cbor.Bool:
		b, ok := v.Bool()
		require.True(tb, ok)
		return b
	case cbor.Float:
		f, ok := v.Float()
		require.True(tb, ok)
		return f
	case cbor.Null:
		return nil
	case cbor.Simple:
		raw := v.Raw()
		if len(raw) == 2 {
			return simple(raw[1])
		}
		return simple(raw[0] & 31)
	case cbor.Absent, cbor.Undefined:
	}
	return v.Kind()
}

// upTo25 is the array of 1 to 25.
func upTo25() []any {
	var out []any
	for i := range int64(25) {
		out = append(out, i+1)
	}
	return out
}

func TestTheExamplesOfRFC8949AreRead(t *testing.T) {
	t.Parallel()
	type pairs = [][2]any
	letters := pairs{{"a", "A"}, {"b", "B"}, {"c", "C"}, {"d", "D"}, {"e", "E"}}
	nested := []any{int64(1), []any{int64(2), int64(3)}, []any{int64(4), int64(5)}}
	// Appendix A.
	for in, want := range map[string]any{
		"00": int64(0), "01": int64(1), "0a": int64(10), "17": int64(23), "1818": int64(24), "1819": int64(25), "1864": int64(100),
		"1903e8": int64(1000), "1a000f4240": int64(1000000), "1b000000e8d4a51000": int64(1000000000000),
		"1bffffffffffffffff": big("1bffffffffffffffff"), "3bffffffffffffffff": big("3bffffffffffffffff"),
		"c249010000000000000000": tag{uint64(2), []byte{1, 0, 0, 0, 0, 0, 0, 0, 0}},
		"c349010000000000000000": tag{uint64(3), []byte{1, 0, 0, 0, 0, 0, 0, 0, 0}},
		"20":                     int64(-1), "29": int64(-10), "3863": int64(-100), "3903e7": int64(-1000),
		"f90000": 0.0, "f98000": math.Copysign(0, -1), "f93c00": 1.0, "fb3ff199999999999a": 1.1, "f93e00": 1.5, "f97bff": 65504.0,
		"fa47c35000": 100000.0, "fa7f7fffff": 3.4028234663852886e+38, "fb7e37e43c8800759c": 1.0e+300,
		"f90001": 5.960464477539063e-8, "f90400": 0.00006103515625, "f9c400": -4.0, "fbc010666666666666": -4.1,
		"f97c00": math.Inf(1), "f9fc00": math.Inf(-1), "fa7f800000": math.Inf(1), "faff800000": math.Inf(-1),
		"fb7ff0000000000000": math.Inf(1), "fbfff0000000000000": math.Inf(-1),
		"f4": false, "f5": true, "f6": nil, "f7": cbor.Undefined, "f0": simple(16), "f8ff": simple(255),
		"c074323031332d30332d32315432303a30343a30305a": tag{uint64(0), "2013-03-21T20:04:00Z"},
		"c11a514b67b0": tag{uint64(1), int64(1363896240)}, "c1fb41d452d9ec200000": tag{uint64(1), 1363896240.5},
		"d74401020304": tag{uint64(23), []byte{1, 2, 3, 4}}, "d818456449455446": tag{uint64(24), []byte("dIETF")},
		"d82076687474703a2f2f7777772e6578616d706c652e636f6d": tag{uint64(32), "http://www.example.com"},
		"40": []byte{}, "4401020304": []byte{1, 2, 3, 4}, "60": "", "6161": "a", "6449455446": "IETF", "62225c": `"\`,
		"62c3bc": "\u00fc", "63e6b0b4": "\u6c34", "64f0908591": "\U00010151",
		"80": []any{}, "83010203": []any{int64(1), int64(2), int64(3)}, "8301820203820405": nested,
		"98190102030405060708090a0b0c0d0e0f101112131415161718181819": upTo25(),
		"a0": pairs{}, "a201020304": pairs{{int64(1), int64(2)}, {int64(3), int64(4)}},
		"a26161016162820203":                         pairs{{"a", int64(1)}, {"b", []any{int64(2), int64(3)}}},
		"826161a161626163":                           []any{"a", pairs{{"b", "c"}}},
		"a56161614161626142616361436164614461656145": letters,
		"5f42010243030405ff":                         []byte{1, 2, 3, 4, 5}, "7f657374726561646d696e67ff": "streaming",
		"9fff": []any{}, "9f018202039f0405ffff": nested, "9f01820203820405ff": nested, "83018202039f0405ff": nested,
		"83019f0203ff820405": nested,
		"9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff": upTo25(), "826161bf61626163ff": []any{"a", pairs{{"b", "c"}}},
		"bf61610161629f0203ffff": pairs{{"a", int64(1)}, {"b", []any{int64(2), int64(3)}}}, "bf6346756ef563416d7421ff": pairs{{"Fun", true}, {"Amt", int64(-2)}},
	} {
		t.Run(in, func(t *testing.T) {
			t.Parallel()
			v := decode(t, in)
			require.Equal(t, want, plain(t, v))
			require.Equal(t, unhex(t, in), v.Raw())
			require.Equal(t, unhex(t, in), cbor.Encode(v))
		})
	}
	for _, in := range []string{"f97e00", "fa7fc00000", "fb7ff8000000000000"} {
		f, ok := decode(t, in).Float()
		require.True(t, ok && math.IsNaN(f))
	}
}

func TestWhatIsNoValidCBORIsRefused(t *testing.T) {
	t.Parallel()
	long := strings.Repeat
	for name, in := range map[string]string{
		"nothing": "", "bytes behind": "0000", "cut length": "19 01", "cut string": "43 01 02", "cut array": "82 01", "cut map": "a1 01",
		"an array without end": "9f 01", "a map without end": "bf 01 02", "a string without end": "5f 41 01", "a tag alone": "c0",
		"reserved 28": "1c", "reserved 29": "3d", "reserved 30": "5e", "reserved simple": "fc", "a break alone": "ff", "a break in an array": "81 ff",
		"a break as a value": "bf 01 ff", "an integer of no length": "1f", "a negative of no length": "3f", "a tag of no number": "df 00",
		"a chunk of text in bytes": "5f 61 61 ff", "a chunk of bytes in text": "7f 41 61 ff", "a chunk in chunks": "5f 5f 41 00 ff ff",
		"a simple value in two bytes": "f8 14", "one more of those": "f8 1f", "no UTF-8": "61 ff", "a letter cut by chunks": "7f 61 c3 61 bc ff",
		"a key twice": "a2 61 61 01 61 61 02", "a key twice in two lengths": "a2 01 00 1801 00", "a key twice in chunks": "a2 61 61 00 7f 61 61 ff 00",
		"a key twice, of no length": "bf 01 00 01 00 ff", "a map as key": "a1 a0 00", "an array as key": "a1 80 00", "a tag as key": "a1 c1 00 00",
		"a float as key twice": "a2 f9 3c00 00 fa 3f800000 00", "a claim of all memory": "9b 7f ff ff ff ff ff ff ff",
		"a string of all memory": "5b ff ff ff ff ff ff ff ff", "a map of all memory": "bb ff ff ff ff ff ff ff ff",
		"too deep": long("81", 64) + "00", "too deep in tags": long("c1", 64) + "00", "far too deep": long("9f", 1_000_000), "too many": "9a 000186a0" + long("00", 100_000),
		"too many chunks": "7f" + long("60", 100_000) + "ff", "too many of no length": "9f" + long("00", 100_000) + "ff",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := cbor.Decode(unhex(t, in))
			require.ErrorIs(t, err, cbor.ErrInvalid)
		})
	}
}

func TestItemsUpToTheBoundsAreRead(t *testing.T) {
	t.Parallel()
	decode(t, strings.Repeat("81", 63)+"00")
	require.Len(t, decode(t, "9a 0001869f"+strings.Repeat("00", 99_999)).Elements(), 99_999)
	decode(t, "a3 01 00 20 00 f93c00 00") // 1, -1 and 1.0 are three keys.
}

func TestAccessorsAnswerForTheirKindAlone(t *testing.T) {
	t.Parallel()
	v := decode(t, "a6 6161 01 20 6162 6162 42 0102 6163 81 f5 6164 c1 00 6165 f6")
	require.Equal(t, cbor.Map, v.Kind())
	require.Len(t, v.Pairs(), 6)
	n, ok := v.Get("a").Int()
	require.True(t, ok)
	require.EqualValues(t, 1, n)
	f, ok := v.Get("a").Float()
	require.True(t, ok)
	require.InDelta(t, 1, f, 0)
	s, ok := v.GetInt(-1).Text()
	require.True(t, ok)
	require.Equal(t, "b", s)
	require.Equal(t, []byte{0x61, 0x62}, v.GetInt(-1).Raw())
	require.Equal(t, cbor.Bool, v.Get("c").Elements()[0].Kind())
	for _, other := range []cbor.Value{v.Get("e"), v.Get("none"), v.Get("a").Get("a"), {}, decode(t, "f0")} {
		_, ok = other.Text()
		require.False(t, ok)
		_, ok = other.Bytes()
		require.False(t, ok)
		_, ok = other.Int()
		require.False(t, ok)
		_, ok = other.Float()
		require.False(t, ok)
		_, ok = other.Bool()
		require.False(t, ok)
		_, _, ok = other.Tagged()
		require.False(t, ok)
		require.Nil(t, other.Elements())
		require.Nil(t, other.Pairs())
		require.Equal(t, cbor.Absent, other.Get("a").Kind())
		require.Equal(t, cbor.Absent, other.GetInt(1).Kind())
	}
	minus, ok := decode(t, "3bffffffffffffffff").Float()
	require.True(t, ok)
	require.InDelta(t, -18446744073709551616.0, minus, 0)
}

// requireCheap demands that what f does takes less than 64 MB of memory, and ends: it takes some milliseconds where the
// machine is idle.
func requireCheap(tb testing.TB, f func()) {
	tb.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	f()
	require.Less(tb, time.Since(start), 30*time.Second)
	runtime.ReadMemStats(&after)
	require.Less(tb, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
}

func TestHostileItemsTakeLittle(t *testing.T) { //nolint:paralleltest // Allocations are counted for the whole process.
	var keys []byte
	for i := range 49_000 {
		keys = append(keys, cbor.Encode(i)...)
		keys = append(keys, 0)
	}
	for name, in := range map[string][]byte{
		"nested claims": bytes.Repeat(unhex(t, "9a0000ffff"), 60),
		"many items":    append(unhex(t, "9f"), bytes.Repeat([]byte{0x80}, 99_999)...),
		"many keys":     append(unhex(t, "bf"), append(keys, 0xFF)...),
		"long keys":     append(append(append(unhex(t, "a2"), cbor.Encode(make([]byte, 1<<20))...), 0), append(cbor.Encode(make([]byte, 1<<20+1)), 0)...),
		"empty chunks":  append(unhex(t, "5f"), bytes.Repeat([]byte{0x40}, 99_998)...),
	} {
		requireCheap(t, func() {
			v, err := cbor.Decode(in)
			if err != nil {
				require.ErrorIs(t, err, cbor.ErrInvalid, name)
			}
			_ = v
		})
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"a26161016162820203", "bf61610161629f0203ffff", "d284 43a10126 a1 1821 80 f6 41 00", "5f42010243030405ff", "fb3ff199999999999a",
		"c074323031332d30332d32315432303a30343a30305a", "f8ff", "a3 01 00 20 00 f93c00 00", "9b7fffffffffffffff",
	} {
		f.Add(unhex(f, seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := cbor.Decode(data)
		if err != nil {
			require.ErrorIs(t, err, cbor.ErrInvalid)
			return
		}
		require.Equal(t, data, v.Raw())
		written := cbor.Encode(rewritten(v))
		again, err := cbor.Decode(written)
		require.NoError(t, err)
		require.Equal(t, written, cbor.Encode(rewritten(again)), "what was written once is written the same again")
	})
}
