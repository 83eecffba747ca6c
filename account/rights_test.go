package account_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/platform/fault"
)

// act is one act that a person can begin, on what the account has.
type act struct {
	name  string
	roles []access.Role
	do    func(by access.Actor, key, invite, member uuid.UUID) error
}

// everyAct lists the acts with the roles that may do them. An operator may do all.
func everyAct(t *testing.T, a *account.Accounts) []act {
	t.Helper()
	ctx := t.Context()
	owners, makers := []access.Role{access.Owner}, []access.Role{access.Owner, access.Developer}
	return []act{
		{"create key", makers, func(by access.Actor, _, _, _ uuid.UUID) error {
			_, err := a.CreateKey(ctx, by, uuid.NewString())
			return err
		}},
		{"revoke key", makers, func(by access.Actor, key, _, _ uuid.UUID) error { return a.RevokeKey(ctx, by, key) }},
		{"spend", makers, func(by access.Actor, _, _, _ uuid.UUID) error {
			_, err := a.AuthenticateMember(ctx, by)
			return err
		}},
		{"invite", owners, func(by access.Actor, _, _, _ uuid.UUID) error {
			_, err := a.Invite(ctx, by, uuid.NewString()+"@example.com", access.Viewer)
			return err
		}},
		{"resend invite", owners, func(by access.Actor, _, invite, _ uuid.UUID) error { return a.ResendInvite(ctx, by, invite) }},
		{"withdraw invite", owners, func(by access.Actor, _, invite, _ uuid.UUID) error { return a.WithdrawInvite(ctx, by, invite) }},
		{"set role", owners, func(by access.Actor, _, _, member uuid.UUID) error { return a.SetRole(ctx, by, member, access.Billing) }},
		{"remove member", owners, func(by access.Actor, _, _, member uuid.UUID) error { return a.RemoveMember(ctx, by, member) }},
		{"rename", owners, func(by access.Actor, _, _, _ uuid.UUID) error { return a.Rename(ctx, by, uuid.NewString()) }},
		{"close", owners, func(by access.Actor, _, _, _ uuid.UUID) error {
			_, err := a.Close(ctx, by)
			return err
		}},
		{"reopen", owners, func(by access.Actor, _, _, _ uuid.UUID) error { return a.Reopen(ctx, by) }},
		{"set limits", nil, func(by access.Actor, _, _, _ uuid.UUID) error {
			_, err := a.SetLimits(ctx, by, account.Overrides{Jobs: ptr(4)})
			return err
		}},
		{"set plan", nil, func(by access.Actor, _, _, _ uuid.UUID) error {
			_, err := a.SetPlan(ctx, by, "scale")
			return err
		}},
		{"suspend", nil, func(by access.Actor, _, _, _ uuid.UUID) error { return a.Suspend(ctx, by) }},
		{"resume", nil, func(by access.Actor, _, _, _ uuid.UUID) error { return a.Resume(ctx, by) }},
		{"find", nil, func(by access.Actor, _, _, _ uuid.UUID) error {
			_, err := a.Find(ctx, by, "", nil, 10)
			return err
		}},
		{"census", nil, func(by access.Actor, _, _, _ uuid.UUID) error {
			_, err := a.Census(ctx, by)
			return err
		}},
	}
}

func TestEachRoleDoesWhatItMayAndNothingElse(t *testing.T) {
	t.Parallel()
	a := setup(t)
	for _, role := range append(access.Roles(), "", "operator", "an operator on the operator pages") {
		acc := create(t, a, "scale", account.Overrides{})
		own := owner(t, a, acc.ID)
		by := access.Actor{Account: acc.ID, User: user(t, a, uuid.NewString()+"@example.com"), Role: role}
		if slices.Contains(access.Roles(), role) {
			by = member(t, a, acc.ID, role)
		}
		if role == "an operator on the operator pages" {
			by.Role, by.Operator = "", true
		}
		for _, act := range everyAct(t, a) {
			made, err := a.CreateKey(t.Context(), own, uuid.NewString())
			require.NoError(t, err)
			invite, err := a.Invite(t.Context(), own, uuid.NewString()+"@example.com", access.Viewer)
			require.NoError(t, err)
			_, err = a.DB.Exec(t.Context(), `UPDATE invite SET sent_at = now() - interval '1 hour'`)
			require.NoError(t, err)
			before := state(t, a, acc.ID)
			err = act.do(by, made.ID, invite, member(t, a, acc.ID, access.Viewer).User)
			if by.Operator || slices.Contains(act.roles, role) {
				require.NoError(t, err, "%s: %s", role, act.name)
			} else {
				require.Equal(t, fault.Forbidden, fault.CodeOf(err), "%s: %s", role, act.name)
				require.Equal(t, before, state(t, a, acc.ID), "%s: %s changed something", role, act.name)
			}
			require.NoError(t, a.Resume(t.Context(), access.CLI(acc.ID)))
			require.NoError(t, a.Reopen(t.Context(), access.CLI(acc.ID)))
		}
	}
}

// state is an account's row, keys, invites and trail in one text; the members that tests add are left out.
func state(t *testing.T, a *account.Accounts, acc uuid.UUID) string {
	t.Helper()
	var text string
	require.NoError(t, a.DB.QueryRow(t.Context(), `
		SELECT concat(
			(SELECT a::text FROM account a WHERE id = $1),
			(SELECT string_agg(k::text, '' ORDER BY id) FROM api_key k WHERE account_id = $1),
			(SELECT string_agg(i::text, '' ORDER BY id) FROM invite i WHERE account_id = $1),
			(SELECT string_agg(l::text, '' ORDER BY id) FROM audit_log l WHERE account_id = $1))`, acc).Scan(&text))
	return text
}

func TestForeignIdsReadAsNotFound(t *testing.T) {
	t.Parallel()
	a := setup(t)
	mine, other := create(t, a, "pro", account.Overrides{}), create(t, a, "pro", account.Overrides{})
	by, their := owner(t, a, mine.ID), owner(t, a, other.ID)
	key, err := a.CreateKey(t.Context(), their, "k")
	require.NoError(t, err)
	invite, err := a.Invite(t.Context(), their, "x@example.com", access.Viewer)
	require.NoError(t, err)
	their = member(t, a, other.ID, access.Viewer)
	before := state(t, a, other.ID)
	codes := map[string]fault.Code{
		"revoke key": fault.UnknownKey, "resend invite": fault.UnknownInvite, "withdraw invite": fault.UnknownInvite,
		"set role": fault.UnknownMember, "remove member": fault.UnknownMember,
	}
	for _, act := range everyAct(t, a) {
		if want, ok := codes[act.name]; ok {
			require.Equal(t, want, fault.CodeOf(act.do(by, key.ID, invite, their.User)), act.name)
			delete(codes, act.name)
		}
	}
	require.Empty(t, codes)
	_, err = a.GetKey(t.Context(), mine.ID, key.ID)
	require.Equal(t, fault.UnknownKey, fault.CodeOf(err))
	require.Equal(t, before, state(t, a, other.ID))
	found, err := a.GetKey(t.Context(), other.ID, key.ID)
	require.NoError(t, err)
	require.Equal(t, "k", found.Name)

	nowhere := access.Actor{Account: uuid.New(), User: by.User, Role: access.Owner}
	for _, act := range everyAct(t, a) {
		want := fault.UnknownAccount
		switch {
		case act.name == "revoke key":
			want = fault.UnknownKey
		case act.roles == nil:
			want = fault.Forbidden
		}
		require.Equal(t, want, fault.CodeOf(act.do(nowhere, key.ID, invite, their.User)), act.name)
	}
}
