package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// program is the built veracity with the settings that all its commands of a run share.
type program struct {
	path     string
	settings []string
}

func (p program) command(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, p.path, append(append([]string{}, p.settings...), args...)...) //nolint:gosec // the program that was built for this run
}

// run executes one command, decodes the JSON that it prints into answer unless that is nil, and gives its exit as an
// error that quotes what it said.
func (p program) run(ctx context.Context, answer any, args ...string) error {
	cmd := p.command(ctx, append(args, "--json")...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("veracity %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(said.Bytes()))
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(out, answer); err != nil {
		return fmt.Errorf("read the answer of veracity %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// customer is an account and its key.
type customer struct {
	id, key string
}

// unlimited is more requests a minute than a run can send.
const unlimited = 10_000_000

// customer makes an account that is not held up by its rate. Further limits are flags of `account create`.
func (p program) customer(ctx context.Context, name string, credits int, limits ...string) (customer, error) {
	var account struct {
		ID string `json:"id"`
	}
	create := []string{
		"account", "create", "--email", name + "@bench.invalid", "--plan", "scale",
		"--rpm", strconv.Itoa(unlimited), "--credits", strconv.Itoa(credits),
	}
	err := p.run(ctx, &account, append(create, limits...)...)
	if err != nil {
		return customer{}, err
	}
	var key struct {
		Key string `json:"key"`
	}
	if err := p.run(ctx, &key, "key", "create", "--account", account.ID, "--name", "bench"); err != nil {
		return customer{}, err
	}
	return customer{id: account.ID, key: key.Key}, nil
}

// books are an account's credits as `veracity account show` recomputes them.
type books struct {
	Credits struct {
		Granted int `json:"granted"`
		Held    int `json:"held"`
		Spent   int `json:"spent"`
	} `json:"credits"`
	Differences []any `json:"differences"`
}

// books reads an account's balance. One that its journal does not bear out is an error.
func (p program) books(ctx context.Context, c customer) (books, error) {
	var b books
	err := p.run(ctx, &b, "account", "show", "--id", c.id)
	return b, err
}

// setting gives the value that is in force.
func (p program) setting(ctx context.Context, name string) (string, error) {
	var lines []struct{ Name, Value string }
	if err := p.run(ctx, &lines, "config"); err != nil {
		return "", err
	}
	for _, l := range lines {
		if l.Name == name {
			return l.Value, nil
		}
	}
	return "", fmt.Errorf("veracity config knows no %s", name)
}
