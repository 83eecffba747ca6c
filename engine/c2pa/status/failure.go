package status

// IdentityCBORInvalid is a failure of an identity assertion (CAWG Identity Assertion 1.1, section 7.2), whose signature and
// names are not looked into here.
const IdentityCBORInvalid Code = "cawg.identity.cbor.invalid"

// Failure codes of the claim, its signature and the manifest (specification 2.2, table 4).
const (
	AlgorithmUnsupported          Code = "algorithm.unsupported"
	ClaimCBORInvalid              Code = "claim.cbor.invalid"
	ClaimHardBindingsMissing      Code = "claim.hardBindings.missing"
	ClaimMalformed                Code = "claim.malformed"
	ClaimMissing                  Code = "claim.missing"
	ClaimMultiple                 Code = "claim.multiple"
	ClaimSignatureMissing         Code = "claimSignature.missing"
	ClaimSignatureMismatch        Code = "claimSignature.mismatch"
	ClaimSignatureOutsideValidity Code = "claimSignature.outsideValidity"
	GeneralError                  Code = "general.error"
	HashedURIMissing              Code = "hashedURI.missing"
	HashedURIInvalid              Code = "hashedURI.mismatch"
	ManifestCompressedInvalid     Code = "manifest.compressed.invalid"
	ManifestInaccessible          Code = "manifest.inaccessible"
	ManifestMultipleParents       Code = "manifest.multipleParents"
	ManifestTimestampInvalid      Code = "manifest.timestamp.invalid"
	ManifestTimestampWrongParents Code = "manifest.timestamp.wrongParents"
	ManifestUpdateInvalid         Code = "manifest.update.invalid"
	ManifestUpdateWrongParents    Code = "manifest.update.wrongParents"
	OCSPRevoked                   Code = "signingCredential.ocsp.revoked"
	OCSPUnknown                   Code = "signingCredential.ocsp.unknown"
	SigningCredentialInvalid      Code = "signingCredential.invalid"
	SigningCredentialUntrusted    Code = "signingCredential.untrusted"
	IngredientSignatureMissing    Code = "ingredient.claimSignature.missing"
	IngredientSignatureMismatch   Code = "ingredient.claimSignature.mismatch"
	IngredientManifestMissing     Code = "ingredient.manifest.missing"
	IngredientManifestMismatch    Code = "ingredient.manifest.mismatch"
)

// Failure codes of assertions (specification 2.2, table 4).
const (
	ActionIngredientMismatch Code = "assertion.action.ingredientMismatch"
	ActionMalformed          Code = "assertion.action.malformed"
	ActionRedacted           Code = "assertion.action.redacted"
	ActionRedactionMismatch  Code = "assertion.action.redactionMismatch"
	AssertionCBORInvalid     Code = "assertion.cbor.invalid"
	AssertionInaccessible    Code = "assertion.inaccessible"
	AssertionJSONInvalid     Code = "assertion.json.invalid"
	AssertionMissing         Code = "assertion.missing"
	AssertionNotRedacted     Code = "assertion.notRedacted"
	AssertionOutsideManifest Code = "assertion.outsideManifest"
	AssertionSelfRedacted    Code = "assertion.selfRedacted"
	AssertionUndeclared      Code = "assertion.undeclared"
	CloudDataActions         Code = "assertion.cloud-data.actions"
	CloudDataHardBinding     Code = "assertion.cloud-data.hardBinding"
	CloudDataMalformed       Code = "assertion.cloud-data.malformed"
	HashedURIMismatch        Code = "assertion.hashedURI.mismatch"
	IngredientMalformed      Code = "assertion.ingredient.malformed"
	MultipleHardBindings     Code = "assertion.multipleHardBindings"
	TimestampMalformed       Code = "assertion.timestamp.malformed"
)

// Failure codes of hard bindings (specification 2.2, table 4).
const (
	BMFFHashMalformed         Code = "assertion.bmffHash.malformed"
	BMFFHashMismatch          Code = "assertion.bmffHash.mismatch"
	BoxesHashMalformed        Code = "assertion.boxesHash.malformed"
	BoxesHashMismatch         Code = "assertion.boxesHash.mismatch"
	BoxesHashUnknownBox       Code = "assertion.boxesHash.unknownBox"
	CollectionHashFileCount   Code = "assertion.collectionHash.incorrectFileCount"
	CollectionHashInvalidURI  Code = "assertion.collectionHash.invalidURI"
	CollectionHashMalformed   Code = "assertion.collectionHash.malformed"
	CollectionHashMismatch    Code = "assertion.collectionHash.mismatch"
	DataHashMalformed         Code = "assertion.dataHash.malformed"
	DataHashMismatch          Code = "assertion.dataHash.mismatch"
	DataHashRedacted          Code = "assertion.dataHash.redacted"
	MultiAssetHashMalformed   Code = "assertion.multiAssetHash.malformed"
	MultiAssetHashMissingPart Code = "assertion.multiAssetHash.missingPart"
	MultiAssetHashMismatch    Code = "assertion.multiAssetHash.mismatch"
)

// Failure codes of earlier versions (1.4, section 15.2.2), and of c2pa-rs beside the table
// (sdk/src/validation_results.rs): ingredients record them still.
const (
	AssertionRequiredMissing    Code = "assertion.required.missing"
	ClaimRequiredMissing        Code = "claim.required.missing"
	IngredientActionMissing     Code = "ingredient.actionMissing"
	IngredientHashedURIMismatch Code = "ingredient.hashedURI.mismatch"
	IngredientNotVisible        Code = "ingredient.notVisible"
	MetadataDisallowed          Code = "assertion.metadata.disallowed"
	SigningCredentialExpired    Code = "signingCredential.expired"
	SigningCredentialRevoked    Code = "signingCredential.revoked"
)
