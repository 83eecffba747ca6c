package splice_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/splice"
)

func TestASignatureGoesExactlyIntoItsRoom(t *testing.T) {
	t.Parallel()
	output := []byte("before....after")
	u := splice.Unsigned{At: 6, Room: 4}
	for name, r := range map[string]func(io.Reader) io.Reader{
		"whole": func(r io.Reader) io.Reader { return r }, "by bytes": iotest.OneByteReader, "by halves": iotest.HalfReader, "with its end": iotest.DataErrReader,
	} {
		spliced, err := splice.Into(r(bytes.NewReader(output)), u, []byte("SIGN"))
		require.NoError(t, err, name)
		out, err := io.ReadAll(spliced)
		require.NoError(t, err, name)
		require.Equal(t, "beforeSIGNafter", string(out), name)
	}
	for _, signature := range []string{"", "SIG", "SIGNS"} {
		_, err := splice.Into(bytes.NewReader(output), u, []byte(signature))
		require.Error(t, err)
	}
	_, err := splice.Into(bytes.NewReader(output), splice.Unsigned{At: -1, Room: 4}, []byte("SIGN"))
	require.Error(t, err)
	for _, length := range []int{0, 5, 6, 9} {
		spliced, err := splice.Into(bytes.NewReader(output[:length]), u, []byte("SIGN"))
		require.NoError(t, err)
		_, err = io.ReadAll(spliced)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	}
	lost := errors.New("lost")
	spliced, err := splice.Into(iotest.ErrReader(lost), u, []byte("SIGN"))
	require.NoError(t, err)
	_, err = io.ReadAll(spliced)
	require.ErrorIs(t, err, lost)
}

func TestAChecksumBehindASignatureCoversIt(t *testing.T) {
	t.Parallel()
	sum := crc32.ChecksumIEEE([]byte("before"))
	u := splice.Unsigned{At: 6, Room: 4, Sum: &sum}
	require.EqualValues(t, 8, u.Length())
	out, err := splice.Into(bytes.NewReader([]byte("before........after")), u, []byte("SIGN"))
	require.NoError(t, err)
	got, err := io.ReadAll(out)
	require.NoError(t, err)
	want := binary.BigEndian.AppendUint32([]byte("beforeSIGN"), crc32.ChecksumIEEE([]byte("beforeSIGN")))
	require.Equal(t, string(want)+"after", string(got))
}
