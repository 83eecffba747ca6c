package engine

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/splice"
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
	u := splice.Unsigned{Claim: []byte("claim"), At: 6, Room: 4}
	out, err := signed(t.Context(), strings.NewReader(file), u, stamp{room: 4, long: 4})
	require.NoError(t, err)
	got, err := io.ReadAll(out)
	require.NoError(t, err)
	require.Equal(t, "beforeSSSSbehind", string(got))

	_, err = signed(t.Context(), strings.NewReader(file), u, stamp{room: 4, long: 5})
	require.ErrorContains(t, err, "5 bytes")
	failure := errors.New("no key")
	_, err = signed(t.Context(), strings.NewReader(file), u, stamp{room: 4, err: failure})
	require.ErrorIs(t, err, failure)
}

func TestAnEngineSignsNothingUnasked(t *testing.T) {
	t.Parallel()
	const size = 100
	whole := func() *splice.Unsigned { return &splice.Unsigned{Claim: []byte("claim"), At: 10, Room: 20} }
	require.True(t, signable(whole(), 20, size))
	require.True(t, signable(nil, 0, size))
	require.False(t, signable(whole(), 0, size), "nobody asked")
	require.False(t, signable(nil, 20, size), "asked, and not there")
	for name, spoil := range map[string]func(*splice.Unsigned){
		"another room":   func(u *splice.Unsigned) { u.Room = 21 },
		"at the start":   func(u *splice.Unsigned) { u.At = 0 },
		"over the end":   func(u *splice.Unsigned) { u.At = 81 },
		"without claim":  func(u *splice.Unsigned) { u.Claim = nil },
		"an endless one": func(u *splice.Unsigned) { u.Claim = make([]byte, maxClaim+1) },
	} {
		u := whole()
		spoil(u)
		require.False(t, signable(u, 20, size), name)
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
