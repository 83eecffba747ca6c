package certs_test

import (
	"crypto/x509"
	"slices"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/certs"
	"veracity/engine/c2pa/certs/certstest"
)

func read(t *testing.T, files map[string][]byte) *certs.Lists {
	t.Helper()
	folder := fstest.MapFS{}
	for name, data := range files {
		folder[name] = &fstest.MapFile{Data: data}
	}
	lists, err := certs.Read(folder)
	require.NoError(t, err)
	return lists
}

func TestEachListIsNamedForTheSignersItVouchesFor(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Camera Root")
	signer := root.Sub(t, "Sub").Signer(t, "Camera")
	email := root.Signer(t, "Mail", certstest.Usages([]x509.ExtKeyUsage{x509.ExtKeyUsageEmailProtection}))
	for name, c := range map[string]struct {
		file   string
		signer *certstest.Identity
		want   certs.Trust
	}{
		"c2pa":           {certs.AnchorsFile, signer, certs.Trust{Trusted: true, List: certs.ListC2PA, Anchor: "Camera Root"}},
		"interim":        {certs.InterimFile, signer, certs.Trust{Trusted: true, List: certs.ListInterim, Anchor: "Camera Root"}},
		"local":          {"ours" + certs.LocalSuffix, signer, certs.Trust{Trusted: true, List: certs.ListLocal, Anchor: "Camera Root"}},
		"interim, email": {certs.InterimFile, email, certs.Trust{Trusted: true, List: certs.ListInterim, Anchor: "Camera Root"}},
		// Signers under the C2PA list need the usage that the list is for.
		"c2pa, email":       {certs.AnchorsFile, email, certs.Trust{}},
		"for time-stamps":   {certs.StampAnchorsFile, signer, certs.Trust{}},
		"a file of no list": {"root.pem", signer, certs.Trust{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lists := read(t, map[string][]byte{c.file: certstest.PEM(root)})
			require.Equal(t, c.want, lists.Judge(c.signer.Chain(), time.Now(), certs.Claims))
		})
	}
}

func TestTheC2PAListIsNamedBeforeLocalAndInterimOnes(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root")
	chain := root.Signer(t, "Signer").Chain()
	files := map[string][]byte{
		certs.AnchorsFile: certstest.PEM(root), certs.InterimFile: certstest.PEM(root), "x.local.pem": certstest.PEM(root),
	}
	for _, want := range []string{certs.AnchorsFile, "x.local.pem", certs.InterimFile} {
		trust := read(t, files).Judge(chain, time.Now(), certs.Claims)
		require.Equal(t, map[string]string{
			certs.AnchorsFile: certs.ListC2PA, "x.local.pem": certs.ListLocal, certs.InterimFile: certs.ListInterim,
		}[want], trust.List)
		delete(files, want)
	}
	require.False(t, read(t, files).Judge(chain, time.Now(), certs.Claims).Trusted)
}

func TestChainsOfEveryKindOfKeyAreFollowed(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]certstest.Kind{
		"P-256": certstest.P256, "P-384": certstest.P384, "P-521": certstest.P521,
		"Ed25519": certstest.Ed25519, "RSA": certstest.RSA, "RSASSA-PSS": certstest.PSS,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := certstest.Root(t, "Root", certstest.Of(kind))
			sub := root.Sub(t, "Sub", certstest.Of(kind))
			signer := sub.Signer(t, "Signer", certstest.Of(kind))
			lists := read(t, map[string][]byte{certs.AnchorsFile: certstest.PEM(root)})
			require.True(t, lists.Judge(signer.Chain(), time.Now(), certs.Claims).Trusted)
			path, _ := lists.Path(signer.Chain(), time.Now(), certs.Claims)
			require.Equal(t, []certs.Certificate{signer.Certificate, sub.Certificate, root.Certificate}, path)
		})
	}
}

