package certs

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"strconv"
	"strings"
)

// addAnchors reads PEM certificates. One that cannot be read is skipped and counted, a file without any is refused.
func (l *Lists) addAnchors(f *File, data []byte, sort func(Certificate) anchor) error {
	for _, der := range certificatesIn(data) {
		c, err := Parse(der)
		if err != nil {
			f.Skipped++
			continue
		}
		f.Entries++
		l.add(sort(c))
	}
	if f.Entries == 0 && len(bytes.TrimSpace(data)) != 0 {
		return fmt.Errorf("%w: it holds no certificate", errFolder)
	}
	return nil
}

// add takes an anchor in, once for a list and a purpose.
func (l *Lists) add(a anchor) {
	same := l.anchors[string(a.RawSubject)]
	for _, b := range same {
		if b.list == a.list && b.claims == a.claims && b.stamps == a.stamps && b.Equal(a.Certificate.Certificate) {
			return
		}
	}
	l.anchors[string(a.RawSubject)] = append(same, a)
}

// addAllowed reads PEM certificates and, outside of them, lines that are the Base64 SHA-256 of a DER certificate: both
// forms are in use (c2pa-rs, sdk/src/crypto/cose/certificate_trust_policy.rs).
func (l *Lists) addAllowed(f *File, data []byte) error {
	for _, der := range certificatesIn(data) {
		f.Entries++
		l.allowed[sha256.Sum256(der)] = struct{}{}
	}
	inside := false
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "-----BEGIN"):
			inside = true
		case strings.HasPrefix(line, "-----END"):
			inside = false
		case !inside:
			if hash, err := base64.StdEncoding.DecodeString(line); err == nil && len(hash) == sha256.Size {
				f.Entries++
				l.allowed[[sha256.Size]byte(hash)] = struct{}{}
			}
		}
	}
	if f.Entries == 0 && len(bytes.TrimSpace(data)) != 0 {
		return fmt.Errorf("%w: it holds neither a certificate nor a hash", errFolder)
	}
	return nil
}

// addUsages reads store.cfg: an object identifier a line, with comments behind //.
func (l *Lists) addUsages(f *File, data []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(data))
	for number := 1; lines.Scan(); number++ {
		text, _, _ := strings.Cut(lines.Text(), "//")
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		if !isOID(text) {
			return fmt.Errorf("%w: line %d is no object identifier", errFolder, number)
		}
		f.Entries++
		l.configured[text] = struct{}{}
	}
	return lines.Err()
}

func isOID(text string) bool {
	arcs := strings.Split(text, ".")
	oid := make(asn1.ObjectIdentifier, len(arcs))
	for i, arc := range arcs {
		n, err := strconv.ParseUint(arc, 10, 31)
		if err != nil {
			return false
		}
		oid[i] = int(n)
	}
	_, err := asn1.Marshal(oid)
	return err == nil && oid.String() == text
}

// certificatesIn are the DER certificates of a PEM bundle, whatever else it holds.
func certificatesIn(data []byte) [][]byte {
	var ders [][]byte
	for {
		var block *pem.Block
		if block, data = pem.Decode(data); block == nil {
			return ders
		}
		if block.Type == "CERTIFICATE" {
			ders = append(ders, block.Bytes)
		}
	}
}
