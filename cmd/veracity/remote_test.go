package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/engine/mediatest"
	"veracity/engine/probe"
)

// shell runs remote commands in a folder of the test's own, with the customer's key.
type shell struct {
	customer
	dir string
	env map[string]string
}

func (c customer) shell() *shell {
	c.t.Helper()
	return &shell{customer: c, dir: c.t.TempDir(), env: map[string]string{
		"VERACITY_API_URL": c.url, "VERACITY_API_KEY": c.key, "VERACITY_DATA": c.t.TempDir(),
	}}
}

// file writes a file and gives its path.
func (s *shell) file(name string, data []byte) string {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	require.NoError(s.t, os.WriteFile(path, data, 0o600))
	return path
}

// remote gives the exit code of a remote command, its output, and what it said besides.
func (s *shell) remote(args ...string) (code int, stdout, stderr string) {
	s.t.Helper()
	var out, errs bytes.Buffer
	cmd := newRoot(func(name string) string { return s.env[name] })
	cmd.SetArgs(append([]string{"remote"}, args...))
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	code = exitCode(cmd.ExecuteContext(s.t.Context()), &errs)
	for _, text := range []string{out.String(), errs.String()} {
		require.NotContains(s.t, text, s.key)
	}
	return code, out.String(), errs.String()
}

func TestRemoteChecksFilesAndAddressesInTheirOrder(t *testing.T) {
	t.Parallel()
	base, allow := serveFiles(t, map[string]http.HandlerFunc{"/far.png": file(labelledPNG(t)), "/far": file(labelledPNG(t))})
	s := working(t, allow).customer(account.Overrides{}).shell()
	names := []string{
		s.file("a.bin", labelledPNG(t)), s.file("film.mp4", film(t, 1)), s.file("clip.wav", mediatest.WAV(2)),
		s.file("heavy.png", heavy(t)), s.file("text.txt", []byte("text")), s.file("empty.png", nil),
		filepath.Join(s.dir, "missing.png"), base + "/far.png", base + "/far",
	}
	code, out, complaint := s.remote(append([]string{"check", "--at-once", "3"}, names...)...)
	require.Equal(t, exitFailed, code)
	require.Equal(t, "veracity: 4 of 9 files could not be checked: see their lines\n", complaint)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.Len(t, lines, len(names))
	for i, says := range []string{
		`ai +98  decided by provenance \(Stable Diffusion WebUI\)`, "uncertain .*decided by weighed", "uncertain +50  decided by voice", "ai +98",
		"refused +unsupported_media", "refused +invalid_image: The file is empty", "refused +invalid_image: The file cannot be opened",
		"ai +98", "refused +invalid_parameter: .*--media",
	} {
		require.Regexp(t, "^"+names[i]+"  "+says, lines[i])
	}
	code, out, _ = s.remote("check", base+"/far", "--media", "image")
	require.Equal(t, exitOK, code)
	require.Contains(t, out, "ai")
	s.settled(6)
}

func TestRemoteCheckPrintsTheServicesJSON(t *testing.T) {
	t.Parallel()
	s := working(t).customer(account.Overrides{}).shell()
	image, video, text := s.file("a.png", labelledPNG(t)), s.file("film.mp4", film(t, 3)), s.file("text.txt", []byte("text"))
	code, out, _ := s.remote("check", "--json", image, video, video, text, "--seconds", "2")
	require.Equal(t, exitFailed, code)
	var got []map[string]any
	for line := range strings.Lines(out) {
		var m map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &m), line)
		got = append(got, m)
	}
	require.Len(t, got, 4)
	answer := s.audit(inBase64(labelledPNG(t))).ok()
	answer["file"] = image
	require.Equal(t, answer, got[0])
	require.Equal(t, "video_too_long", got[1]["error"].(map[string]any)["code"])
	require.Equal(t, "unsupported_media", got[3]["error"].(map[string]any)["code"])

	code, out, _ = s.remote("check", "--json", "--detail", video)
	require.Equal(t, exitOK, code)
	var whole map[string]any
	require.NoError(t, json.Unmarshal([]byte(out), &whole))
	require.Contains(t, whole, "detail")
	code, out, _ = s.remote("check", "--job", whole["id"].(string))
	require.Equal(t, exitOK, code)
	require.Contains(t, out, "uncertain")
}