func TestAnyCertificateOfAListEndsAPath(t *testing.T) {
	t.Parallel()
	sub := certstest.Root(t, "Root").Sub(t, "Sub")
	signer := sub.Signer(t, "Signer")
	alone := signer.Chain()[:1]
	for name, listed := range map[string]*certstest.Identity{"an intermediate": sub, "the signer": signer} {
		lists := read(t, map[string][]byte{"x.local.pem": certstest.PEM(listed)})
		require.True(t, lists.Judge(alone, time.Now(), certs.Claims).Trusted, name)
		require.True(t, lists.Judge(signer.Chain(), time.Now(), certs.Claims).Trusted, name)
	}
}

func TestTheOrderInWhichAChainIsSentDoesNotMatter(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root")
	other := certstest.Root(t, "Root") // of the same name, with another key
	signer := root.Sub(t, "A").Sub(t, "B").Sub(t, "C").Signer(t, "Signer")
	chain := signer.Chain()
	slices.Reverse(chain[1:])
	chain = append(chain, other.Certificate, root.Certificate, other.Sub(t, "A").Certificate)
	lists := read(t, map[string][]byte{certs.AnchorsFile: certstest.PEM(other, root)})
	require.True(t, lists.Judge(chain, time.Now(), certs.Claims).Trusted)
	path, _ := lists.Path(chain, time.Now(), certs.Claims)
	require.Len(t, path, 5)
}

func TestWhoIsOnNoListIsUnknown(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root")
	impostor := certstest.Root(t, "Root")
	sub := root.Sub(t, "Sub")
	signer := sub.Signer(t, "Signer")
	lists := read(t, map[string][]byte{certs.AnchorsFile: certstest.PEM(root)})
	with := certstest.With
	for name, chain := range map[string][]certs.Certificate{
		"no chain":                       nil,
		"an empty certificate":           {{}},
		"the intermediate was not sent":  signer.Chain()[:1],
		"an authority as the signer":     sub.Chain(),
		"a root of the same name":        impostor.Signer(t, "Signer").Chain(),
		"a root that is sent along":      append(impostor.Signer(t, "Signer").Chain(), impostor.Certificate),
		"issued by a signer":             signer.Signer(t, "Next").Chain(),
		"a key that signs nothing":       root.Sub(t, "S", with(func(x *x509.Certificate) { x.KeyUsage = x509.KeyUsageCRLSign })).Signer(t, "N").Chain(),
		"beyond the path length":         root.Sub(t, "S", with(noneBelow)).Sub(t, "T").Signer(t, "N").Chain(),
		"unknown critical extension":     root.Sub(t, "S", with(critical)).Signer(t, "N").Chain(),
		"the authority is no longer one": root.Sub(t, "S", certstest.Valid(time.Now().AddDate(-2, 0, 0), time.Now().AddDate(-1, 0, 0))).Signer(t, "N").Chain(),
		"the signer is not one yet":      root.Signer(t, "N", certstest.Valid(time.Now().AddDate(0, 0, 1), time.Now().AddDate(1, 0, 0))).Chain(),
		"outside the profile":            root.Signer(t, "N", emailAnd(x509.ExtKeyUsageAny)).Chain(),
		"signed itself":                  certstest.Root(t, "N", with(func(x *x509.Certificate) { x.IsCA, x.KeyUsage = false, x509.KeyUsageDigitalSignature })).Chain(),
		"no authority, version aside":    root.Sub(t, "S", with(func(x *x509.Certificate) { x.IsCA, x.BasicConstraintsValid = false, false })).Signer(t, "N").Chain(),
	} {
		path, trust := lists.Path(chain, time.Now(), certs.Claims)
		require.Equal(t, certs.Trust{}, trust, name)
		require.Nil(t, path, name)
	}
	require.True(t, lists.Judge(signer.Chain(), time.Now(), certs.Claims).Trusted)
	within := root.Sub(t, "S", with(noneBelow)).Signer(t, "N")
	require.True(t, lists.Judge(within.Chain(), time.Now(), certs.Claims).Trusted, "the length counts authorities alone")
}

