package webhook_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account/access"
	"veracity/platform/fault"
	"veracity/webhook"
)

func TestOperatorSeesTheDeliveriesOfAllAccounts(t *testing.T) {
	t.Parallel()
	r := setup(t)
	by := access.CLI(uuid.Nil)
	other := uuid.New()
	r.enrol(other)
	delivered := r.create(`{}`)
	r.drain(delivered)
	r.answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	given := r.createFor(other, `{}`)
	r.drain(given)
	retried := r.create(`{}`)
	_, err := r.Attempt(t.Context(), retried)
	require.NoError(t, err)
	fresh := r.create(`{}`)

	ids := func(f webhook.AnyDeliveryFilter) []uuid.UUID {
		found, err := r.AllDeliveries(t.Context(), by, f)
		require.NoError(t, err)
		got := make([]uuid.UUID, len(found))
		for i, d := range found {
			got[i] = d.ID
		}
		return got
	}
	require.Equal(t, []uuid.UUID{fresh, retried, given, delivered}, ids(webhook.AnyDeliveryFilter{}), "the newest first")
	require.Equal(t, []uuid.UUID{retried, given}, ids(webhook.AnyDeliveryFilter{Failing: true}), "a first attempt that is yet to come has not failed")
	require.Equal(t, []uuid.UUID{given}, ids(webhook.AnyDeliveryFilter{Account: other}))
	require.Equal(t, []uuid.UUID{fresh, retried}, ids(webhook.AnyDeliveryFilter{State: webhook.Pending}))
	all, err := r.AllDeliveries(t.Context(), by, webhook.AnyDeliveryFilter{Limit: 3})
	require.NoError(t, err)
	require.Len(t, all, 3)
	require.Nil(t, all[0].LastStatus)
	require.Equal(t, http.StatusInternalServerError, *all[1].LastStatus)
	require.Equal(t, other, all[2].Account)
	require.Equal(t, other.String()+"@example.com", all[2].AccountName)
	require.Equal(t, []uuid.UUID{delivered}, ids(webhook.AnyDeliveryFilter{Before: &all[2].CreatedAt, BeforeID: all[2].ID}))

	_, err = r.AllDeliveries(t.Context(), access.Actor{Account: r.account, User: uuid.New(), Role: access.Owner}, webhook.AnyDeliveryFilter{})
	require.Equal(t, fault.Forbidden, fault.CodeOf(err))
}
