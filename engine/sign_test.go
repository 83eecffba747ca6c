package engine

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"veracity/platform/fault"
)

// stamp signs with a byte of its own.
type stamp struct {
	room, long int
	err        error
}

func (s stamp) Room() int { return s.room }

func (s stamp) Sign(context.Context, []byte) ([]byte, error) {
	return bytes.Repeat([]byte{'S'}, s.long), s.err
}

func TestASignatureTakesItsRoomAndNothingElse(t *testing.T) {
	t.Parallel()
	const file = "before....behind"
	u := Unsigned{Claim: []byte("claim"), At: 6, Room: 4}
	for name, body := range map[string]io.Reader{
		"at once":      strings.NewReader(file),
		"byte by byte": iotest.OneByteReader(strings.NewReader(file)),
	} {
		out, err := signed(t.Context(), body, u, stamp{room: 4, long: 4})
		require.NoError(t, err)
		got, err := io.ReadAll(out)
		require.NoError(t, err, name)
		require.Equal(t, "beforeSSSSbehind", string(got), name)
	}
	out, err := signed(t.Context(), strings.NewReader("before.."), u, stamp{room: 4, long: 4})
	require.NoError(t, err)
	_, err = io.ReadAll(out)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)

	_, err = signed(t.Context(), strings.NewReader(file), u, stamp{room: 4, long: 5})
	require.ErrorContains(t, err, "5 bytes")
	failure := errors.New("no key")
	_, err = signed(t.Context(), strings.NewReader(file), u, stamp{room: 4, err: failure})
	require.ErrorIs(t, err, failure)
}

func TestAnEngineSignsNothingUnasked(t *testing.T) {
	t.Parallel()
	const size = 100
	whole := func() *Unsigned { return &Unsigned{Claim: []byte("claim"), At: 10, Room: 20} }
	require.True(t, whole().valid(20, size))
	require.True(t, (*Unsigned)(nil).valid(0, size))
	require.False(t, whole().valid(0, size), "nobody asked")
	require.False(t, (*Unsigned)(nil).valid(20, size), "asked, and not there")
	for name, spoil := range map[string]func(*Unsigned){
		"another room":   func(u *Unsigned) { u.Room = 21 },
		"at the start":   func(u *Unsigned) { u.At = 0 },
		"over the end":   func(u *Unsigned) { u.At = 81 },
		"without claim":  func(u *Unsigned) { u.Claim = nil },
		"an endless one": func(u *Unsigned) { u.Claim = make([]byte, maxClaim+1) },
	} {
		u := whole()
		spoil(u)
		require.False(t, u.valid(20, size), name)
	}
}

func TestRenderHasItsOutputSigned(t *testing.T) {
	t.Parallel()
	line := strings.Replace(goodOutput, `"score":{`, `"unsigned":{"claim":"Y2xhaW0=","at":2,"room":3},"score":{`, 1)
	client, _ := play(t, jobEngine(nil, line+"output"))
	var kept bytes.Buffer
	req := rendering(readAll(&kept))
	req.Sign = stamp{room: 3, long: 3}
	_, err := client.Render(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, "ouSSSt", kept.String())

	client, _ = play(t, jobEngine(nil, goodOutput+"output"))
	req = rendering(readAll(&kept))
	req.Sign = stamp{room: 3, long: 3}
	_, err = client.Render(t.Context(), req)
	require.Equal(t, fault.EngineError, fault.CodeOf(err), "an output that cannot be signed is none: %v", err)
}
