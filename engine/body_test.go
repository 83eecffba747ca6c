package engine

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestABodyIsReadBetweenOpenAndSealAlone(t *testing.T) {
	t.Parallel()
	source := strings.NewReader("pixels")
	body := newGatedBody(t.Context(), Source{Body: source, Size: 6})
	_, err := body.Read(make([]byte, 3))
	require.ErrorIs(t, err, errNotAdmitted)
	body.open()
	n, err := body.Read(make([]byte, 3))
	require.NoError(t, err)
	require.Equal(t, 3, n)
	require.NoError(t, body.seal())
	_, err = body.Read(make([]byte, 3))
	require.ErrorIs(t, err, errSealed)
	require.Equal(t, 3, source.Len())
}
