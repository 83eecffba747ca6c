package web

import (
	"net/http"
	"strings"

	"veracity/account"
	"veracity/account/access"
	"veracity/platform/fault"
	"veracity/views"
)

// keys shows the account's keys with the form that makes one.
func (p *Portal) keys(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	page, err := p.keysPage(r, v)
	if err != nil {
		return err
	}
	return p.show(w, r, http.StatusOK, views.KeysPage(page))
}

func (p *Portal) keysPage(r *http.Request, v *Visitor) (views.Keys, error) {
	f, err := p.frame(r, v, "Keys")
	if err != nil {
		return views.Keys{}, err
	}
	live, err := p.Accounts.ListKeys(r.Context(), v.Account)
	if err != nil {
		return views.Keys{}, err
	}
	page := views.Keys{
		Shell: f.Shell, Keys: make([]views.Key, len(live)), Limit: f.Account.Limits.Keys,
		MayManage: v.Actor().Can(access.ManageKeys), Blocked: p.keysBlocked(f.Account, len(live)), Name: keyName(""),
	}
	for i, k := range live {
		page.Keys[i] = shownKey(k)
	}
	if over := p.overLimit(f.Account, len(live)); over != nil {
		page.Banners = append(page.Banners, *over)
	}
	return page, nil
}

func shownKey(k account.Key) views.Key {
	return views.Key{ID: k.ID.String(), Name: k.Name, Start: k.Start, CreatedAt: k.CreatedAt, LastUsedAt: k.LastUsedAt}
}

func keyName(typed string) views.Field {
	return views.Field{
		Name: "name", Label: "Name", Value: typed, Required: true, Max: 100, Autocomplete: "off",
		Hint: "What will use it, such as “production server”. No two live keys have the same name.",
	}
}

// Ways out of a refusal.
const (
	largerPlan   = "See larger plans"
	choosePlan   = "Choose a plan"
	mendPayment  = "Mend the payment"
	keepAccount  = "Account settings"
	pricingPath  = "/pricing"
	settingsPath = "/account/settings"
)

// keysBlocked says why the account can have no further key now, or is nil.
func (p *Portal) keysBlocked(acc account.Account, live int) *views.Notice {
	limit := acc.Limits.Keys
	switch {
	case acc.ClosesAt != nil:
		return &views.Notice{Text: "The account is being closed, so no key can be created.", Action: keepAccount, Href: settingsPath}
	case acc.State == account.Suspended:
		return &views.Notice{Text: "The account is suspended, so no key can be created. " + p.askWhy(), Action: p.writeTo(), Href: p.supportLink()}
	case acc.State == account.PlanRequired:
		return &views.Notice{Text: "The plan “" + acc.Plan + "” may hold no keys. A paid plan comes with API access and keys.", Action: choosePlan, Href: p.plansAt()}
	case acc.State == account.PaymentFailed:
		return &views.Notice{Text: "The last payment failed. No key can be created until it is mended.", Action: mendPayment, Href: p.plansAt()}
	case live > limit:
		return &views.Notice{Text: "The account has more keys than its plan allows. " + untilBelow(limit), Action: largerPlan, Href: p.plansAt()}
	case live == limit:
		return &views.Notice{
			Text:   views.Count(int64(live)) + " of " + views.Count(int64(limit)) + " keys are in use. Revoke one that nothing uses any more, or move to a larger plan.",
			Action: largerPlan, Href: p.plansAt(),
		}
	}
	return nil
}

// askWhy says whom to ask about a suspension.
func (p *Portal) askWhy() string {
	if p.cfg.SupportEmail == "" {
		return "Ask the people who run this service."
	}
	return "Support says why."
}

func (p *Portal) writeTo() string {
	if p.cfg.SupportEmail == "" {
		return ""
	}
	return "Write to support"
}

func (p *Portal) supportLink() string { return "mailto:" + p.cfg.SupportEmail }

// overLimit tells of keys above the limit, such as after a downgrade; nil where all is well. On a plan without API
// access the keys do not work, which the banner of the plan says.
func (p *Portal) overLimit(acc account.Account, live int) *views.Banner {
	limit := acc.Limits.Keys
	if live <= limit || acc.State != account.Active {
		return nil
	}
	return &views.Banner{
		Kind: "warn",
		Text: views.Count(int64(live)) + " keys are live, and the plan allows " + views.Count(int64(limit)) +
			". The existing ones keep working. " + untilBelow(limit),
		Action: largerPlan, Href: p.plansAt(),
	}
}

func untilBelow(limit int) string {
	if limit <= 0 {
		return "None can be created until the account moves to a larger plan."
	}
	return "None can be created until fewer than " + views.Count(int64(limit)) + " are left, or the account moves to a larger plan."
}

// createKey makes a key and answers with the one page that shows it. There is no redirect, so that key and secret are in
// this answer and nowhere else; the page is not stored (RFC 9111, section 5.2.2.5), and a reload sends the form again,
// which is refused because the name is taken.
func (p *Portal) createKey(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	name := strings.TrimSpace(r.PostFormValue("name"))
	// All that may fail comes before the key is made: afterwards nothing may keep it from being shown.
	f, err := p.frame(r, v, "Your new key")
	if err != nil {
		return err
	}
	made, err := p.Accounts.CreateKey(r.Context(), v.Actor(), name)
	if err != nil {
		return p.keyRefused(w, r, v, name, err)
	}
	return p.show(w, r, http.StatusOK, views.KeyOncePage(views.KeyOnce{
		Shell: f.Shell, Name: name, Key: made.Key, Secret: made.SigningSecret,
		Curl: views.FirstCall(p.cfg.BaseURL, made.Key),
	}))
}

// keyRefused shows the form again, with the refusal and the way out of it.
func (p *Portal) keyRefused(w http.ResponseWriter, r *http.Request, v *Visitor, name string, err error) error {
	f := refused(err)
	if f == nil || f.Code == fault.Forbidden {
		return err
	}
	page, err := p.keysPage(r, v)
	if err != nil {
		return err
	}
	page.Name = keyName(name)
	switch f.Code {
	case fault.NameTaken:
		page.Name.Error = f.Message + " If the form was sent twice, the key was made but not shown: revoke it and create another."
	case fault.InvalidName:
		page.Name.Error = f.Message
	default:
		page.Refused = page.Blocked
		if page.Refused == nil {
			page.Refused = &views.Notice{Text: f.Message}
		}
		// The form stays in sight, with what was typed and why it was not taken.
		page.Blocked = nil
	}
	return p.show(w, r, statusOf(f.Code), views.KeysPage(page))
}

func (p *Portal) revokeKeyForm(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	key, err := p.Accounts.GetKey(r.Context(), v.Account, id)
	if err != nil {
		return err
	}
	f, err := p.frame(r, v, "Revoke the key “"+key.Name+"”?")
	if err != nil {
		return err
	}
	return p.show(w, r, http.StatusOK, views.RevokeKeyPage(views.RevokeKey{Shell: f.Shell, Key: shownKey(key)}))
}

func (p *Portal) revokeKey(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	if err := p.Accounts.RevokeKey(r.Context(), v.Actor(), id); err != nil {
		return err
	}
	p.flash(r, "The key is revoked. Calls with it answer 401 from now on.")
	return see(w, r, "/account/keys")
}
