package status

// kinds sorts all codes that are no failures.
var kinds = map[Code]Kind{
	AssertionAccessible:               Success,
	BMFFHashMatch:                     Success,
	BoxesHashMatch:                    Success,
	CollectionHashMatch:               Success,
	DataHashMatch:                     Success,
	HashedURIMatch:                    Success,
	MultiAssetHashMatch:               Success,
	ClaimSignatureInsideValidity:      Success,
	ClaimSignatureValidated:           Success,
	IngredientClaimSignatureValidated: Success,
	IngredientManifestValidated:       Success,
	OCSPNotRevoked:                    Success,
	SigningCredentialNotRevoked:       Success,
	SigningCredentialTrusted:          Success,
	TimeStampTrusted:                  Success,
	TimeStampValidated:                Success,

	AdditionalExclusions:         Informational,
	AlgorithmDeprecated:          Informational,
	IngredientUnknownProvenance:  Informational,
	ManifestUnknownProvenance:    Informational,
	ManifestUnreferenced:         Informational,
	OCSPInaccessible:             Informational,
	OCSPSkipped:                  Informational,
	TimeOfSigningInsideValidity:  Informational,
	TimeOfSigningOutsideValidity: Informational,
	TimeStampMalformed:           Informational,
	TimeStampMismatch:            Informational,
	TimeStampOutsideValidity:     Informational,
	TimeStampUntrusted:           Informational,
}

// Kind sorts a code by the specification's tables. A code that they do not know is a failure: what is not understood
// must not pass as good.
func (c Code) Kind() Kind {
	if k, ok := kinds[c]; ok {
		return k
	}
	return Failure
}
