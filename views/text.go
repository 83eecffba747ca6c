package views

import (
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
)

// Count writes a count with separators: 75,000.
func Count(n int64) string {
	s := strconv.FormatInt(n, 10)
	first := 0
	if n < 0 {
		first = 1
	}
	for i := len(s) - 3; i > first; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Plain writes a number as attributes want it.
func Plain(n int64) string { return strconv.FormatInt(n, 10) }

func (f Field) inputType() string {
	if f.Type == "" {
		return "text"
	}
	return f.Type
}

// attributes are those that a field has or has not.
func (f Field) attributes() templ.Attributes {
	a := templ.Attributes{}
	if by := describedBy(f.Name, f.Hint, f.Error); by != "" {
		a["aria-describedby"] = by
	}
	if f.Error != "" {
		a["aria-invalid"] = "true"
		// The focus makes screen readers say the error, and saves everybody the search. Of several fields the first gets it.
		a["autofocus"] = true
	}
	if f.Autocomplete != "" {
		a["autocomplete"] = f.Autocomplete
	}
	if f.Mode != "" {
		a["inputmode"] = f.Mode
	}
	if f.Max > 0 {
		a["maxlength"] = strconv.Itoa(f.Max)
	}
	return a
}

func describedBy(name, hint, wrong string) string {
	var ids []string
	if hint != "" {
		ids = append(ids, "h-"+name)
	}
	if wrong != "" {
		ids = append(ids, "e-"+name)
	}
	return strings.Join(ids, " ")
}

// current marks a link of the navigation: the page itself, or the section that it lies in.
func current(href, path string) string {
	switch {
	case href == path:
		return "page"
	case href != "/account" && href != "/admin" && strings.HasPrefix(path, href+"/"):
		return "true"
	}
	return "false"
}

func meterKind(used, of int64) string {
	switch {
	case of <= 0 || used >= of:
		return "full"
	case used*10 >= of*8:
		return "high"
	}
	return "fine"
}

// Dollars writes a price in US cents: $19, $19.50.
func Dollars(cents int64) string {
	if cents%100 == 0 {
		return "$" + Count(cents/100)
	}
	return "$" + Count(cents/100) + "." + strconv.FormatInt(cents%100+100, 10)[1:]
}

// Credits writes a number of credits: 1 credit, 75,000 credits.
func Credits(n int64) string {
	if n == 1 {
		return "1 credit"
	}
	return Count(n) + " credits"
}

// CreditsPer writes a price by length: 1 credit for each started 5 s.
func CreditsPer(n, seconds int64) string {
	if seconds == 1 {
		return Credits(n) + " for each started second"
	}
	return Credits(n) + " for each started " + Count(seconds) + " s"
}

// Long writes a length of time in its largest whole unit: 7 days, 1 hour, 90 seconds.
func Long(d time.Duration) string {
	for _, unit := range []struct {
		name string
		of   time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}, {"second", time.Second}} {
		if d >= unit.of && d%unit.of == 0 {
			if d == unit.of {
				return "1 " + unit.name
			}
			return Count(int64(d/unit.of)) + " " + unit.name + "s"
		}
	}
	return d.String()
}
