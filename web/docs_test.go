package web_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/account/access"
	"veracity/views"
)

// parse reads a Go file of this repository.
func parse(t *testing.T, path string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	require.NoError(t, err)
	return f
}

// codes reads the constants of platform/fault under the comment that begins so: their names with their values.
func codes(t *testing.T, comment string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, d := range parse(t, "../platform/fault/code.go").Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST || !strings.HasPrefix(group.Doc.Text(), comment) {
			continue
		}
		for _, spec := range group.Specs {
			value, ok := spec.(*ast.ValueSpec)
			require.True(t, ok)
			literal, ok := value.Values[0].(*ast.BasicLit)
			require.True(t, ok)
			text, err := strconv.Unquote(literal.Value)
			require.NoError(t, err)
			found[value.Names[0].Name] = text
		}
	}
	require.NotEmpty(t, found, comment)
	return found
}

func described(list []views.ErrorCode) map[string]views.ErrorCode {
	found := map[string]views.ErrorCode{}
	for _, c := range list {
		found[c.Code] = c
	}
	return found
}

func TestEveryCodeOfThePublicListsIsDescribed(t *testing.T) {
	t.Parallel()
	calls, jobs := described(views.CallErrors()), described(views.JobErrors())
	for name, code := range codes(t, "Codes of the public API") {
		require.Contains(t, calls, code, name)
	}
	for name, code := range codes(t, "Codes that only a failed job carries") {
		require.Contains(t, jobs, code, name)
	}
}

// statusNames are the names of net/http's statuses with their numbers.
func statusNames() map[string]int {
	found := map[string]int{}
	for status := 400; status < 600; status++ {
		if text := http.StatusText(status); text != "" {
			found["Status"+strings.ReplaceAll(text, " ", "")] = status
		}
	}
	return found
}

func TestTheErrorsGuideHasTheStatusesThatTheAPIAnswers(t *testing.T) {
	t.Parallel()
	names := codes(t, "Codes")
	numbers, calls := statusNames(), described(views.CallErrors())
	seen := 0
	ast.Inspect(parse(t, "../api/status.go"), func(n ast.Node) bool {
		pair, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		key, ok := pair.Key.(*ast.SelectorExpr)
		if !ok {
			return true // a code of the log alone, which package fault does not have
		}
		value, ok := pair.Value.(*ast.SelectorExpr)
		require.True(t, ok)
		code := names[key.Sel.Name]
		if _, ok := calls[code]; ok {
			require.Equal(t, numbers[value.Sel.Name], calls[code].Status, code)
			seen++
		}
		return true
	})
	require.Len(t, calls, seen, "all that the guide describes")
}

func TestTheAccountGuideTellsTheRightsOfEachRole(t *testing.T) {
	t.Parallel()
	rights := map[string]access.Right{
		"see": access.See, "manage_keys": access.ManageKeys, "spend": access.Spend, "redeliver": access.Redeliver, "manage_plan": access.ManagePlan,
		"manage_team": access.ManageTeam, "see_trail": access.SeeTrail, "edit_account": access.EditAccount, "close_account": access.Close,
	}
	told := map[string]bool{}
	for _, row := range views.RoleRights() {
		for _, name := range row.Rights {
			right, ok := rights[name]
			require.True(t, ok, name)
			told[name] = true
			for _, role := range access.Roles() {
				require.Equal(t, access.Actor{Role: role}.Can(right), row.May[string(role)], "%s may %s", role, name)
			}
		}
	}
	require.Len(t, told, len(rights))
}
