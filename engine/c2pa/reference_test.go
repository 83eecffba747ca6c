package c2pa

import (
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReferencesLeadWhereTheyStand(t *testing.T) {
	t.Parallel()
	const here = "urn:c2pa:here"
	tests := []struct {
		uri  string
		want target
		ok   bool
	}{
		{"self#jumbf=c2pa.assertions/c2pa.actions", target{here, "c2pa.assertions/c2pa.actions"}, true},
		{"self#jumbf=/c2pa/urn:c2pa:there/c2pa.signature", target{"urn:c2pa:there", "c2pa.signature"}, true},
		{"self#jumbf=c2pa/urn:c2pa:there/c2pa.signature", target{"urn:c2pa:there", "c2pa.signature"}, true},
		{"self#jumbf=/c2pa/urn:c2pa:there", target{"urn:c2pa:there", ""}, true},
		{"self#jumbf=c2pa.signature", target{here, "c2pa.signature"}, true},
		{"self#jumbf=/c2pa/", target{}, false},
		{"self#jumbf=/other/x", target{}, false},
		{"self#jumbf=", target{}, false},
		{"self#jumbf=c2pa.assertions/../x", target{}, false},
		{"https://example.com/self#jumbf=x", target{}, false},
		{"", target{}, false},
		{"self#jumbf=" + strings.Repeat("x", maxURI), target{}, false},
	}
	for _, tt := range tests {
		got, ok := parseURI(tt.uri, here)
		require.Equal(t, tt.ok, ok, tt.uri)
		if tt.ok {
			require.Equal(t, tt.want, got, tt.uri)
		}
	}
}

func TestAnAbsoluteReferenceComesBackAsItWas(t *testing.T) {
	t.Parallel()
	for _, uri := range []string{"self#jumbf=/c2pa/urn:c2pa:a/c2pa.assertions/c2pa.hash.data__1", "self#jumbf=/c2pa/urn:c2pa:a"} {
		got, ok := parseURI(uri, "urn:c2pa:b")
		require.True(t, ok)
		require.Equal(t, uri, got.uri())
	}
}

func TestLabelsLoseTheNumberOfTheirInstanceAlone(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"c2pa.ingredient.v3__12": "c2pa.ingredient.v3", "c2pa.actions": "c2pa.actions", "com.a__b": "com.a__b", "x__": "x__",
		"c2pa.hash.data.part__2": "c2pa.hash.data.part",
	}
	for label, want := range tests {
		require.Equal(t, want, baseOf(label))
	}
}

func TestLaterVersionsOfALabelCount(t *testing.T) {
	t.Parallel()
	require.True(t, versioned("c2pa.actions", actionsLabel))
	require.True(t, versioned("c2pa.actions.v2", actionsLabel))
	require.False(t, versioned("c2pa.actionsX", actionsLabel))
	require.False(t, versioned("c2pa.ingredient.icon", ingredientLabel))
}

func TestHashesCompareByTheNearestAlgorithm(t *testing.T) {
	t.Parallel()
	data := []byte("box")
	sum := sha256.Sum256(data)
	d := digests{}
	require.Equal(t, matches, d.check(hashedURI{hash: sum[:]}, "sha256", data))
	require.Equal(t, matches, d.check(hashedURI{hash: sum[:], alg: "sha256"}, "sha512", data), "its own goes first")
	require.Equal(t, differs, d.check(hashedURI{hash: sum[:]}, "sha512", data))
	require.Equal(t, differs, d.check(hashedURI{alg: "sha256"}, "", data), "no hash is no match")
	require.Equal(t, differs, d.check(hashedURI{hash: sum[:16]}, "sha256", data))
	require.Equal(t, unsupported, d.check(hashedURI{hash: sum[:]}, "", data))
	require.Equal(t, unsupported, d.check(hashedURI{hash: sum[:], alg: "sha1"}, "sha256", data))
	require.Equal(t, unsupported, d.check(hashedURI{hash: sum[:]}, "sha256", nil))
	require.Len(t, d, 2, "each box is hashed once an algorithm")
}
