package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/google/uuid"

	"veracity/api"
	"veracity/media"
	"veracity/views"
)

// jobsShown is how many jobs stand on a page.
const jobsShown = 50

// kindsOfJobs and statusesOfJobs are what the list can be narrowed to.
var (
	kindsOfJobs    = []views.Choice{{Label: "All"}, {Value: media.KindCheck, Label: "Checks"}, {Value: media.KindOptimize, Label: "Optimizations"}}
	statusesOfJobs = []views.Choice{
		{Label: "All"},
		{Value: string(media.Queued), Label: "Queued"},
		{Value: string(media.Running), Label: "Running"},
		{Value: string(media.Succeeded), Label: "Succeeded"},
		{Value: string(media.Failed), Label: "Failed"},
	}
)

// chosen marks the choice of a value, the first one when there is none such.
func chosen(choices []views.Choice, value string) (marked []views.Choice, known string) {
	marked = append(marked, choices...)
	at := 0
	for i, c := range marked {
		if c.Value == value {
			at = i
		}
	}
	marked[at].Chosen = true
	return marked, marked[at].Value
}

func (p *Portal) jobs(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	filter := media.JobFilter{Limit: jobsShown + 1}
	page := views.Jobs{}
	var status string
	page.Kinds, filter.Kind = chosen(kindsOfJobs, r.FormValue("kind"))
	page.Statuses, status = chosen(statusesOfJobs, r.FormValue("status"))
	filter.Status = media.Status(status)
	page.Filtered = filter.Kind != "" || status != ""
	if before, err := uuid.Parse(r.FormValue("before")); err == nil {
		filter.Before = before
		page.First = jobsHref(filter, uuid.Nil)
	}
	list, err := p.Media.Jobs(r.Context(), v.Account, filter)
	if err != nil {
		return err
	}
	if len(list) > jobsShown {
		list = list[:jobsShown]
		page.Next = jobsHref(filter, list[jobsShown-1].ID)
	}
	for _, j := range list {
		page.Rows = append(page.Rows, jobRow(j))
	}
	f, err := p.frame(r, v, "Jobs")
	if err != nil {
		return err
	}
	page.Shell = f.Shell
	return p.show(w, r, http.StatusOK, views.JobsPage(page))
}

func jobsHref(f media.JobFilter, before uuid.UUID) string {
	q := url.Values{}
	for name, value := range map[string]string{"kind": f.Kind, "status": string(f.Status)} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if before != uuid.Nil {
		q.Set("before", before.String())
	}
	if len(q) == 0 {
		return "/account/jobs"
	}
	return "/account/jobs?" + q.Encode()
}

var kindWords = map[string]string{media.KindCheck: "check", media.KindOptimize: "optimization"}

var mediaWords = map[string]string{"image": "an image", "video": "a video", "audio": "a voice clip"}

func jobRow(j media.JobSummary) views.Job {
	row := views.Job{
		ID: j.ID.String(), Kind: kindWords[j.Kind], Media: mediaWords[string(j.Media)], Status: string(j.Status),
		Percent: int64(100 * j.Progress), Held: j.Held, Charged: j.Charged,
		CreatedAt: j.CreatedAt, StartedAt: j.StartedAt, EndedAt: j.EndedAt, ExpiresAt: j.ExpiresAt,
		Failure: jobFailure(j.Error),
	}
	if j.Key != nil {
		row.Key, row.KeyStart = j.Key.Name, j.Key.Start
		if row.KeyStart == "" {
			row.KeyStart = j.Key.ID.String()[:8]
		}
	}
	switch {
	case j.Verdict != "":
		row.ResultKind, row.Result = string(j.Verdict), verdictWord(string(j.Verdict))
		if j.Score != nil {
			row.Result += ", " + strconv.Itoa(*j.Score)
		}
	case j.Zone != "":
		row.ResultKind, row.Result = zoneKind(string(j.Zone)), fmt.Sprintf("%s, %d", views.Capital(string(j.Zone)), *j.Score)
	}
	return row
}

func jobFailure(e *media.JobError) *views.JobFailure {
	if e == nil {
		return nil
	}
	return &views.JobFailure{Code: string(e.Code), Text: e.Message}
}

func zoneKind(zone string) string {
	switch zone {
	case "excellent", "good":
		return "good"
	case "fair":
		return "warn"
	}
	return "bad"
}

var zoneWords = map[string]string{
	"excellent": "It looks the same as the source, and is much smaller than a plain encoding of it.",
	"good":      "It looks the same as the source, and is smaller than a plain encoding of it.",
	"fair":      "It is close to the source, or hardly smaller than a plain encoding of it.",
	"poor":      "It differs from the source, or is no smaller than a plain encoding of it: look before you use it.",
}

func (p *Portal) job(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	j, err := p.Media.Job(r.Context(), v.Account, id)
	if err != nil {
		return err
	}
	row := jobRow(j.JobSummary)
	f, err := p.frame(r, v, views.Capital(row.Kind)+" of "+row.Media)
	if err != nil {
		return err
	}
	page := views.JobPageData{Shell: f.Shell, Job: row, Source: views.FileSize(j.SourceBytes), Callback: j.Callback, Output: jobOutput(j)}
	if j.MaxSeconds != nil {
		page.Longest = strconv.FormatFloat(*j.MaxSeconds, 'f', -1, 64) + " s"
	}
	if j.Delivery != uuid.Nil {
		page.Delivery = j.Delivery.String()
	}
	check := media.Check{ID: j.ID, Status: j.Status, Media: j.Media, Report: j.Report, Error: j.Error}
	if j.Report != nil {
		verdict := verdictOf(check)
		page.Verdict = &verdict
	}
	switch {
	case j.Kind == media.KindCheck:
		page.JSON = laidOut(api.JobBody(check))
	case j.Answer != nil:
		page.JSON = laidOut(j.Answer)
	}
	return p.show(w, r, http.StatusOK, views.JobPage(page))
}

// jobOutput describes an optimized file, nil where there is none.
func jobOutput(j media.JobDetail) *views.JobOutput {
	out := j.Rendered
	if out == nil {
		return nil
	}
	zone := string(out.Score.Zone)
	shown := &views.JobOutput{
		Href: j.FileURL, Type: out.ContentType, Size: views.FileSize(out.Bytes), Saved: saved(j.SourceBytes, out.Bytes),
		Pixels: fmt.Sprintf("%d × %d", out.Width, out.Height), Score: out.Score.Score,
		Zone: zone, ZoneKind: zoneKind(zone), Meaning: zoneWords[zone],
	}
	if out.Video != nil {
		shown.Length = fmt.Sprintf("%.1f s, %s frames", out.Video.Seconds, views.Count(int64(out.Video.Frames)))
	}
	return shown
}

// saved compares a file with its source.
func saved(source, output int64) string {
	switch {
	case source <= 0 || source == output:
		return "as large as the source"
	case output < source:
		return fmt.Sprintf("%d %% less than the source (%s)", 100-100*output/source, views.FileSize(source))
	}
	return fmt.Sprintf("%d %% more than the source (%s)", 100*output/source-100, views.FileSize(source))
}
