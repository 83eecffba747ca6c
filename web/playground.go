package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"veracity/account"
	"veracity/account/access"
	"veracity/api"
	"veracity/media"
	"veracity/platform/fault"
	"veracity/playground"
	"veracity/usage"
	"veracity/views"
)

// Recorder takes note of every check that is made by hand. It must not make a request wait.
type Recorder interface {
	Note(e usage.Entry)
}

// playPath takes the playground's form, the only one with a file.
const playPath = "/account/playground"

// runsShown is how many runs are listed.
const runsShown = 20

func (p *Portal) playground(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	return p.showPlayground(w, r, v, http.StatusOK, views.PlayForm{})
}

// showPlayground shows the form, empty or with what was typed, and the last runs.
func (p *Portal) showPlayground(w http.ResponseWriter, r *http.Request, v *Visitor, status int, form views.PlayForm) error {
	f, err := p.frame(r, v, "Playground")
	if err != nil {
		return err
	}
	runs, err := p.Playground.List(r.Context(), v.Account, runsShown)
	if err != nil {
		return err
	}
	page := views.Playground{Shell: f.Shell, Form: p.priced(form)}
	page.Form.Blocked = p.playBlocked(f, v)
	page.Form.Available, page.Form.ResetsAt = f.Balance.Available, f.Balance.ResetsAt
	for _, run := range runs {
		page.Runs = append(page.Runs, runRow(run))
	}
	return p.show(w, r, status, views.PlaygroundPage(page))
}

// priced fills in what a check costs, and an id where the form has none yet.
func (p *Portal) priced(form views.PlayForm) views.PlayForm {
	prices := p.Media.Prices()
	form.Image = p.Media.Quote(media.KindCheck, "image", 0)
	form.VideoCredits, form.VideoSeconds, form.VideoHeld = prices.VideoCheck, prices.VideoCheckSeconds, p.Media.Quote(media.KindCheck, "video", 0)
	form.VoiceCredits, form.VoiceSeconds, form.VoiceHeld = prices.VoiceCheck, prices.VoiceCheckSeconds, p.Media.Quote(media.KindCheck, "audio", 0)
	form.MaxImage, form.MaxClip, form.MaxSeconds = media.MaxImageBytes, media.MaxVideoBytes, media.MaxSeconds
	if form.ID == "" {
		form.ID = uuid.NewString()
	}
	if form.Kinds == nil {
		form.Kinds = kindChoices("")
	}
	return form
}

func kindChoices(kind string) []views.Choice {
	marked, _ := chosen([]views.Choice{
		{Label: "Find out"}, {Value: "image", Label: "Image"}, {Value: "video", Label: "Video"}, {Value: "audio", Label: "Voice clip"},
	}, kind)
	return marked
}

// playBlocked says why nothing can be checked now, with the way out for those who may take it.
func (p *Portal) playBlocked(f frame, v *Visitor) *views.Notice {
	if !v.Actor().Can(access.Spend) {
		return &views.Notice{Text: "Your role can look at runs but not start one, since a check spends credits. Ask an owner or a developer of the account."}
	}
	var n views.Notice
	switch {
	case f.Account.ClosesAt != nil:
		return &views.Notice{Text: "The account is being closed, so nothing can be checked."}
	case f.Account.State == account.Suspended:
		return &views.Notice{Text: "The account is suspended, so nothing can be checked."}
	case f.Account.State == account.PlanRequired:
		n = views.Notice{Text: "The plan has no credits to check with.", Action: "Choose a plan", Href: p.plansAt()}
	case f.Account.State == account.PaymentFailed:
		n = views.Notice{Text: "The last payment failed, so nothing can be checked until it is mended.", Action: "Mend the payment", Href: p.plansAt()}
	case f.Balance.Available < p.Media.Quote(media.KindCheck, "image", 0):
		n = views.Notice{Text: "All credits of this period are used or set aside for running jobs.", Action: "See larger plans", Href: p.plansAt()}
	default:
		return nil
	}
	if !v.Actor().Can(access.ManagePlan) {
		n.Action, n.Href = "", ""
	}
	return &n
}

// play runs the check that the form asks for.
func (p *Portal) play(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	began := time.Now()
	in, err := readPlay(w, r, func() error { return p.still(r, v, access.Spend) })
	var run playground.Run
	if err == nil {
		run, err = p.runPlay(r, v, in)
		p.notePlay(began, v.Account, run, err)
	}
	if err != nil {
		in.drain()
	}
	f := refused(err)
	switch {
	case err != nil && f == nil, f != nil && f.Code == fault.NotFound:
		return err
	case run.ID != uuid.Nil:
		return see(w, r, "/account/playground/"+run.ID.String())
	}
	form := views.PlayForm{URL: in.url, Kinds: kindChoices(in.kind), Refused: &views.Notice{Text: f.Message}}
	if in.id != uuid.Nil {
		form.ID = in.id.String()
	}
	return p.showPlayground(w, r, v, statusOf(f.Code), form)
}

