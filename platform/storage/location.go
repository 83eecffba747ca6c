package storage

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

const (
	allowedForms = "want disk:DIR, disk:///DIR or s3://BUCKET?endpoint=URL&region=REGION&path_style=true " +
		"(all three parameters may be left out)"
	defaultRegion = "us-east-1"
	// maxScheme is how much of an unreadable URL is shown.
	maxScheme = 8
)

// bucketForm is S3's rule for names of general purpose buckets, without its finer exceptions.
var bucketForm = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

// location is a parsed VERACITY_STORAGE_URL: dir when s3 is nil.
type location struct {
	dir string
	s3  *bucketLocation
}

type bucketLocation struct {
	bucket string
	// endpoint is "" for AWS itself.
	endpoint string
	// region is "" when the AWS default chain is to say it.
	region    string
	pathStyle bool
}

func parseLocation(raw string) (location, error) {
	loc, err := splitLocation(raw)
	if err != nil {
		return location{}, fmt.Errorf("VERACITY_STORAGE_URL is %q: %w; %s", maskURL(raw), err, allowedForms)
	}
	return loc, nil
}

func splitLocation(raw string) (location, error) {
	if dir, ok := strings.CutPrefix(raw, "disk:"); ok {
		return diskLocation(dir)
	}
	u, err := url.Parse(raw)
	switch {
	case raw == "":
		return location{}, errors.New("it is empty")
	case err != nil:
		return location{}, errors.New("it is no URL")
	case u.Scheme != "s3":
		return location{}, errors.New("the scheme is not known")
	case u.User != nil:
		return location{}, errors.New("credentials belong into VERACITY_STORAGE_ACCESS_KEY and VERACITY_STORAGE_SECRET_KEY")
	case !bucketForm.MatchString(u.Host):
		return location{}, errors.New("the host is not the name of a bucket")
	case (u.Path != "" && u.Path != "/") || u.Fragment != "":
		return location{}, errors.New("nothing may follow the bucket but parameters")
	}
	bucket, err := bucketParameters(u)
	return location{s3: bucket}, err
}

// diskLocation takes the folder as it is written: no percent-decoding, so every folder name can be said.
func diskLocation(dir string) (location, error) {
	if rest, ok := strings.CutPrefix(dir, "//"); ok {
		if !strings.HasPrefix(rest, "/") {
			return location{}, errors.New("a disk has no host")
		}
		dir = rest
	}
	if dir == "" {
		return location{}, errors.New("the folder is missing")
	}
	return location{dir: dir}, nil
}

// bucketParameters reads the query. Path style follows from a custom endpoint unless it is said, since few servers
// beside AWS answer to bucket names as hosts.
func bucketParameters(u *url.URL) (*bucketLocation, error) {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, errors.New("the parameters cannot be read")
	}
	loc := &bucketLocation{bucket: u.Host}
	for name, values := range query {
		if len(values) != 1 || values[0] == "" {
			return nil, fmt.Errorf("parameter %s wants one value", name)
		}
		switch name {
		case "endpoint":
			loc.endpoint = values[0]
		case "region":
			loc.region = values[0]
		case "path_style":
			if loc.pathStyle, err = strconv.ParseBool(values[0]); err != nil {
				return nil, errors.New("path_style is neither true nor false")
			}
		default:
			return nil, fmt.Errorf("parameter %s is not known", name)
		}
	}
	if loc.endpoint == "" {
		return loc, nil
	}
	if e, err := url.Parse(loc.endpoint); err != nil || !isWebAddress(e) {
		return nil, errors.New("endpoint is not http://HOST or https://HOST")
	}
	if !query.Has("path_style") {
		loc.pathStyle = true
	}
	if loc.region == "" {
		loc.region = defaultRegion
	}
	return loc, nil
}

// isWebAddress is true for http and https addresses that other addresses can be built below.
func isWebAddress(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == ""
}

// maskURL keeps of raw what helps to find a mistake in it, and nothing that may be a secret: user names, passwords,
// values of parameters that this package does not know. What cannot be read as a URL is cut after its scheme.
func maskURL(raw string) string {
	if raw == "" || strings.HasPrefix(raw, "disk:") {
		return raw
	}
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" {
		scheme, _, _ := strings.Cut(raw, ":")
		return scheme[:min(len(scheme), maxScheme)] + ":…"
	}
	if u.User != nil {
		u.User = url.User("***")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		u.RawQuery = "…"
		return u.String()
	}
	for name, values := range query {
		for i := range values {
			query[name][i] = maskParameter(name, values[i])
		}
	}
	u.RawQuery = query.Encode()
	if unescaped, err := url.PathUnescape(u.String()); err == nil {
		return unescaped
	}
	return u.String()
}

func maskParameter(name, value string) string {
	switch name {
	case "region", "path_style":
		return value
	case "endpoint":
		return maskURL(value)
	}
	return "***"
}
