package web_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/platform/fault"
)

func TestAccountIsRenamedByItsOwnersAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	owner := r.person(t, access.Owner)
	saved := owner.send(owner.get("/account/settings"), "/account/settings", "name", "Acme Labs")
	require.Contains(t, saved.text, "The account&#39;s name is saved")
	require.Equal(t, "Acme Labs", saved.form("/account/settings").Get("name"))
	require.Contains(t, saved.text, owner.Account.String())
	refused := owner.send(saved, "/account/settings", "name", "  ")
	require.Equal(t, http.StatusUnprocessableEntity, refused.status)
	require.Contains(t, refused.text, `id="e-name"`)

	viewer := r.person(t, access.Viewer)
	page := viewer.get("/account/settings")
	require.Contains(t, page.text, "Only owners change it")
	require.NotContains(t, page.text, "/account/close")
	require.Equal(t, http.StatusForbidden, viewer.post("/account/settings", map[string][]string{"name": {"Mine"}}).status)
	require.Equal(t, http.StatusForbidden, viewer.get("/account/close").status)
	require.Equal(t, http.StatusForbidden, viewer.post("/account/close", nil).status)
	require.Equal(t, http.StatusForbidden, viewer.post("/account/reopen", nil).status)
}

func TestClosingNeedsTheNameAndThePassword(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	owner := r.person(t, access.Owner)
	require.NoError(t, r.Accounts.Rename(t.Context(), owner.actor(access.Owner), "Acme Labs"))
	form := owner.get("/account/close")
	require.Contains(t, form.text, "Acme Labs")
	for _, c := range []struct{ name, password, wrong string }{
		{"Acme", password, `id="e-name"`}, {"Acme Labs", "not the password", `id="e-password"`}, {"Acme Labs", "", `id="e-password"`},
	} {
		refused := owner.send(form, "/account/close", "name", c.name, "password", c.password)
		require.Equal(t, http.StatusUnprocessableEntity, refused.status)
		require.Contains(t, refused.text, c.wrong)
		require.NotContains(t, refused.text, password)
		acc, err := r.Accounts.Get(t.Context(), owner.Account)
		require.NoError(t, err)
		require.Nil(t, acc.ClosesAt)
	}
}

func TestClosedAccountIsRefusedUntilItIsKept(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	owner := r.person(t, access.Owner)
	require.NoError(t, r.Accounts.Rename(t.Context(), owner.actor(access.Owner), "Acme Labs"))
	key := keyPattern.FindString(owner.create("server").text)

	closed := owner.send(owner.get("/account/close"), "/account/close", "name", "Acme Labs", "password", password)
	require.Equal(t, "/account/settings", closed.url.Path)
	require.Contains(t, closed.text, "The account is closed to calls.")
	require.Equal(t, 1, r.letters.count(account.LetterClosing, owner.Email))
	_, err := r.Accounts.Authenticate(t.Context(), key)
	require.Equal(t, fault.PlanRequired, fault.CodeOf(err))
	require.Contains(t, owner.get("/account/keys").text, "This account is being closed", "every page says it")

	kept := owner.send(owner.get("/account/settings"), "/account/reopen")
	require.Contains(t, kept.text, "The account is kept")
	require.NotContains(t, owner.get("/account/keys").text, "is being closed")
	_, err = r.Accounts.Authenticate(t.Context(), key)
	require.NoError(t, err)
}