// still asks again what the visitor may: a file takes minutes to come, in which a sign-in may end and a role may change.
func (p *Portal) still(r *http.Request, v *Visitor, right access.Right) error {
	now, err := p.People.Visit(context.WithoutCancel(r.Context()), v.SignIn, v.Account)
	if err != nil {
		return err
	}
	by := access.Actor{Account: v.Account}
	if now.Account == v.Account {
		by.Role = now.Role
	}
	return by.May(right)
}

// runPlay counts the request as one of the account's and runs the check. The run is empty where none was begun.
func (p *Portal) runPlay(r *http.Request, v *Visitor, in *playInput) (playground.Run, error) {
	caller, err := p.Accounts.AuthenticateMember(r.Context(), v.Actor())
	if err != nil {
		return playground.Run{}, err
	}
	src, err := in.source()
	if err != nil {
		return playground.Run{}, err
	}
	return p.Playground.Run(r.Context(), v.Actor(), media.Caller{Account: caller.Account}, in.id, in.shown(), src)
}

// notePlay writes the request down beside those of the API: it is the same call, made by nobody's key.
func (p *Portal) notePlay(began time.Time, account uuid.UUID, run playground.Run, err error) {
	e := usage.Entry{
		ID: uuid.New(), At: began, Account: account, Method: http.MethodPost, Route: "/audit", Status: http.StatusOK, Code: usage.OK,
		Took: time.Since(began),
	}
	switch {
	case err != nil:
		e.Code, e.Status = string(fault.CodeOf(err)), http.StatusInternalServerError
		if f := refused(err); f != nil {
			e.Status = statusOf(f.Code)
		}
	case run.Job != uuid.Nil:
		e.Status = http.StatusAccepted
	case run.Report != nil && !run.CreatedAt.Before(began): // a twin's answer was counted with the first
		e.Verdict, e.Credits = string(run.Report.Verdict), run.Credits
	}
	p.Requests.Note(e)
}

func runRow(run playground.Run) views.PlayRun {
	row := views.PlayRun{
		ID: run.ID.String(), Name: printable(run.Name), Media: strings.TrimPrefix(strings.TrimPrefix(mediaWords[string(run.Media)], "an "), "a "),
		Person: run.Person, Credits: run.Credits, CreatedAt: run.CreatedAt,
	}
	switch {
	case run.State == playground.Running:
		row.Kind, row.Word = "info", "Running"
	case run.Report != nil:
		row.Kind, row.Word = string(run.Report.Verdict), verdictWord(string(run.Report.Verdict))
	default:
		row.Kind, row.Word = "bad", "Failed"
	}
	return row
}

func (p *Portal) played(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	run, err := p.Playground.Read(r.Context(), v.Account, id)
	if err != nil {
		return err
	}
	f, err := p.frame(r, v, "Result of a check")
	if err != nil {
		return err
	}
	page := views.Played{
		Shell: f.Shell, Run: runRow(run), Running: run.State == playground.Running, Percent: int64(100 * run.Progress),
		Failure: jobFailure(run.Error), Curl: p.sameCall(run),
	}
	check := media.Check{ID: run.ID, Status: media.Succeeded, Media: run.Media, Report: run.Report}
	if run.Job != uuid.Nil {
		page.Job, check.ID = run.Job.String(), run.Job
	}
	if run.Report != nil {
		verdict := verdictOf(check)
		page.Verdict = &verdict
		page.JSON = laidOut(api.ResultBody(*run.Report))
		if run.Job != uuid.Nil {
			page.JSON = laidOut(api.JobBody(check))
		}
	}
	return p.show(w, r, http.StatusOK, views.PlayedPage(page))
}

// sameCall is the run as a call of the API.
func (p *Portal) sameCall(run playground.Run) string {
	head := " " + p.cfg.BaseURL + "/api/v1/audit \\\n  -H 'X-API-Key: svc_live_…' \\\n  -H 'Content-Type: application/json' \\\n  "
	name := strings.ReplaceAll(run.Name, "'", "%27")
	switch isURL := strings.HasPrefix(name, "https://") || strings.HasPrefix(name, "http://"); {
	case isURL:
		return "curl" + head + "-d '{\"" + string(run.Media) + "_url\": \"" + name + "\"}'"
	case run.Media == "image":
		return "printf '{\"image_base64\":\"%s\"}' \"$(base64 -w0 photo.jpg)\" |\ncurl" + head + "--data-binary @-"
	}
	return fmt.Sprintf("curl%s-d '{\"%s_url\": \"https://example.com/clip.mp4\"}'", head, run.Media)
}
