package status_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/status"
)

func TestKindFollowsTheSpecificationsTables(t *testing.T) {
	t.Parallel()
	tests := []struct {
		want  status.Kind
		codes []status.Code
	}{
		{status.Success, []status.Code{
			"assertion.dataHash.match", "assertion.boxesHash.match", "assertion.bmffHash.match", "assertion.hashedURI.match",
			"claimSignature.validated", "claimSignature.insideValidity", "signingCredential.trusted",
			"signingCredential.ocsp.notRevoked", "timeStamp.trusted", "timeStamp.validated",
			"ingredient.manifest.validated", "ingredient.claimSignature.validated",
		}},
		{status.Informational, []status.Code{
			"timeStamp.malformed", "timeStamp.mismatch", "timeStamp.outsideValidity", "timeStamp.untrusted",
			"algorithm.deprecated", "signingCredential.ocsp.skipped", "signingCredential.ocsp.inaccessible",
			"assertion.dataHash.additionalExclusionsPresent", "ingredient.unknownProvenance",
		}},
		{status.Failure, []status.Code{
			"assertion.dataHash.mismatch", "assertion.boxesHash.unknownBox", "assertion.bmffHash.malformed",
			"claimSignature.mismatch", "signingCredential.untrusted", "signingCredential.ocsp.revoked",
			"algorithm.unsupported", "manifest.inaccessible", "general.error", "hashedURI.missing",
			"ingredient.manifest.missing", "signingCredential.expired",
		}},
	}
	for _, tt := range tests {
		for _, code := range tt.codes {
			require.Equal(t, tt.want, code.Kind(), code)
		}
	}
}

func TestCodesNobodyKnowsCountAsFailures(t *testing.T) {
	t.Parallel()
	require.Equal(t, status.Failure, status.Code("com.example.fine").Kind())
	require.Equal(t, status.Failure, status.Code("").Kind())
}
