package web

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"veracity/account/access"
	"veracity/account/trail"
	"veracity/platform/fault"
	"veracity/views"
)

// Queues are what operators see of the work outside of requests.
type Queues interface {
	// Depths tells how each queue stands.
	Depths(ctx context.Context) ([]Depth, error)
	// Findings tells how many things each task found wrong the last time it looked.
	Findings(ctx context.Context) (map[string]int64, error)
}

// Depth is how a queue stands: how many jobs could run now, and how long the first of them has waited.
type Depth struct {
	Queue  string
	Due    int64
	Oldest time.Duration
}

// operator is the visitor as an operator who acts on no account.
func (v *Visitor) operator() access.Actor { return v.Operator(uuid.Nil) }

func (p *Portal) adminHome(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	page, err := p.adminHomePage(r, v)
	if err != nil {
		return err
	}
	return p.show(w, r, http.StatusOK, views.AdminHomePage(page))
}

// homeRows is how many of the newest acts the operator's first page shows.
const homeRows = 10

func (p *Portal) adminHomePage(r *http.Request, v *Visitor) (views.AdminHome, error) {
	ctx, by := r.Context(), v.operator()
	page := views.AdminHome{Shell: p.shell(r, v, "Overview"), Engine: p.engineState(ctx, by)}
	groups, err := p.Accounts.Census(ctx, by)
	if err != nil {
		return views.AdminHome{}, err
	}
	for _, g := range groups {
		page.Groups = append(page.Groups, views.AdminGroup{Plan: g.Plan, State: string(g.State), Accounts: g.Accounts})
		page.Accounts += g.Accounts
	}
	if page.Switch, err = p.switchShown(ctx, by); err != nil {
		return views.AdminHome{}, err
	}
	if err := p.fillQueues(ctx, &page); err != nil {
		return views.AdminHome{}, err
	}
	entries, err := trail.Read(ctx, p.DB, by, trail.Filter{Limit: homeRows})
	if err != nil {
		return views.AdminHome{}, err
	}
	page.Recent, err = p.namedRows(r, v, entries)
	return page, err
}

func (p *Portal) fillQueues(ctx context.Context, page *views.AdminHome) error {
	if p.Queues == nil {
		return nil
	}
	depths, err := p.Queues.Depths(ctx)
	if err != nil {
		return err
	}
	for _, d := range depths {
		row := views.AdminQueue{Name: d.Queue, Due: d.Due}
		if d.Due > 0 {
			row.Oldest = cmp.Or(d.Oldest.Round(time.Second), time.Second).String()
		}
		page.Queues = append(page.Queues, row)
	}
	findings, err := p.Queues.Findings(ctx)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(findings)) {
		page.Findings = append(page.Findings, views.AdminFinding{Name: name, Found: findings[name]})
	}
	return nil
}

// engineWait bounds the question whether the engine takes work, so that an engine that hangs keeps no page waiting.
const engineWait = 2 * time.Second

func (p *Portal) engineState(ctx context.Context, by access.Actor) views.AdminEngine {
	ctx, cancel := context.WithTimeout(ctx, engineWait)
	defer cancel()
	err := p.Media.EngineReady(ctx, by)
	if err == nil {
		return views.AdminEngine{Ready: true}
	}
	if f := refused(err); f != nil {
		return views.AdminEngine{Text: f.Message}
	}
	p.Log.WarnContext(ctx, "ask whether the engine is ready", "error", err)
	return views.AdminEngine{Text: "It does not answer. The log has the cause."}
}

func (p *Portal) switchShown(ctx context.Context, by access.Actor) (views.AdminSwitch, error) {
	s, err := p.Media.OptimizeSwitch(ctx, by)
	if err != nil {
		return views.AdminSwitch{}, err
	}
	changedBy := s.ChangedBy
	if changedBy == "cli" {
		changedBy = "the command line"
	}
	return views.AdminSwitch{
		On: s.On, Fixed: s.Fixed, ChangedBy: changedBy, Reason: s.Reason, ChangedAt: s.ChangedAt, NewReason: switchReason(""),
	}, nil
}

func switchReason(typed string) views.Field {
	return views.Field{
		Name: "reason", Label: "Reason", Value: typed, Required: true, Max: 200, Autocomplete: "off",
		Hint: "Kept in the audit trail, and shown to other operators.",
	}
}

// adminSwitch turns optimizations on or off in all processes.
func (p *Portal) adminSwitch(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	on, ok := map[string]bool{"true": true, "false": false}[r.PostFormValue("on")]
	if !ok || pathWord(r, "name") != "optimizations" {
		return noPage()
	}
	reason := r.PostFormValue("reason")
	err := p.Media.SetOptimizations(r.Context(), v.operator(), on, reason)
	if f := refused(err); f != nil && f.Code == fault.InvalidInput {
		page, err := p.adminHomePage(r, v)
		if err != nil {
			return err
		}
		page.Switch.NewReason = switchReason(reason)
		page.Switch.NewReason.Error = f.Message
		return p.show(w, r, statusOf(f.Code), views.AdminHomePage(page))
	}
	if err != nil {
		return err
	}
	text := "Optimizations are paused in all processes within two seconds."
	if on {
		text = "Optimizations go on in all processes within two seconds."
	}
	p.flash(r, text)
	return see(w, r, "/admin")
}
