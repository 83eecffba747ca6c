package web

import (
	"net/http"
	"net/mail"
	"strings"

	"github.com/google/uuid"

	"veracity/account"
	"veracity/account/access"
	"veracity/platform/fault"
	"veracity/views"
)

// team shows who belongs to the account. Everybody in it may see that; owners alone change it.
func (p *Portal) team(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	page, err := p.teamPage(r, v)
	if err != nil {
		return err
	}
	return p.show(w, r, http.StatusOK, views.TeamPage(page))
}

func (p *Portal) teamPage(r *http.Request, v *Visitor) (views.Team, error) {
	f, err := p.frame(r, v, "Team")
	if err != nil {
		return views.Team{}, err
	}
	members, err := p.Accounts.Members(r.Context(), v.Account)
	if err != nil {
		return views.Team{}, err
	}
	invites, err := p.Accounts.Invites(r.Context(), v.Account)
	if err != nil {
		return views.Team{}, err
	}
	page := views.Team{
		Shell: f.Shell, MayManage: v.Actor().Can(access.ManageTeam), Email: inviteEmail(""), Roles: roleChoices(access.Developer),
	}
	for _, m := range members {
		page.Members = append(page.Members, shownMember(m, v))
	}
	for _, i := range invites {
		page.Invites = append(page.Invites, views.OpenInvite{
			ID: i.ID.String(), Email: i.Email, Role: string(i.Role), By: i.InvitedBy, CreatedAt: i.CreatedAt, ExpiresAt: i.ExpiresAt,
		})
	}
	return page, nil
}

func shownMember(m account.Member, v *Visitor) views.Member {
	return views.Member{
		ID: m.User.String(), Name: m.Name, Email: m.Email, Role: string(m.Role), Since: m.JoinedAt, You: m.User == v.User.ID,
	}
}

func inviteEmail(typed string) views.Field {
	return views.Field{
		Name: "email", Label: "E-mail address", Type: "email", Value: typed, Required: true, Max: 254, Autocomplete: "off",
		Hint: "The person gets a link that works for this address alone.",
	}
}

func roleChoices(chosen access.Role) []views.RoleChoice {
	roles := access.Roles()
	choices := make([]views.RoleChoice, len(roles))
	for i, role := range roles {
		choices[i] = views.RoleChoice{
			Value: string(role), Label: views.RoleName(string(role)), Text: views.RoleText(string(role)), Chosen: role == chosen,
		}
	}
	return choices
}

func (p *Portal) invite(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	email, role := strings.TrimSpace(r.PostFormValue("email")), access.Role(r.PostFormValue("role"))
	_, err := p.Accounts.Invite(r.Context(), v.Actor(), email, role)
	if err != nil {
		return p.teamRefused(w, r, v, err, func(page *views.Team, f *fault.Fault) {
			page.Email, page.Roles = inviteEmail(email), roleChoices(role)
			if f.Code == fault.InvalidEmail || f.Code == fault.AlreadyMember {
				page.Email.Error, page.Refused = f.Message, ""
			}
		})
	}
	p.flash(r, "An invite is on its way to "+readable(email)+".")
	return see(w, r, "/account/team")
}

// readable is an address as it was typed, or a word for what does not read as one.
func readable(email string) string {
	if parsed, err := mail.ParseAddress(email); err == nil {
		return parsed.Address
	}
	return "the address"
}

// teamRefused shows the page again with why a form was not taken.
func (p *Portal) teamRefused(w http.ResponseWriter, r *http.Request, v *Visitor, err error, fill func(*views.Team, *fault.Fault)) error {
	f := refused(err)
	if f == nil || statusOf(f.Code) == http.StatusNotFound || f.Code == fault.Forbidden {
		return err
	}
	page, err := p.teamPage(r, v)
	if err != nil {
		return err
	}
	page.Refused = f.Message
	if fill != nil {
		fill(&page, f)
	}
	return p.show(w, r, statusOf(f.Code), views.TeamPage(page))
}

func (p *Portal) resendInvite(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	if err := p.Accounts.ResendInvite(r.Context(), v.Actor(), id); err != nil {
		return p.teamRefused(w, r, v, err, nil)
	}
	p.flash(r, "The invite is on its way again. Links that were sent before work no more.")
	return see(w, r, "/account/team")
}

func (p *Portal) withdrawInvite(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	if err := p.Accounts.WithdrawInvite(r.Context(), v.Actor(), id); err != nil {
		return p.teamRefused(w, r, v, err, nil)
	}
	p.flash(r, "The invite is withdrawn. Its link works no more.")
	return see(w, r, "/account/team")
}

func (p *Portal) setRole(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	user, err := pathID(r, "user")
	if err != nil {
		return err
	}
	role := access.Role(r.PostFormValue("role"))
	if err := p.Accounts.SetRole(r.Context(), v.Actor(), user, role); err != nil {
		return p.teamRefused(w, r, v, err, nil)
	}
	p.flash(r, "The role is changed. It holds from the person's next click.")
	return see(w, r, "/account/team")
}

// removeMemberForm asks before a person is removed. Whoever may not manage the team may still leave it.
func (p *Portal) removeMemberForm(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	user, err := pathID(r, "user")
	if err != nil {
		return err
	}
	return p.askRemoval(w, r, v, user, nil)
}

func (p *Portal) askRemoval(w http.ResponseWriter, r *http.Request, v *Visitor, user uuid.UUID, why *fault.Fault) error {
	member, err := p.member(r, v, user)
	if err != nil {
		return err
	}
	title := "Remove a member?"
	if member.You {
		title = "Leave this account?"
	}
	f, err := p.frame(r, v, title)
	if err != nil {
		return err
	}
	page := views.RemoveMember{Shell: f.Shell, Member: member}
	status := http.StatusOK
	if why != nil {
		page.Refused, status = why.Message, statusOf(why.Code)
	}
	return p.show(w, r, status, views.RemoveMemberPage(page))
}

// member finds a member whom the visitor may remove: himself, or anybody for those who manage the team.
func (p *Portal) member(r *http.Request, v *Visitor, user uuid.UUID) (views.Member, error) {
	members, err := p.Accounts.Members(r.Context(), v.Account)
	if err != nil {
		return views.Member{}, err
	}
	for _, m := range members {
		if m.User != user {
			continue
		}
		if m.User != v.User.ID {
			if err := v.Actor().May(access.ManageTeam); err != nil {
				return views.Member{}, err
			}
		}
		return shownMember(m, v), nil
	}
	return views.Member{}, fault.New(fault.UnknownMember, "The account has no such member: the person may have left already.")
}

func (p *Portal) removeMember(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	user, err := pathID(r, "user")
	if err != nil {
		return err
	}
	err = p.Accounts.RemoveMember(r.Context(), v.Actor(), user)
	if f := refused(err); f != nil && f.Code == fault.LastOwner {
		return p.askRemoval(w, r, v, user, f)
	}
	if err != nil {
		return err
	}
	if user == v.User.ID {
		p.flash(r, "You have left the account.")
		return see(w, r, "/account")
	}
	p.flash(r, "The member is removed and sees nothing of the account any more.")
	return see(w, r, "/account/team")
}
