package status

// Success codes (specification 2.2, table 2).
const (
	AssertionAccessible               Code = "assertion.accessible"
	BMFFHashMatch                     Code = "assertion.bmffHash.match"
	BoxesHashMatch                    Code = "assertion.boxesHash.match"
	CollectionHashMatch               Code = "assertion.collectionHash.match"
	DataHashMatch                     Code = "assertion.dataHash.match"
	HashedURIMatch                    Code = "assertion.hashedURI.match"
	MultiAssetHashMatch               Code = "assertion.multiAssetHash.match"
	ClaimSignatureInsideValidity      Code = "claimSignature.insideValidity"
	ClaimSignatureValidated           Code = "claimSignature.validated"
	IngredientClaimSignatureValidated Code = "ingredient.claimSignature.validated"
	IngredientManifestValidated       Code = "ingredient.manifest.validated"
	OCSPNotRevoked                    Code = "signingCredential.ocsp.notRevoked"
	SigningCredentialTrusted          Code = "signingCredential.trusted"
	TimeStampTrusted                  Code = "timeStamp.trusted"
	TimeStampValidated                Code = "timeStamp.validated"
)

// SigningCredentialNotRevoked is what earlier versions said of OCSP (1.4, section 15.2.2).
const SigningCredentialNotRevoked Code = "signingCredential.notRevoked"

// Informational codes (specification 2.2, section 15.2.1 and table 3).
const (
	AdditionalExclusions         Code = "assertion.dataHash.additionalExclusionsPresent"
	AlgorithmDeprecated          Code = "algorithm.deprecated"
	IngredientUnknownProvenance  Code = "ingredient.unknownProvenance"
	ManifestUnknownProvenance    Code = "manifest.unknownProvenance"
	OCSPInaccessible             Code = "signingCredential.ocsp.inaccessible"
	OCSPSkipped                  Code = "signingCredential.ocsp.skipped"
	TimeOfSigningInsideValidity  Code = "timeOfSigning.insideValidity"
	TimeOfSigningOutsideValidity Code = "timeOfSigning.outsideValidity"
	TimeStampMalformed           Code = "timeStamp.malformed"
	TimeStampMismatch            Code = "timeStamp.mismatch"
	TimeStampOutsideValidity     Code = "timeStamp.outsideValidity"
	TimeStampUntrusted           Code = "timeStamp.untrusted"
)

// ManifestUnreferenced tells of a manifest that no ingredient leads to (c2pa-rs, sdk/src/validation_results.rs).
const ManifestUnreferenced Code = "manifest.unreferenced"
