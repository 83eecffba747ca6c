package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest"
	"veracity/migrations"
	"veracity/platform/postgres/pgtest"
	"veracity/platform/seal"
)

// console runs commands as a shell would, with an environment of its own.
type console struct {
	t   *testing.T
	env map[string]string
}

// newConsole has a database with the schema, or an empty one.
func newConsole(t *testing.T, migrated bool) *console {
	t.Helper()
	schema := pgtest.Empty()
	if migrated {
		schema = pgtest.Schema{Name: "veracity", Up: migrations.Up}
	}
	db := pgtest.Database(t, schema)
	child, err := sharedEngine()
	require.NoError(t, err)
	require.NoError(t, child.WaitReady(t.Context()))
	return &console{t: t, env: map[string]string{
		"VERACITY_DATABASE_URL": db.Config().ConnString(), "VERACITY_DATA": t.TempDir(),
		"VERACITY_SECRET_KEY": seal.NewKey("test"), "VERACITY_LOG_LEVEL": "error", "VERACITY_MAIL_URL": "outbox:" + t.TempDir(),
	}}
}

// run gives a command's exit code, output and complaint.
func (c *console) run(args ...string) (code int, stdout, stderr string) {
	c.t.Helper()
	var out, errs bytes.Buffer
	cmd := newRoot(func(name string) string { return c.env[name] })
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	code = exitCode(cmd.ExecuteContext(c.t.Context()), &errs)
	return code, out.String(), errs.String()
}

// json demands success and reads the output.
func (c *console) json(args ...string) map[string]any {
	c.t.Helper()
	code, out, complaint := c.run(args...)
	require.Equal(c.t, exitOK, code, complaint)
	var m map[string]any
	require.NoError(c.t, json.Unmarshal([]byte(out), &m), out)
	return m
}

// fails demands an exit code and a complaint of one line.
func (c *console) fails(want int, says string, args ...string) {
	c.t.Helper()
	code, _, complaint := c.run(args...)
	require.Equal(c.t, want, code, "%v: %s", args, complaint)
	require.Contains(c.t, complaint, says, "%v", args)
	require.Equal(c.t, 1, strings.Count(complaint, "\n"), "%v: %s", args, complaint)
}

func TestOperatorMakesAccountsAndKeys(t *testing.T) {
	t.Parallel()
	c := newConsole(t, true)
	acc := c.json("account", "create", "--email", "a@example.com", "--plan", "starter", "--credits", "50", "--json")
	id := acc["id"].(string)
	require.Equal(t, "active", acc["state"])

	key := c.json("--json", "key", "create", "--account", id, "--name", "production")
	require.Regexp(t, `^svc_live_\w{36}$`, key["key"])
	require.Regexp(t, `^whsec_`, key["signing_secret"])
	require.Len(t, key, 3)

	shown := c.json("account", "show", "--id", id, "--json")
	require.Equal(t, []any{"a@example.com", "starter", "active"}, []any{shown["email"], shown["plan"], shown["state"]})
	credits := shown["credits"].(map[string]any)
	require.InDelta(t, 50, credits["granted"], 0)
	require.InDelta(t, 50, credits["available"], 0)
	for _, member := range []string{"held", "spent", "resets_at"} {
		require.Contains(t, credits, member)
	}
	require.Equal(t, map[string]any{"credits": 50.0, "rpm": 60.0, "jobs": 2.0, "keys": 2.0}, shown["limits"])
	require.Len(t, shown["keys"], 1)
	_, text, _ := c.run("account", "show", "--id", id)
	require.NotContains(t, text, key["key"])

	limits := c.json("account", "limits", "--id", id, "--rpm", "7", "--keys", "1", "--json")["limits"].(map[string]any)
	require.InDelta(t, 7, limits["rpm"], 0)
	c.fails(exitFailed, "revoke one", "key", "create", "--account", id, "--name", "second")
	_, listed, _ := c.run("key", "list", "--id", id)
	require.Contains(t, listed, "production")
	_, same, _ := c.run("key", "list", "--account", id)
	require.Equal(t, listed, same)

	code, _, _ := c.run("key", "revoke", "--id", key["id"].(string))
	require.Equal(t, exitOK, code)
	require.Equal(t, "suspended", c.json("account", "suspend", "--id", id, "--json")["state"])
	c.fails(exitFailed, "suspended", "key", "create", "--account", id, "--name", "third")
	require.Equal(t, "active", c.json("account", "resume", "--id", id, "--json")["state"])
	_, list, _ := c.run("account", "list")
	require.Contains(t, list, id)
}