func noneBelow(x *x509.Certificate) { x.MaxPathLen, x.MaxPathLenZero = 0, true }

func TestTrustIsAsOfTheTimeThatIsGiven(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root")
	from, until := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2024, 12, 31, 23, 59, 59, 0, time.UTC)
	signer := root.Sub(t, "Sub").Signer(t, "Signer", certstest.Valid(from, until))
	lists := read(t, map[string][]byte{certs.AnchorsFile: certstest.PEM(root)})
	for at, want := range map[time.Time]bool{
		from: true, until: true, from.Add(-time.Second): false, until.Add(time.Second): false, time.Now(): false,
	} {
		require.Equal(t, want, lists.Judge(signer.Chain(), at, certs.Claims).Trusted, at)
	}
}

func TestNameConstraintsOfAuthoritiesHold(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]certstest.Kind{"ECDSA": certstest.P256, "RSASSA-PSS": certstest.PSS} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := certstest.Root(t, "Root", certstest.Of(kind))
			sub := root.Sub(t, "Sub", certstest.Of(kind), certstest.With(func(x *x509.Certificate) {
				x.PermittedEmailAddresses, x.PermittedDNSDomainsCritical = []string{"example.org"}, true
			}))
			lists := read(t, map[string][]byte{certs.AnchorsFile: certstest.PEM(root)})
			mail := func(address string) []certs.Certificate {
				return sub.Signer(t, "S", certstest.With(func(x *x509.Certificate) { x.EmailAddresses = []string{address} })).Chain()
			}
			require.True(t, lists.Judge(mail("a@example.org"), time.Now(), certs.Claims).Trusted)
			require.False(t, lists.Judge(mail("a@example.com"), time.Now(), certs.Claims).Trusted)
		})
	}
}

func TestTimeStampAuthoritiesHaveAnchorsOfTheirOwn(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root")
	onlyStamps := root.Sub(t, "Stamps", certstest.Usages([]x509.ExtKeyUsage{x509.ExtKeyUsageTimeStamping}))
	onlyClaims := root.Sub(t, "Claims", certstest.Usages(nil, certstest.ClaimSigning))
	judge := func(file string, listed, signer *certstest.Identity, p certs.Purpose) bool {
		return read(t, map[string][]byte{file: certstest.PEM(listed)}).Judge(signer.Chain(), time.Now(), p).Trusted
	}
	require.True(t, judge(certs.StampAnchorsFile, root, root.Stamper(t, "TSA"), certs.TimeStamps))
	require.False(t, judge(certs.AnchorsFile, root, root.Stamper(t, "TSA"), certs.TimeStamps))
	require.False(t, judge(certs.StampAnchorsFile, root, root.Signer(t, "S"), certs.TimeStamps), "it stamps nothing")
	for _, file := range []string{certs.InterimFile, "x.local.pem"} {
		require.True(t, judge(file, root, root.Stamper(t, "TSA"), certs.TimeStamps), file)
		require.True(t, judge(file, root, root.Signer(t, "S"), certs.Claims), file)
		require.True(t, judge(file, onlyStamps, onlyStamps.Stamper(t, "TSA"), certs.TimeStamps), file)
		require.False(t, judge(file, onlyStamps, onlyStamps.Signer(t, "S"), certs.Claims), file)
		require.True(t, judge(file, onlyClaims, onlyClaims.Signer(t, "S"), certs.Claims), file)
		require.False(t, judge(file, onlyClaims, onlyClaims.Stamper(t, "TSA"), certs.TimeStamps), file)
	}
}

func TestUsagesOfAuthoritiesInAPathDoNotCount(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root")
	sub := root.Sub(t, "Sub", certstest.Usages([]x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}))
	lists := read(t, map[string][]byte{certs.AnchorsFile: certstest.PEM(root)})
	require.True(t, lists.Judge(sub.Signer(t, "Signer").Chain(), time.Now(), certs.Claims).Trusted)
}

