package usage

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
)

// WriteCSV writes rows as CSV with a head line (RFC 4180). A cell that a spreadsheet would take for a formula is made
// text (OWASP, CSV Injection).
func WriteCSV(w io.Writer, rows []Row) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	err := out.Write([]string{
		"day", "key", "key_name", "call", "requests", "refused", "failed",
		"verdict_ai", "verdict_real", "verdict_uncertain", "verdict_unavailable", "credits",
	})
	for i := 0; i < len(rows) && err == nil; i++ {
		err = out.Write(record(rows[i]))
	}
	if err == nil {
		out.Flush()
		err = out.Error()
	}
	if err != nil {
		return fmt.Errorf("write usage as CSV: %w", err)
	}
	return nil
}

func record(r Row) []string {
	key, name := r.KeyStart, r.KeyName
	if r.Key == uuid.Nil {
		name = "playground"
	}
	cells := []string{r.Day.UTC().Format(time.DateOnly), plain(key), plain(name), plain(r.Call)}
	for _, n := range []int64{
		r.Requests, r.Refused, r.Failed, r.AI, r.Real, r.Uncertain, r.Unavailable, r.Credits,
	} {
		cells = append(cells, strconv.FormatInt(n, 10))
	}
	return cells
}

const (
	// formulas are the characters that may begin a formula, their full-width forms among them.
	formulas = "=+-@＝＋－＠"
	// separators begin a new cell for a spreadsheet that was set to split lines there.
	separators = ",;|\t\r\n"
)

// plain keeps a spreadsheet from running text as a formula: where one may begin, at the start of the cell and after what
// some spreadsheets split at, an apostrophe goes in front, which they take for the mark of text. Tab and line breaks at
// the start get one too. What a spreadsheet skips before a cell's content hides nothing.
func plain(cell string) string {
	var b strings.Builder
	if strings.IndexAny(cell, "\t\r\n") == 0 {
		b.WriteByte('\'')
	}
	start := true
	for _, r := range cell {
		switch {
		case strings.ContainsRune(separators, r):
			start = true
		case start && strings.ContainsRune(formulas, r):
			b.WriteByte('\'')
			start = false
		default:
			start = start && skipped(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}

// skipped are quotes, white space and what is not seen at all: a byte order mark, zero-width characters.
func skipped(r rune) bool {
	return r == '"' || unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}