func TestOperatorMovesAccountsAndClearsLimits(t *testing.T) {
	t.Parallel()
	c := newConsole(t, true)
	id := c.json("account", "create", "--email", "a@example.com", "--plan", "free", "--rpm", "7", "--json")["id"].(string)
	shown := c.json("account", "plan", "--id", id, "--plan", "pro", "--json")
	require.Equal(t, []any{"pro", "active"}, []any{shown["plan"], shown["state"]})
	require.Equal(t, map[string]any{"credits": 10000.0, "rpm": 7.0, "jobs": 5.0, "keys": 10.0}, shown["limits"])
	shown = c.json("account", "limits", "--id", id, "--keys", "1", "--clear", "rpm,jobs", "--json")
	require.Equal(t, map[string]any{"credits": 10000.0, "rpm": 300.0, "jobs": 5.0, "keys": 1.0}, shown["limits"])
	c.fails(exitUsage, `--clear "speed"`, "account", "limits", "--id", id, "--clear", "speed")
	c.fails(exitFailed, "choose one of free", "account", "plan", "--id", id, "--plan", "gold")
	c.fails(exitFailed, "veracity account list", "account", "create", "--email", "A@example.com", "--plan", "pro")
	c.fails(exitFailed, "veracity key list", "key", "revoke", "--id", id)
}

func TestOperatorsAreGrantedAndRevoked(t *testing.T) {
	t.Parallel()
	c := newConsole(t, true)
	_, none, _ := c.run("operator", "list")
	require.Contains(t, none, "nobody")
	c.fails(exitFailed, "Nobody has signed up as op@example.com", "operator", "grant", "--email", "op@example.com")
	c.json("account", "create", "--email", "Op@example.com", "--plan", "free", "--json")
	code, out, complaint := c.run("operator", "grant", "--email", "op@example.com")
	require.Equal(t, exitOK, code, complaint)
	require.Regexp(t, `Op@example\.com .*must set up a second factor first`, out)
	code, out, _ = c.run("operator", "revoke", "--email", "op@example.com", "--json")
	require.Equal(t, exitOK, code)
	require.Equal(t, "[]", strings.TrimSpace(out))
	c.fails(exitUsage, "--email is missing", "operator", "grant")
}

func TestComplaintsAreOneLineWithTheirExitCode(t *testing.T) {
	t.Parallel()
	c := newConsole(t, true)
	c.fails(exitUsage, "not known", "frobnicate")
	c.fails(exitUsage, "unknown flag", "serve", "--frobnicate")
	c.fails(exitUsage, "say what to do", "account")
	c.fails(exitUsage, "not known", "account", "destroy")
	c.fails(exitUsage, "--email is missing", "account", "create", "--plan", "pro")
	c.fails(exitUsage, "no account id", "account", "show", "--id", "17")
	c.fails(exitUsage, "at least one file", "check")
	c.fails(exitUsage, "say where to listen", "engine")
	c.fails(exitUsage, "invalid argument", "account", "limits", "--id", "x", "--rpm", "many")
	c.fails(exitFailed, "choose one of free, starter, pro, scale", "account", "create", "--email", "a@example.com", "--plan", "gold")
	c.fails(exitUsage, "say which limits", "account", "limits", "--id", "01890000-0000-7000-8000-000000000000")
	c.fails(exitFailed, "There is no account", "account", "show", "--id", "01890000-0000-7000-8000-000000000000")
	c.fails(exitFailed, "no API access", "key", "create", "--name", "k", "--account",
		c.json("account", "create", "--email", "f@example.com", "--plan", "free", "--json")["id"].(string))
}

