package pgtest

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"veracity/platform/postgres/private"
)

// The tests run this binary again as one that fails, or that hangs until it is killed.
var ending = flag.String("pgtest.ending", "", "how TestBorrowedDatabaseWorks ends: fail or hang")

// marker stands before the folder that such a binary prints.
const marker = "server in "

func TestMain(m *testing.M) { os.Exit(Main(m)) }

var ups atomic.Int32

// counted is a schema with a table that counts how often it is made.
func counted() Schema {
	return Schema{Name: "counted", Up: func(ctx context.Context, pool *pgxpool.Pool) error {
		ups.Add(1)
		_, err := pool.Exec(ctx, "CREATE TABLE note (text text NOT NULL)")
		return err
	}}
}

func TestEachTestHasItsOwnDatabase(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"first", "second", "third", "fourth"} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			pool := Database(t, counted())
			_, err := pool.Exec(t.Context(), "INSERT INTO note (text) VALUES ($1)", text)
			require.NoError(t, err)
			var all string
			require.NoError(t, pool.QueryRow(t.Context(), "SELECT string_agg(text, ',') FROM note").Scan(&all))
			require.Equal(t, text, all)
			require.Equal(t, int32(1), ups.Load(), "the others are clones")
		})
	}
}

func TestRoleHasNoSpecialRights(t *testing.T) {
	t.Parallel()
	pool := Database(t, Empty())
	var role, super string
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT current_user, current_setting('is_superuser')").Scan(&role, &super))
	require.Equal(t, private.Role, role)
	require.Equal(t, "off", super)
}

func TestURLLeadsToTheSameDatabase(t *testing.T) {
	t.Parallel()
	pool := Database(t, Empty())
	_, err := pool.Exec(t.Context(), "CREATE TABLE seen ()")
	require.NoError(t, err)
	second, err := open(t.Context(), pool.Config().ConnString())
	require.NoError(t, err)
	defer second.Close()
	_, err = second.Exec(t.Context(), "SELECT FROM seen")
	require.NoError(t, err)
}

func TestConnectionThatIsNotGivenBackIsReported(t *testing.T) {
	t.Parallel()
	pool, err := open(t.Context(), Database(t, Empty()).Config().ConnString())
	require.NoError(t, err)
	kept, err := pool.Acquire(t.Context())
	require.NoError(t, err)
	require.ErrorContains(t, closeWithin(pool, 10*time.Millisecond), "1 of the database's connections")
	kept.Release()
	require.NoError(t, closeWithin(pool, time.Minute))
}

func TestMissingMainIsNamed(t *testing.T) {
	t.Parallel()
	var s shared
	_, err := s.get(t.Context())
	require.ErrorContains(t, err, "does not call pgtest.Main")
}

// TestBorrowedDatabaseWorks is also what the copies of this binary run, to end as the flag says.
func TestBorrowedDatabaseWorks(t *testing.T) {
	t.Parallel()
	require.NoError(t, Database(t, Empty()).Ping(t.Context()))
	switch *ending {
	case "fail":
		t.Fatal(marker + current.cfg.Dir)
	case "hang":
		fmt.Println(marker + current.cfg.Dir)
		<-t.Context().Done()
	}
}

func again(t *testing.T, ending string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return exec.CommandContext(t.Context(), self, "-test.run=^TestBorrowedDatabaseWorks$", "-pgtest.ending="+ending)
}

func folderIn(t *testing.T, line string) string {
	t.Helper()
	_, folder, found := strings.Cut(line, marker)
	require.True(t, found, line)
	folder, _, _ = strings.Cut(folder, "\n")
	return folder
}

func TestFailedTestsLeaveNothing(t *testing.T) {
	t.Parallel()
	said, err := again(t, "fail").CombinedOutput()
	var failed *exec.ExitError
	require.True(t, errors.As(err, &failed), string(said))
	require.Equal(t, 1, failed.ExitCode())
	require.NoDirExists(t, folderIn(t, string(said)))
}

func TestKilledBinaryIsSweptByLaterOnes(t *testing.T) {
	t.Parallel()
	killed := again(t, "hang")
	out, err := killed.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, killed.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	folder := folderIn(t, line)
	base := folder[:strings.LastIndex(folder, "/")]
	old := time.Now().Add(-2 * newborn)

	require.NoError(t, os.Chtimes(folder, old, old))
	require.NoError(t, sweep(t.Context(), base))
	require.DirExists(t, folder, "its binary lives")

	require.NoError(t, killed.Process.Kill())
	require.Error(t, killed.Wait())
	now := time.Now()
	require.NoError(t, os.Chtimes(folder, now, now))
	require.NoError(t, sweep(t.Context(), base))
	require.DirExists(t, folder, "a young folder may belong to a binary that is starting")

	require.NoError(t, os.Chtimes(folder, old, old))
	require.NoError(t, sweep(t.Context(), base))
	require.NoDirExists(t, folder)
}

func TestSmallMemoryFolderIsNotUsed(t *testing.T) {
	t.Parallel()
	require.True(t, roomy(t.TempDir(), 1))
	require.False(t, roomy(t.TempDir(), 1<<62))
	require.False(t, roomy("/there/is/no/such/folder", 0))
}