func TestSignersAllowedByNameNeedNoChainButTheirTime(t *testing.T) {
	t.Parallel()
	signer := certstest.Root(t, "Root").Signer(t, "News", certstest.Usages(nil))
	lists := read(t, map[string][]byte{certs.AllowedFile: certstest.PEM(signer)})
	want := certs.Trust{Trusted: true, List: certs.ListInterim, Anchor: "News"}
	require.Equal(t, want, lists.Judge(signer.Chain(), time.Now(), certs.Claims))
	require.Equal(t, certs.Trust{}, lists.Judge(signer.Chain(), time.Now().AddDate(5, 0, 0), certs.Claims))
	require.Equal(t, certs.Trust{}, lists.Judge(signer.Chain(), time.Now(), certs.TimeStamps))
	stamper := certstest.Root(t, "Root").Stamper(t, "TSA")
	stamps := read(t, map[string][]byte{certs.AllowedFile: certstest.PEM(stamper)})
	require.Equal(t, certs.Trust{}, stamps.Judge(stamper.Chain(), time.Now(), certs.TimeStamps), "it is no list for those")
	below := signer.Signer(t, "Below")
	require.Equal(t, certs.Trust{}, lists.Judge(below.Chain(), time.Now(), certs.Claims), "it vouches for nobody else")
}

func TestAChainOfManyCertificatesOfOneNameEndsSoon(t *testing.T) {
	t.Parallel()
	key := certstest.Key(t, certstest.P256)
	same := func(c *certstest.Template) { c.Ready = key }
	root := certstest.Root(t, "Same", same)
	chain := root.Signer(t, "Signer").Chain()
	for range 100 {
		chain = append(chain, root.Sub(t, "Same", same).Certificate)
	}
	lists := read(t, map[string][]byte{certs.AnchorsFile: certstest.PEM(certstest.Root(t, "Another"))})
	began := time.Now()
	require.False(t, lists.Judge(chain, time.Now(), certs.Claims).Trusted)
	require.Less(t, time.Since(began), 5*time.Second)
}

func TestListsMayBeAskedByManyAtATime(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root")
	chain := root.Sub(t, "Sub").Signer(t, "Signer").Chain()
	lists := read(t, map[string][]byte{certs.AnchorsFile: certstest.PEM(root)})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				if !lists.Judge(chain, time.Now(), certs.Claims).Trusted {
					t.Error("not trusted")
				}
			}
		})
	}
	group.Wait()
}

func TestCertificatesThatAreNoneAreSkipped(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root")
	signer := root.Sub(t, "Sub").Signer(t, "Signer")
	chain := []certs.Certificate{signer.Certificate, {}, signer.Issuer.Certificate}
	lists := read(t, map[string][]byte{certs.AnchorsFile: certstest.PEM(root)})
	require.True(t, lists.Judge(chain, time.Now(), certs.Claims).Trusted)
	good := [][]byte{answer(t, signer.Issuer, signer.Issuer, signer, nil)}
	require.Equal(t, certs.Good, lists.Stapled(good, chain, time.Now()))
	require.Equal(t, certs.NotStated, lists.Stapled(good, make([]certs.Certificate, 3), time.Now()))
	require.Equal(t, certs.NotStated, certs.Stapled(good, make([]certs.Certificate, 3), time.Now()))
}

func TestNoListsTrustNobody(t *testing.T) {
	t.Parallel()
	chain := certstest.Root(t, "Root").Signer(t, "Signer").Chain()
	require.Equal(t, certs.Trust{}, (*certs.Lists)(nil).Judge(chain, time.Now(), certs.Claims))
	require.Equal(t, certs.Trust{}, (&certs.Lists{}).Judge(chain, time.Now(), certs.Claims))
}
