package browsertest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// Go opens a page of the portal, or any address.
func (b *Tab) Go(path string) {
	b.t.Helper()
	if strings.HasPrefix(path, "/") {
		path = b.base + path
	}
	// A page that is still on its way, after a press, gives up the first try.
	for range 3 {
		ctx, cancel := context.WithTimeout(b.ctx, stepTime)
		err := chromedp.Do(ctx, chromedp.Navigate(path))
		cancel()
		if err == nil || !strings.Contains(err.Error(), "ERR_ABORTED") {
			require.NoError(b.t, err, "go to %s", path)
			return
		}
	}
	b.t.Fatalf("%s cannot be gone to", path)
}

// Path is where the tab is.
func (b *Tab) Path() string {
	return strings.TrimPrefix(get(b, "read the address", chromedp.Location()), b.base)
}

// Text is what the page shows.
func (b *Tab) Text() string { return Evaluate[string](b, `document.body.innerText`) }

// HTML is the page as it stands, with what its scripts made of it.
func (b *Tab) HTML() string {
	b.t.Helper()
	b.do("wait for the page", chromedp.WaitReady(chromedp.CSS("body footer")))
	return Evaluate[string](b, `document.documentElement.outerHTML`)
}

// See waits until the page shows a text, in any letter case.
func (b *Tab) See(text string) {
	b.t.Helper()
	deadline := time.Now().Add(stepTime)
	for time.Now().Before(deadline) {
		if b.Shows(text) {
			return
		}
		<-time.After(50 * time.Millisecond)
	}
	b.t.Fatalf("%s does not show %q:\n%s", b.at(), text, b.body())
}

// Shows tells whether the page shows a text now.
func (b *Tab) Shows(text string) bool {
	// A page on its way out answers nothing.
	return strings.Contains(strings.ToLower(b.body()), strings.ToLower(text))
}

// field finds an input by its name, or by a CSS selector.
func field(which string) chromedp.CSS {
	if strings.ContainsAny(which, "#[ ") {
		return chromedp.CSS(which)
	}
	return chromedp.CSS(fmt.Sprintf("main [name=%q]:not([type=hidden])", which))
}

// Fill types into a field, named or selected, in place of what it holds.
func (b *Tab) Fill(which, value string) {
	b.t.Helper()
	field := field(which)
	b.do("fill in "+which, chromedp.WaitVisible(field), chromedp.Clear(field), chromedp.SendKeys(field, value))
}

// Choose picks an option of a select by its value.
func (b *Tab) Choose(which, value string) {
	b.t.Helper()
	b.do("choose "+value, chromedp.SetValue(field(which), value))
}

// Tick clicks a checkbox or a radio button.
func (b *Tab) Tick(which string) {
	b.t.Helper()
	b.do("tick "+which, chromedp.ScrollIntoView(field(which)), chromedp.Click(field(which)))
}

// Attach puts a file into a field.
func (b *Tab) Attach(which, file string) {
	b.t.Helper()
	b.do("attach "+file, chromedp.SetUploadFiles(field(which), []string{file}))
}

// Press clicks the button or link with that label: one of the page's content, or else of what stands around it.
func (b *Tab) Press(label string) {
	b.t.Helper()
	labelled := fmt.Sprintf(`[self::button or self::a or self::summary][normalize-space(.)=%q]`, label)
	which := chromedp.Search(`//main//*` + labelled + ` | //*` + labelled + `[not(//main//*` + labelled + `)]`)
	b.do("press "+label, chromedp.WaitVisible(which), chromedp.ScrollIntoView(which), chromedp.Click(which, chromedp.NodeVisible))
}

// Send clicks the button of the form that posts to an address.
func (b *Tab) Send(action string) {
	b.t.Helper()
	button := chromedp.CSS(fmt.Sprintf("form[action=%q] button[type=submit]", action))
	b.do("send "+action, chromedp.WaitVisible(button), chromedp.ScrollIntoView(button), chromedp.Click(button))
}

// Follow clicks the link whose address contains a text.
func (b *Tab) Follow(href string) {
	b.t.Helper()
	link := chromedp.CSS(fmt.Sprintf("main a[href*=%q]", href))
	b.do("follow "+href, chromedp.WaitVisible(link), chromedp.ScrollIntoView(link), chromedp.Click(link))
}

// Value reads the field of that id.
func (b *Tab) Value(id string) string {
	b.t.Helper()
	return get(b, "read "+id, chromedp.Value(chromedp.ID(id)))
}

// Reload loads the page again, as the reload button does.
func (b *Tab) Reload() { b.do("reload", chromedp.Reload()) }

// Authenticator gives the browser a platform authenticator whose owner agrees to everything.
func (b *Tab) Authenticator() {
	command(b, webauthn.Enable, webauthn.EnableParams{})
	command(b, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
		HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
	}})
}