func TestWrongSettingsStopTheStart(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ env, value, says string }{
		"a word for a number":   {"VERACITY_DATABASE_MAX_CONNS", "many", `VERACITY_DATABASE_MAX_CONNS is "many"`},
		"a number out of range": {"VERACITY_FETCHES_AT_ONCE", "0", "VERACITY_FETCHES_AT_ONCE is 0: allowed are 1 to 10000"},
		"a time out of range":   {"VERACITY_UPLOAD_TTL", "1s", "VERACITY_UPLOAD_TTL is 1s"},
		"an unknown queue":      {"VERACITY_QUEUES", "mail", `"mail": allowed are check, optimize, webhook, letter, billing, maintenance`},
		"an unknown level":      {"VERACITY_LOG_LEVEL", "loud", `VERACITY_LOG_LEVEL is "loud": allowed are debug, info, warn, error`},
		"an unknown switch":     {"VERACITY_OPTIMIZE", "maybe", `VERACITY_OPTIMIZE is "maybe": allowed are on and off`},
		"no address":            {"VERACITY_BASE_URL", "veracity", `VERACITY_BASE_URL is "veracity"`},
		"no database":           {"VERACITY_DATABASE_URL", "", "VERACITY_DATABASE_URL is not set"},
		"no database address":   {"VERACITY_DATABASE_URL", "mysql://x", "VERACITY_DATABASE_URL"},
		"too many connections":  {"VERACITY_DATABASE_MAX_CONNS", "100000", "VERACITY_DATABASE_MAX_CONNS is 100000"},
		"no store":              {"VERACITY_STORAGE_URL", "ftp://x", "VERACITY_STORAGE_URL"},
		"a bad secret":          {"VERACITY_SECRET_KEY", "hush", "VERACITY_SECRET_KEY"},
		"too many redirects":    {"VERACITY_FETCH_REDIRECTS", "99", "VERACITY_FETCH_REDIRECTS: MaxRedirects is 99"},
		"no host and port":      {"VERACITY_FETCH_ALLOW", "localhost", "VERACITY_FETCH_ALLOW"},
		"no cores":              {"VERACITY_ENGINE_CORES", "0", "VERACITY_ENGINE_CORES: Cores is 0"},
		"no memory":             {"VERACITY_ENGINE_MEMORY", "5", "VERACITY_ENGINE_MEMORY: MemoryBytes is 5"},
		"no mail address":       {"VERACITY_MAIL_URL", "smtp://u:hush@mail.example.com", "VERACITY_MAIL_FROM is not set"},
		"a bad mail URL":        {"VERACITY_MAIL_URL", "smtp://u:hush@", "VERACITY_MAIL_URL is"},
		"no support address":    {"VERACITY_SUPPORT_EMAIL", "us", `VERACITY_SUPPORT_EMAIL is "us"`},
		"no engine address":     {"VERACITY_ENGINE_URL", "engine", "VERACITY_ENGINE_URL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t, true)
			c.env["VERACITY_STORAGE_URL"] = "disk:" + t.TempDir()
			c.env[row.env] = row.value
			code, _, complaint := c.run("serve", "--listen", "127.0.0.1:0", "--metrics-listen", "off")
			require.Equal(t, exitUsage, code, complaint)
			require.Contains(t, complaint, row.says)
			require.NotContains(t, complaint, "hush")
		})
	}
}

func TestServeRefusesAnOldSchema(t *testing.T) {
	t.Parallel()
	c := newConsole(t, false)
	c.env["VERACITY_STORAGE_URL"] = "disk:" + t.TempDir()
	c.fails(exitFailed, "veracity migrate up", "serve", "--listen", "127.0.0.1:0")
	code, out, _ := c.run("migrate", "status")
	require.Equal(t, exitOK, code)
	require.Contains(t, out, "missing  river")
	code, out, _ = c.run("migrate", "up")
	require.Equal(t, exitOK, code)
	require.NotContains(t, out, "missing")
}

func TestConfigMasksSecretsAndNamesSources(t *testing.T) {
	t.Parallel()
	c := newConsole(t, true)
	c.env["VERACITY_DATABASE_URL"] = "postgres://u:hunter2@db.example/v"
	c.env["VERACITY_ENGINE_TOKEN"] = "hush"
	c.env["VERACITY_MAIL_URL"], c.env["VERACITY_MAIL_FROM"] = "smtp://post:hush@mail.example:2525", "us@mail.example"
	_, out, _ := c.run("config", "--listen", "127.0.0.1:9999")
	for _, secret := range []string{"hunter2", "hush", c.env["VERACITY_SECRET_KEY"]} {
		require.NotContains(t, out, secret)
	}
	require.Regexp(t, `VERACITY_LISTEN\s+127.0.0.1:9999\s+flag`, out)
	require.Regexp(t, `VERACITY_ENGINE_TOKEN\s+\*+\s+environment`, out)
	require.Regexp(t, `VERACITY_UPLOAD_TTL\s+1h0m0s\s+default`, out)
	require.Contains(t, out, "postgres://u@db.example")
	require.Contains(t, out, "smtp://***@mail.example:2525")
}

func TestCheckReadsLocalFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, data, 0o600))
		return path
	}
	labelled, plain := write("a.bin", labelledPNG(t)), write("b.jpg", mediatest.JPEG(t, 32, 32))
	c := newConsole(t, true)
	code, out, _ := c.run("check", labelled, plain)
	require.Equal(t, exitOK, code)
	require.Regexp(t, `a\.bin +ai +98  decided by provenance \(Stable Diffusion WebUI\)\n.*b\.jpg +uncertain +50`, out)

	got := c.json("check", "--json", labelled)
	require.Equal(t, "ai", got["verdict"])
	require.Contains(t, got, "lanes")
	code, out, complaint := c.run("check", labelled, write("c.txt", []byte("text")), filepath.Join(dir, "missing"))
	require.Equal(t, exitFailed, code)
	require.Contains(t, out, "refused      unsupported_media")
	require.Contains(t, out, "refused      invalid_image")
	require.Equal(t, "veracity: 2 of 3 files could not be checked: see their lines\n", complaint)
}

func TestEvalCountsHitsAndMisses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, data := range map[string][]byte{
		"ai.png": labelledPNG(t), "plain.jpg": mediatest.JPEG(t, 32, 32), "text.txt": []byte("text"),
		"m.tsv": []byte("path\texpected\tnote\nai.png\tmeta:A1111\t\nai.png\tai\t\nplain.jpg\tnone (plain)\t\n" +
			"plain.jpg\treal\t\ntext.txt\trobustness: text\t\nplain.jpg\twatermark: x\t\n"),
		"bad.tsv": []byte("path\texpected\nai.png\tmaybe\n"),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	c := newConsole(t, true)
	code, out, complaint := c.run("eval", "--manifest", filepath.Join(dir, "m.tsv"))
	require.Equal(t, exitOK, code, complaint)
	require.Contains(t, out, "6 files, 4 hits, 2 misses")
	require.Regexp(t, `real +uncertain +1`, out)
	c.fails(exitUsage, "row 2 expects", "eval", "--manifest", filepath.Join(dir, "bad.tsv"))
}

func TestDoctorSaysHowToMend(t *testing.T) {
	t.Parallel()
	c := newConsole(t, false)
	c.env["VERACITY_STORAGE_URL"] = "s3://gone?endpoint=http://127.0.0.1:1&region=us-east-1&path_style=true"
	c.env["VERACITY_STORAGE_ACCESS_KEY"], c.env["VERACITY_STORAGE_SECRET_KEY"] = "a", "b"
	c.env["VERACITY_MAIL_URL"], c.env["VERACITY_MAIL_FROM"] = "smtp://post:hush@127.0.0.1:1", "us@mail.example"
	code, out, complaint := c.run("doctor")
	require.Equal(t, exitFailed, code)
	require.Empty(t, complaint)
	require.Regexp(t, `MEND +database .*veracity migrate up`, out)
	require.Regexp(t, `MEND +storage .*VERACITY_STORAGE_URL`, out)
	require.Regexp(t, `MEND +mail .*connection refused .*VERACITY_MAIL_URL`, out)
	require.NotContains(t, out, "hush")
	require.Regexp(t, `ok +engine +ready; .*seccomp`, out)
}

func TestDoctorTellsOfMailsAndPaymentsThatGoNowhere(t *testing.T) {
	t.Parallel()
	c := newConsole(t, true)
	delete(c.env, "VERACITY_MAIL_URL")
	c.env["VERACITY_STRIPE_SECRET_KEY"] = "sk_test_hush"
	_, out, _ := c.run("doctor")
	require.Regexp(t, `ok +mail +VERACITY_MAIL_URL is not set: mails are laid into .*outbox`, out)
	require.Regexp(t, `MEND +payments .*VERACITY_STRIPE_WEBHOOK_SECRET is not set`, out)
	c.env["VERACITY_STRIPE_WEBHOOK_SECRET"] = "whsec_hush"
	_, out, _ = c.run("doctor")
	require.Regexp(t, `ok +payments`, out)
	require.NotContains(t, out, "hush")
}

func TestNoKeyIsInventedBesideAnExternalDatabase(t *testing.T) {
	t.Parallel()
	c := newConsole(t, true)
	delete(c.env, "VERACITY_SECRET_KEY")
	c.fails(exitUsage, "VERACITY_SECRET_KEY is not set", "account", "create", "--email", "a@example.com", "--plan", "pro")
	require.NoFileExists(t, filepath.Join(c.env["VERACITY_DATA"], secretFile))
}
