// Package binding checks that a file is the one that a manifest speaks of: the hard bindings c2pa.hash.data,
// c2pa.hash.boxes and c2pa.hash.bmff (v1 to v3).
//
// A binding may leave out the manifest store, and statements about the media such as Exif and XMP. One that leaves out
// what the media are made of binds nothing: it is refused, whatever its hash says, since anybody may put other pictures
// into the gap. c2pa-rs takes such bindings.
package binding

import (
	"context"
	"fmt"
	"strings"

	"veracity/engine/c2pa/carrier"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/status"
)

// Labels of hard bindings, without version and instance.
const (
	labelData       = "c2pa.hash.data"
	labelBoxes      = "c2pa.hash.boxes"
	labelBMFF       = "c2pa.hash.bmff"
	labelCollection = "c2pa.hash.collection.data"
)

// IsHard tells labels of hard bindings. c2pa.hash.multi-asset is none: it stands beside one.
func IsHard(label string) bool {
	switch base, _ := split(label); base {
	case labelData, labelBoxes, labelBMFF, labelCollection:
		return true
	}
	return false
}

// split takes the instance (__2) off a label, and the version (.v3), which is v1 where none is stated.
func split(label string) (base, version string) {
	label, _, _ = strings.Cut(label, "__")
	if at := strings.LastIndex(label, ".v"); at >= 0 && len(label) > at+2 && strings.Trim(label[at+2:], "0123456789") == "" {
		return label[:at], label[at+1:]
	}
	return label, "v1"
}

// Check checks one hard binding assertion, label (with or without ".v2" and "__1") and content, against the file whose
// store was found. alg is the claim's hash algorithm, used where the assertion names none. It answers the
// specification's status codes, URI left empty, the deciding one last: …match on success, …mismatch, …malformed and
// boxesHash.unknownBox for files that are not, or cannot be told to be, the one that was signed. algorithm.unsupported
// says that it could not be checked, and tells nothing of the file: an unknown algorithm or kind of binding, a binding of
// earlier versions that is not safe, or more boxes than are looked at. An initialization segment without its media is a
// mismatch by the specification; the explanation says whether it is as it was signed.
// Exclusions other than the store's own ranges are told by assertion.dataHash.additionalExclusionsPresent, and never
// pass where they would leave pictures or sound unhashed. Errors are those of reading, and ctx's.
func Check(ctx context.Context, f carrier.File, found carrier.Found, label string, assertion cbor.Value, alg string) ([]status.Status, error) {
	c := &check{file: f, found: found, feed: newFeed(f), alg: alg}
	if own, ok := assertion.Get("alg").Text(); ok {
		c.alg = own
	}
	base, version := split(label)
	var (
		result []status.Status
		err    error
	)
	switch {
	case base == labelData && version == "v1":
		result, err = c.data(ctx, assertion)
	case base == labelBoxes && version == "v1":
		result, err = c.boxes(ctx, assertion)
	case base == labelBMFF && (version == "v1" || version == "v2" || version == "v3"):
		result, err = c.bmff(ctx, version, assertion)
	default:
		return say(status.AlgorithmUnsupported, "bindings of the kind %s are not checked here", label), nil
	}
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", label, err)
	}
	return result, nil
}

// check is one binding that is checked.
type check struct {
	file  carrier.File
	found carrier.Found
	feed  *feed
	// alg is the algorithm that counts where nothing within the assertion says otherwise.
	alg string
}

func say(code status.Code, format string, args ...any) []status.Status {
	return []status.Status{{Code: code, Explanation: fmt.Sprintf(format, args...)}}
}

func unsupported(alg string) []status.Status {
	if alg == "" {
		return say(status.AlgorithmUnsupported, "nothing says which hash algorithm was used")
	}
	return say(status.AlgorithmUnsupported, "the hash algorithm %q is not one of C2PA's", alg)
}

// given is a member of a map that is there: some producers write null for what they leave out.
func given(v cbor.Value, key string) (cbor.Value, bool) {
	x := v.Get(key)
	switch x.Kind() {
	case cbor.Absent, cbor.Null, cbor.Undefined:
		return cbor.Value{}, false
	default:
		return x, true
	}
}

// number reads an unsigned number that fits.
func number(v cbor.Value, key string) (int64, bool) {
	n, ok := v.Get(key).Int()
	return n, ok && n >= 0
}
