package views_test

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/views"
)

func TestEachHeadingOfAGuideIsInItsContents(t *testing.T) {
	t.Parallel()
	heading := regexp.MustCompile(`<h2 id="([^"]+)"><a class="anchor" href="#([^"]+)">([^<]+)</a>`)
	pages := publicPages(false)
	for _, g := range views.Guides() {
		page := render(t, pages[g.Href()])
		var found []views.Section
		for _, m := range heading.FindAllStringSubmatch(page, -1) {
			require.Equal(t, m[1], m[2])
			found = append(found, views.Section{ID: m[1], Title: html.UnescapeString(m[3])})
		}
		require.Equal(t, g.Sections, found, g.Slug)
		for _, s := range g.Sections {
			require.Equal(t, 1, strings.Count(page, `id="`+s.ID+`"`), "%s#%s", g.Slug, s.ID)
		}
	}
}

// Links from the pages of the account and from mails count too.
func TestEveryLinkIntoTheDocsLeadsSomewhere(t *testing.T) {
	t.Parallel()
	pages := publicPages(false)
	rendered := map[string]string{}
	for path, page := range pages {
		rendered[path] = render(t, page)
	}
	var texts []string
	for _, pattern := range []string{"*.templ", "*.go", "mail/*.templ", "../web/*.go", "../letter/*.go"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			b, err := os.ReadFile(file)
			require.NoError(t, err)
			texts = append(texts, string(b))
		}
	}
	links := regexp.MustCompile(`"(/docs/[a-z]+)(?:#([a-z0-9_-]+))?"`).FindAllStringSubmatch(strings.Join(texts, "\n"), -1)
	require.NotEmpty(t, links)
	for _, m := range links {
		require.Contains(t, rendered, m[1])
		if m[2] != "" {
			require.Contains(t, rendered[m[1]], `id="`+m[2]+`"`, m[0])
		}
	}
}

func TestExamplesHaveTheVisitorsAddressAndTheStartOfHisKey(t *testing.T) {
	t.Parallel()
	for signedIn, key := range map[bool]string{false: "YOUR_KEY", true: "svc_live_ab12…"} {
		page := render(t, publicPages(signedIn)["/docs/quickstart"])
		require.Contains(t, page, "curl https://media.test/api/v1/audit")
		require.Contains(t, page, "X-API-Key: "+key)
	}
}

func TestEachSnippetIsShownWholeAndFilledIn(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, page := range publicPages(true) {
		all.WriteString(html.UnescapeString(render(t, page)))
	}
	require.NotContains(t, all.String(), "{{")
	for name, text := range snippets(t) {
		require.Contains(t, all.String(), text, name)
	}
}

// snippets are the examples of the guides as a visitor sees them who has signed in.
func snippets(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("snippets/*.txt")
	require.NoError(t, err)
	found := map[string]string{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		text := strings.NewReplacer("{{base}}", "https://media.test", "{{key}}", "svc_live_ab12…").Replace(string(b))
		found[filepath.Base(file)] = strings.TrimRight(text, "\n")
	}
	return found
}

func TestExamplesOfCodeAndAnswersAreWellFormed(t *testing.T) {
	t.Parallel()
	for name, text := range snippets(t) {
		switch {
		case strings.HasSuffix(name, ".json.txt"):
			require.True(t, json.Valid([]byte(text)), name)
		case strings.HasSuffix(name, ".go.txt"):
			if !strings.HasPrefix(text, "package") {
				text = "package example\n" + text
			}
			_, err := parser.ParseFile(token.NewFileSet(), name, text, parser.AllErrors)
			require.NoError(t, err)
		}
	}
	for _, answer := range []string{views.ExamplePicture, views.ExampleAnswer, views.ExampleSilence} {
		require.True(t, json.Valid([]byte(answer)))
	}
}

func TestGuidesAreFoundByTheirNameAlone(t *testing.T) {
	t.Parallel()
	g, ok := views.FindGuide("webhooks")
	require.True(t, ok)
	require.Equal(t, "/docs/webhooks", g.Href())
	for _, slug := range []string{"", "nothing", "Webhooks", "../webhooks"} {
		_, ok := views.FindGuide(slug)
		require.False(t, ok, slug)
	}
}

func TestEachErrorHasAnAnchorOfItsOwn(t *testing.T) {
	t.Parallel()
	page := render(t, publicPages(false)["/docs/errors"])
	for _, c := range append(views.CallErrors(), views.JobErrors()...) {
		require.Equal(t, 1, strings.Count(page, `id="`+c.Anchor+`"`), c.Anchor)
		require.NotEmpty(t, c.Means, c.Code)
		require.NotEmpty(t, c.Do, c.Code)
	}
}
