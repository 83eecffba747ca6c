package markdown_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"veracity/api/openapi"
	"veracity/views"
	"veracity/web/markdown"
	"veracity/web/reference"
)

func convert(t *testing.T, document string) string {
	t.Helper()
	page, err := url.Parse("https://media.test/docs/page")
	require.NoError(t, err)
	text, err := markdown.Convert(document, page)
	require.NoError(t, err)
	return text
}

func TestElementsBecomeMarkdown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ page, want string }{
		"headings":   {`<h1>One</h1><h3 id="x"><a class="anchor" href="#x">Three</a></h3>`, "# One\n\n### Three"},
		"paragraphs": {"<p>A\n  b</p><p></p><p>c</p>", "A b\n\nc"},
		"marks":      {`<p><strong>a </strong>b <em>c</em><code>d_e*</code></p>`, "**a** b *c*`d_e*`"},
		"links":      {`<p><a href="/docs/x#y">x</a> <a href="#z"><code>z</code></a> <a href="https://b.test/(1)">b</a></p>`, "[x](https://media.test/docs/x#y) [`z`](https://media.test/docs/page#z) [b](https://b.test/%281%29)"},
		"lists": {`<ul><li>a</li><li><p>b</p><pre><code>c
d</code></pre></li></ul>`, "- a\n- b\n\n  ```\n  c\n  d\n  ```"},
		"numbers":      {`<ol><li>a</li><li>b<ul><li>c</li></ul></li></ol>`, "1. a\n2. b\n\n   - c"},
		"terms":        {`<dl><div><dt><code>a</code> <span>text</span></dt><dd>One.</dd><dd>Two.</dd></div><dt>b</dt><dd></dd></dl>`, "- `a` (text): One.\n\n  Two.\n- b"},
		"tables":       {`<div><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><th>1|2</th><td><code>x</code></td></tr><tr><td>3</td></tr></tbody></table></div>`, "| a | b |\n| --- | --- |\n| 1\\|2 | `x` |\n| 3 |  |"},
		"code":         {"<pre><code>a\t&lt;b&gt;\n\n  ```\n</code></pre>", "````\na\t<b>\n\n  ```\n````"},
		"ticks":        {"<p><code>a`b</code> <code>`c</code></p>", "``a`b`` `` `c ``"},
		"details":      {`<details><summary>More</summary><p>a</p></details>`, "**More**\n\na"},
		"what is left": {`<nav>n</nav><form>f</form><p>a</p><button>b</button><script>s</script><p>b <time>c</time></p>`, "a\n\nb c"},
		"loose text":   {`a <code>b</code><div>c</div>d`, "a `b`\n\nc\n\nd"},
		"specials":     {`<p>a*b [c] &lt;d&gt; snake_case _e &amp;amp; \</p>`, "a\\*b \\[c\\] \\<d> snake_case \\_e \\&amp; \\\\"},
		"starts":       {`<p># a</p><p>1. b</p><p>- c</p><p>&gt; d</p><p>2 e</p>`, "\\# a\n\n1\\. b\n\n\\- c\n\n\\> d\n\n2 e"},
	} {
		require.Equal(t, c.want+"\n", convert(t, "<main>skipped<article>"+c.page+"</article></main>"), name)
	}
	require.Equal(t, "a\n", convert(t, "<body>b<main><p>a</p></main>"))
}

func TestAPageWithoutMainPartIsRefused(t *testing.T) {
	t.Parallel()
	_, err := markdown.Convert("<p>a</p>", &url.URL{})
	require.Error(t, err)
}

func TestDepthIsBounded(t *testing.T) {
	t.Parallel()
	deep := convert(t, "<article><p>a</p>"+strings.Repeat("<div>", 400)+"lost"+strings.Repeat("</div>", 400)+"</article>")
	require.Equal(t, "a\n", deep)
}

// guides are all public pages of the docs as HTML, by path.
func guides(t *testing.T) map[string]string {
	t.Helper()
	docs := views.Docs{
		BaseURL: "https://media.test", Results: "7 days", Ticket: "1 hour", Job: "30 minutes", Attempt: "10 seconds",
		Retries: []string{"5 seconds", "1 minute"}, Plans: []views.PlanCard{{Name: "pro", Price: "$99", Credits: 10_000, API: true}},
	}
	pages := map[string]string{}
	for _, g := range views.Guides() {
		docs.Guide = g
		var b strings.Builder
		require.NoError(t, views.DocsPage(docs).Render(t.Context(), &b))
		pages[g.Slug] = b.String()
	}
	r, err := reference.Read(openapi.Document(), "https://media.test")
	require.NoError(t, err)
	r.Docs = docs
	var b strings.Builder
	require.NoError(t, views.ReferencePage(r).Render(t.Context(), &b))
	pages["api"] = b.String()
	return pages
}

// left are the elements of an article whose words belong to the page and not to what it says.
var left = map[atom.Atom]bool{atom.Nav: true, atom.Form: true, atom.Button: true}

// said are the words of an article, and its blocks of code.
func said(t *testing.T, page string) (words, code []string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	var walk func(n *html.Node, within bool)
	walk = func(n *html.Node, within bool) {
		within = within || n.DataAtom == atom.Article
		switch {
		case left[n.DataAtom]:
			return
		case within && n.Type == html.TextNode:
			words = append(words, letters.FindAllString(n.Data, -1)...)
		case within && n.DataAtom == atom.Pre:
			var b strings.Builder
			for c := range n.Descendants() {
				if c.Type == html.TextNode {
					b.WriteString(c.Data)
				}
			}
			code = append(code, b.String())
		}
		for c := range n.ChildNodes() {
			walk(c, within)
		}
	}
	walk(root, false)
	return words, code
}

// letters are what words are made of, without what Markdown escapes.
var (
	letters = regexp.MustCompile(`[\pL\pN]+`)
	address = regexp.MustCompile(`\]\([^)\s]*\)`)
)

func TestNoWordOfAPageIsLostAndNoneChangesPlace(t *testing.T) {
	t.Parallel()
	for name, page := range guides(t) {
		words, _ := said(t, page)
		require.Greater(t, len(words), 50, name)
		text := address.ReplaceAllString(convert(t, page), "]")
		kept := letters.FindAllString(text, -1)
		// Numbers of lists are the one thing that Markdown adds.
		if !strings.Contains(page, "<ol") {
			require.Equal(t, words, kept, name)
			continue
		}
		i := 0
		for _, k := range kept {
			if i < len(words) && words[i] == k {
				i++
			}
		}
		require.Equal(t, len(words), i, "%s lost %v", name, words[min(i, len(words)-1)])
	}
}

func TestBlocksOfCodeSurviveByteForByte(t *testing.T) {
	t.Parallel()
	blocks := 0
	for name, page := range guides(t) {
		text := convert(t, page)
		_, code := said(t, page)
		for _, c := range code {
			blocks++
			require.Contains(t, text, "\n```\n"+c+"\n```\n", name)
		}
		require.Equal(t, 2*len(code), strings.Count(text, "\n```"), name)
	}
	require.Greater(t, blocks, 50)
}

func TestLinksOfThePagesAreAbsolute(t *testing.T) {
	t.Parallel()
	for name, page := range guides(t) {
		for _, link := range address.FindAllString(convert(t, page), -1) {
			require.Regexp(t, `^\]\(https?://`, link, name)
		}
	}
}