func TestRemoteOptimizeWritesTheFileWhole(t *testing.T) {
	t.Parallel()
	s := working(t).customer(account.Overrides{}).shell()
	picture, target := s.file("a.jpg", photo(t)), s.file("out.png", []byte("what was there"))
	code, out, complaint := s.remote("optimize", picture, "-o", target)
	require.Equal(t, exitOK, code, complaint)
	require.Regexp(t, `^`+target+`  [\d.]+ KB \(source [\d.]+ KB\), score \d+ \((poor|fair|good|excellent)\)\n$`, out)
	data, err := os.ReadFile(target)
	require.NoError(t, err)
	require.Equal(t, probe.PNG, probe.Sniff(data))

	target = filepath.Join(s.dir, "second.png")
	code, out, complaint = s.remote("optimize", picture, "-o", target, "--json")
	require.Equal(t, exitOK, code, complaint)
	var got map[string]any
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	require.Equal(t, []any{picture, target, "succeeded"}, []any{got["file"], got["output"], got["status"]})
	info, err := os.Stat(target)
	require.NoError(t, err)
	require.InDelta(t, info.Size(), got["bytes"], 0)
	require.NoError(t, os.Remove(target))
	code, _, _ = s.remote("optimize", "--job", got["id"].(string), "-o", target)
	require.Equal(t, exitOK, code)
	require.FileExists(t, target)
	s.settled(4)
}

func TestRemoteOptimizeIsRefusedBeforeItCosts(t *testing.T) {
	t.Parallel()
	s := working(t).customer(account.Overrides{}).shell()
	picture, text := s.file("a.jpg", photo(t)), s.file("a.txt", []byte("text"))
	kept := s.file("kept.mp4", []byte("what was there"))
	for says, args := range map[string][]string{
		"say where the optimized file goes":        {picture},
		"OUT is FILE itself":                       {picture, "-o", picture},
		"no such file or directory":                {picture, "-o", filepath.Join(s.dir, "missing", "out.png")},
		"it is a folder":                           {picture, "-o", s.dir},
		"unsupported_media: This is no image":      {text, "-o", kept},
		"cannot be opened":                         {filepath.Join(s.dir, "b.jpg"), "-o", kept},
		"unsupported_media: Voice clips":           {s.file("a.wav", mediatest.WAV(1)), "-o", kept},
		"video_too_long: The video":                {s.file("a.mp4", film(t, 3)), "--seconds", "2", "-o", kept},
		"name one file":                            {"-o", kept},
		`--media is "vidio": allowed are image`:    {picture, "-o", kept, "--media", "vidio"},
		"--media says video, and the file is imag": {picture, "-o", kept, "--media", "video"},
	} {
		code, out, complaint := s.remote(append([]string{"optimize"}, args...)...)
		require.NotEqual(t, exitOK, code)
		require.Empty(t, out)
		require.Contains(t, complaint, says)
		require.Equal(t, 1, strings.Count(complaint, "\n"), complaint)
	}
	data, err := os.ReadFile(kept)
	require.NoError(t, err)
	require.Equal(t, "what was there", string(data))
	s.settled(0)
}

func TestRemoteStopsAtWhatEveryFileWouldMeet(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	s := c.shell()
	files := []string{"check", s.file("a.png", labelledPNG(t)), s.file("b.png", labelledPNG(t)), s.file("c.png", labelledPNG(t))}
	stops := func(says string) {
		t.Helper()
		code, out, complaint := s.remote(files...)
		require.Equal(t, exitFailed, code)
		require.Empty(t, out)
		require.Regexp(t, "^veracity: "+says+".*\n$", complaint)
	}
	s.env["VERACITY_API_KEY"] = "svc_live_nobody"
	stops("invalid_key: The service does not take the key")
	s.env["VERACITY_API_KEY"] = c.key
	s.env["VERACITY_API_URL"] = c.url + "/account"
	stops("service_unreachable: .*/account answered .* VERACITY_API_URL")
	s.env["VERACITY_API_URL"] = "https" + strings.TrimPrefix(c.url, "http")
	stops("service_unreachable: .*HTTPS")
	s.env["VERACITY_API_URL"] = c.url
	c.in(account.PaymentFailed)
	stops("payment_failed: ")
	c.in(account.Active)
	code, _, _ := s.remote(files...)
	require.Equal(t, exitOK, code)
	c.spent(3)
}

func TestRemoteSaysHowManyCreditsAreMissing(t *testing.T) {
	t.Parallel()
	two := int64(2)
	s := start(t).customer(account.Overrides{Credits: &two}).shell()
	code, out, _ := s.remote("check", "--at-once", "1", s.file("a.png", labelledPNG(t)), s.file("b.mp4", film(t, 1)), s.file("c.png", labelledPNG(t)))
	require.Equal(t, exitFailed, code)
	require.Regexp(t, `a\.png  ai .*\n.*b\.mp4  refused +quota_exceeded: .*36.*1.*\n.*c\.png  ai`, out)
}

