package browsertest_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/web/browsertest"
)

const page = `<!doctype html><html lang="en"><head><title>A page</title></head><body><main><h1>Hello</h1>
<form method="post" action="/said"><label for="w">Word</label><input id="w" name="word" value="old"><button>Send it</button></form>
<p id="out"></p></main><script>document.getElementById("out").textContent = "scripted"</script></body></html>`

func site(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(page)) })
	mux.HandleFunc("/said", func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("<!doctype html><html lang=en><title>Said</title><main><h1>You said " + r.FormValue("word") + "</h1></main>"))
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL
}

func TestTabFillsFormsWithAndWithoutScript(t *testing.T) {
	t.Parallel()
	url := site(t)
	for _, scripts := range []bool{true, false} {
		tab := browsertest.Open(t, url)
		if !scripts {
			tab.WithoutScript()
		}
		tab.Go("/")
		tab.See("hello")
		require.Equal(t, scripts, tab.Shows("scripted"))
		tab.Fill("word", "new")
		tab.Press("Send it")
		tab.See("You said new")
		require.Equal(t, "/said", tab.Path())
	}
}

func TestAccessiblePagePasses(t *testing.T) {
	t.Parallel()
	tab := browsertest.Open(t, site(t))
	tab.Go("/")
	tab.Scheme("dark")
	tab.Phone()
	tab.Accessible("a page")
}
