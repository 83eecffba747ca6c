package letter

import (
	"context"
	"net/url"

	"veracity/account"
	"veracity/account/access"
	views "veracity/views/mail"
)

// link is the address of a page that takes a token.
func (p *Post) link(page, token string) string {
	return p.BaseURL + page + "?token=" + url.QueryEscape(token)
}

func (p *Post) signUp(ctx context.Context, l account.Letter) (string, views.Letter, error) {
	minted, ok, err := p.People.MintSignUp(ctx, l.Subject)
	switch {
	case err != nil:
		return "", views.Letter{}, err
	case !ok:
		return "", views.Letter{}, errNothing
	case minted.Known:
		return minted.Email, views.Known(p.BaseURL+"/login", p.BaseURL+"/forgot"), nil
	}
	return minted.Email, views.SignUp(p.link("/verify", minted.Token), p.Holds.SignUp), nil
}

func (p *Post) reset(ctx context.Context, l account.Letter) (string, views.Letter, error) {
	minted, ok, err := p.People.MintReset(ctx, l.To)
	if err == nil && !ok {
		err = errNothing
	}
	if err != nil {
		return "", views.Letter{}, err
	}
	return minted.Email, views.Reset(p.link("/reset", minted.Token), p.Holds.Reset), nil
}

func (p *Post) invite(ctx context.Context, l account.Letter) (string, views.Letter, error) {
	minted, ok, err := p.People.MintInvite(ctx, l.Subject)
	if err == nil && !ok {
		err = errNothing
	}
	if err != nil {
		return "", views.Letter{}, err
	}
	written := views.Invite(minted.AccountName, minted.InvitedBy, roleName(minted.Role), p.link("/invite", minted.Token), p.Holds.Invite)
	return minted.Email, written, nil
}

func (p *Post) emailChange(ctx context.Context, l account.Letter) (string, views.Letter, error) {
	minted, ok, err := p.People.MintEmailChange(ctx, l.Subject)
	if err == nil && !ok {
		err = errNothing
	}
	if err != nil {
		return "", views.Letter{}, err
	}
	return minted.Email, views.EmailChange(p.link("/email", minted.Token), p.Holds.EmailChange), nil
}

// roleName is a role as a sentence names it.
func roleName(role access.Role) string {
	switch role {
	case access.Owner:
		return "an owner"
	case access.Developer:
		return "a developer"
	case access.Billing:
		return "a billing member"
	case access.Viewer:
		return "a viewer"
	}
	return "a member"
}
