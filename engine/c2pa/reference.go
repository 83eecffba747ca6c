package c2pa

import (
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"strings"

	"veracity/engine/c2pa/cbor"
)

// uriPrefix begins every reference into a manifest store (specification 2.2, section 8.4.1).
const uriPrefix = "self#jumbf="

// maxURI bounds references, in bytes: two labels and a little.
const maxURI = 2048

// target is what a reference leads to: a manifest, and a path within it, empty for the manifest itself.
type target struct{ manifest, path string }

// uri is the absolute reference to a target.
func (t target) uri() string {
	if t.path == "" {
		return uriPrefix + "/" + storeLabel + "/" + t.manifest
	}
	return uriPrefix + "/" + storeLabel + "/" + t.manifest + "/" + t.path
}

// label is the last part of the path.
func (t target) label() string { return t.path[strings.LastIndexByte(t.path, '/')+1:] }

// parseURI reads a reference that stands in the manifest named. Absolute ones begin with a slash, or without it by the
// examples of version 1.4, section 7.3.
func parseURI(uri, manifest string) (target, bool) {
	path, ok := strings.CutPrefix(uri, uriPrefix)
	if !ok || len(uri) > maxURI || path == "" || strings.Contains(path, "..") {
		return target{}, false
	}
	absolute, ok := strings.CutPrefix(path, "/"+storeLabel+"/")
	if !ok {
		absolute, ok = strings.CutPrefix(path, storeLabel+"/")
	}
	if !ok {
		return target{manifest, path}, !strings.HasPrefix(path, "/")
	}
	label, path, _ := strings.Cut(absolute, "/")
	return target{label, path}, label != ""
}

// hashedURI is a reference with the hash of what it leads to (specification 2.2, section 8.4.2.1).
type hashedURI struct {
	url, alg string
	hash     []byte
}

// readHashedURI reads a hashed_uri; ok is false for what is none.
func readHashedURI(v cbor.Value) (u hashedURI, ok bool) {
	if v.Kind() != cbor.Map {
		return hashedURI{}, false
	}
	u.url, ok = v.Get("url").Text()
	u.alg, _ = v.Get("alg").Text()
	u.hash, _ = v.Get("hash").Bytes()
	return u, ok
}

// external tells references that lead out of the store; they are not followed (section 15.10.4).
func (u hashedURI) external() bool {
	return strings.HasPrefix(u.url, "https://") || strings.HasPrefix(u.url, "http://")
}

// place is where bytes of the store lie, with the algorithm that they are hashed by.
type place struct {
	first *byte
	size  int
	alg   string
}

// digests hashes boxes, each once an algorithm: claims may refer to one box many thousand times.
type digests map[place][]byte

// of hashes by an algorithm of the allowed list (specification 2.2, section 13.1); ok is false for all others.
func (d digests) of(alg string, data []byte) (sum []byte, ok bool) {
	if len(data) == 0 {
		return nil, false
	}
	p := place{&data[0], len(data), alg}
	if sum, ok = d[p]; ok {
		return sum, true
	}
	switch alg {
	case "sha256":
		s := sha256.Sum256(data)
		sum = s[:]
	case "sha384":
		s := sha512.Sum384(data)
		sum = s[:]
	case "sha512":
		s := sha512.Sum512(data)
		sum = s[:]
	default:
		return nil, false
	}
	d[p] = sum
	return sum, true
}

// verdict is what the comparison of a hash says.
type verdict int

const (
	matches verdict = iota
	differs
	unsupported
)

// check compares data with a hash. alg stands in where the reference names no algorithm (specification 2.2, section 15.4).
func (d digests) check(u hashedURI, alg string, data []byte) verdict {
	if u.alg != "" {
		alg = u.alg
	}
	sum, ok := d.of(alg, data)
	switch {
	case !ok:
		return unsupported
	case subtle.ConstantTimeCompare(sum, u.hash) != 1:
		return differs
	}
	return matches
}