func TestRemoteSettingsAreCheckedAndMasked(t *testing.T) {
	t.Parallel()
	c := &console{t: t, env: map[string]string{"VERACITY_DATA": t.TempDir()}}
	c.fails(exitUsage, "VERACITY_API_KEY is not set", "remote", "check", "a.png")
	c.fails(exitUsage, "this is a signing secret", "remote", "check", "a.png", "--api-key", "whsec_hush")
	c.env["VERACITY_API_KEY"] = "svc_live_hush"
	c.fails(exitUsage, `and this is "ftp://x"`, "remote", "check", "a.png", "--url", "ftp://x")
	c.fails(exitUsage, "--at-once is 21: allowed are 1 to 20", "remote", "check", "a.png", "--at-once", "21")
	c.fails(exitUsage, "at least one file", "remote", "check")
	c.fails(exitUsage, "say what to do", "remote")
	_, out, _ := c.run("config", "--api-url", "https://veracity.test")
	require.NotContains(t, out, "hush")
	require.Regexp(t, `VERACITY_API_KEY\s+\*+\s+environment`, out)
	require.Regexp(t, `VERACITY_API_URL\s+https://veracity\.test\s+flag`, out)
	_, help, _ := c.run("remote", "check", "--help")
	for _, says := range []string{"--api-key", "--api-url", "--media", "--at-once"} {
		require.Contains(t, help, says)
	}
	_, help, _ = c.run("check", "--help")
	require.NotContains(t, help, "--api-key", "it is of no use there")
}

func TestKeyOverAnOpenLineIsWarnedOf(t *testing.T) {
	t.Parallel()
	for address, open := range map[string]bool{
		"http://veracity.test": true, "http://10.0.0.7:8080": true, "https://veracity.test": false,
		"http://127.0.0.1:8080": false, "http://[::1]:8080": false, "http://localhost:8080": false,
	} {
		require.Equal(t, open, inTheClear(address), address)
	}
}

func TestInterruptedRemoteLeavesNothingHalfWritten(t *testing.T) {
	t.Parallel()
	svc := start(t, quickly) // and no worker: the job stays queued
	c := svc.customer(account.Overrides{})
	s := c.shell()
	env := []string{"VERACITY_API_URL=" + c.url, "VERACITY_API_KEY=" + c.key}
	target := filepath.Join(s.dir, "out.png")
	cmd, out, notes := program(t, env, "remote", "optimize", s.file("a.jpg", photo(t)), "-o", target)
	var job string
	require.Eventually(t, func() bool {
		return svc.DB.QueryRow(t.Context(), `SELECT id::text FROM job`).Scan(&job) == nil
	}, 30*time.Second, 20*time.Millisecond)
	require.Eventually(t, func() bool { return strings.Contains(svc.log.String(), `"route":"/api/v1/optimize/{id}"`) }, 30*time.Second, 20*time.Millisecond)
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	require.Error(t, cmd.Wait())
	require.Equal(t, exitFailed, cmd.ProcessState.ExitCode())
	require.Empty(t, out.String())
	require.Contains(t, notes.String(), "come back to it with `veracity remote optimize --job "+job+"`")
	require.Contains(t, notes.String(), "veracity: interrupted\n")
	entries, err := os.ReadDir(s.dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "the source alone")

	require.NoError(t, svc.startWorker(context.WithoutCancel(t.Context())))
	code, _, complaint := s.remote("optimize", "--job", job, "-o", target)
	require.Equal(t, exitOK, code, complaint)
	require.FileExists(t, target)
	c.settled(2)
}

func TestBoardShowsUploadsAndJobs(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	b := newBoard(&out)
	b.say("a.png", "checking")
	require.Empty(t, out.String(), "nothing but a terminal is drawn on")

	b.out, b.width, b.total = &out, 60, 1
	b.sent("dir/a.mp4", 1, 2)
	b.files = b.files[1:]
	require.Equal(t, "[###############...............]  50 %  a.mp4", b.text(b.files[0].since))
	b.say("dir/a.mp4", "running")
	require.Equal(t, "a.mp4 running", b.text(b.files[0].since))
	require.Equal(t, "a.mp4 running, 12 s", b.text(b.files[0].since.Add(12*time.Second)))
	b.total = 3
	b.finish("other")
	b.sent("b.mp4", 45, 100)
	require.Equal(t, "1 of 3  a.mp4 running; b.mp4 45 %", strings.ReplaceAll(b.text(b.files[0].since), "uploading ", ""))
	out.Reset()
	for _, name := range []string{"c.mp4", "d.mp4", "e.mp4"} {
		b.drawn = time.Time{}
		b.say(name, "queued")
	}
	for _, line := range strings.Split(out.String(), "\r") {
		require.LessOrEqual(t, len(strings.TrimSuffix(line, "\x1b[K")), 59)
	}
	out.Reset()
	b.end()
	require.Equal(t, "\r\x1b[K", out.String())
}
