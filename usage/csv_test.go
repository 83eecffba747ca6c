package usage

import (
	"bytes"
	"encoding/csv"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func TestCSVHasOneLineForEachDayKeyAndCall(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	key := uuid.New()
	when := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	require.NoError(t, WriteCSV(&b, []Row{
		{
			Day: when, Key: key, KeyName: `web, "live"`, KeyStart: "svc_live_abc", Call: Audit,
			Counts: Counts{Requests: 1234, Refused: 2, Failed: 3, AI: 4, Real: 5, Uncertain: 6, Unavailable: 7, Credits: 8},
		},
		{Day: when, Call: Optimize},
	}))
	require.Equal(t, "day,key,key_name,call,requests,refused,failed,verdict_ai,verdict_real,verdict_uncertain,verdict_unavailable,credits\r\n"+
		`2026-03-02,svc_live_abc,"web, ""live""",POST /audit,1234,2,3,4,5,6,7,8`+"\r\n"+
		"2026-03-02,,playground,POST /optimize,0,0,0,0,0,0,0,0\r\n", b.String())
}

func TestNoKeyNameRunsAsAFormula(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		`=1+1`:               `'=1+1`,
		`+1`:                 `'+1`,
		`-1`:                 `'-1`,
		`@SUM(A1)`:           `'@SUM(A1)`,
		"\t=1":               "'\t'=1",
		"\ttext":             "'\ttext",
		"\rtext":             "'\rtext",
		"\n=1":               "'\n'=1",
		`＝1`:                 `'＝1`,
		`＋1`:                 `'＋1`,
		`－1`:                 `'－1`,
		`＠1`:                 `'＠1`,
		"\u00a0=1":           "\u00a0'=1",
		"\ufeff=1":           "\ufeff'=1",
		"\u200b=1":           "\u200b'=1",
		`"=1`:                `"'=1`,
		`a;=1`:               `a;'=1`,
		`a","=1`:             `a","'=1`,
		"a\n=1":              "a\n'=1",
		"a\t@1":              "a\t'@1",
		`web`:                `web`,
		`e-mail`:             `e-mail`,
		`a=b`:                `a=b`,
		`'=1`:                `'=1`,
		``:                   ``,
		`production; backup`: `production; backup`,
	} {
		require.Equal(t, want, plain(name), "%q", name)
	}
}

func TestFormulaIsPlainTextInTheFile(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	require.NoError(t, WriteCSV(&b, []Row{{Key: uuid.New(), KeyName: `=HYPERLINK("https://example.com")`, KeyStart: "svc_live_abc", Call: Audit}}))
	lines, err := csv.NewReader(&b).ReadAll()
	require.NoError(t, err)
	require.Equal(t, `'=HYPERLINK("https://example.com")`, lines[1][2])
}

var errFull = errors.New("disk full")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestCSVThatCannotBeWrittenSaysSo(t *testing.T) {
	t.Parallel()
	require.ErrorIs(t, WriteCSV(fullDisk{}, []Row{{Call: Audit}}), errFull)
}
