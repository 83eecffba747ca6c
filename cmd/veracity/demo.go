package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"veracity/account"
	"veracity/account/access"
	"veracity/api"
	"veracity/engine"
	"veracity/platform/fault"
	"veracity/samples"
)

const (
	demoEmail = "demo@veracity.invalid"
	demoPlan  = "pro"
	// demoKeyFile keeps the demo key of the data folder, so that a later start can show it again.
	demoKeyFile = "demo-key"
)

// demonstrate checks the sample pictures over the real API and prints what to try next.
func (a *App) demonstrate(ctx context.Context, out io.Writer) error {
	key, err := a.demoKey(ctx)
	if err != nil {
		return err
	}
	if err := a.awaitEngine(ctx); err != nil {
		return err
	}
	list, err := samples.All()
	if err != nil {
		return fmt.Errorf("read the samples: %w", err)
	}
	for _, sample := range list {
		result, err := a.checkOverAPI(ctx, key, sample.Data)
		if err != nil {
			return fmt.Errorf("check the sample %s: %w", sample.Name, err)
		}
		report := engine.Report{Verdict: result.Verdict, Score: result.Score, DecidedBy: result.DecidedBy}
		if _, err := fmt.Fprintf(out, "%-13s %s  (%s)\n", sample.Name, summary(report), sample.About); err != nil {
			return err
		}
	}
	call := fmt.Sprintf("curl %s%s/audit -H 'X-API-Key: %s' -d", a.Settings.BaseURL, api.Prefix, key)
	_, err = fmt.Fprintf(out, "\nportal   %s/\nmails    %s\n%sAPI key  %s\ntry      %s '{\"image_base64\":\"%s\"}'\n"+
		"or       base64 < PICTURE | tr -d '\\n' | sed 's/.*/{\"image_base64\":\"&\"}/' | %s @-\n\n",
		a.Settings.BaseURL, a.mailsGo(), a.Settings.paymentsGo(), key, call, dot, call)
	return err
}

// dot is a GIF of one pixel, so that the printed call works as it is.
const dot = "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw=="

// demoKey makes the demo account and its key on the first start and reads the key on later ones.
func (a *App) demoKey(ctx context.Context) (string, error) {
	path := filepath.Join(a.Settings.Data, demoKeyFile)
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("read the demo key: %w", err)
	}
	if key := strings.TrimSpace(string(b)); key != "" {
		// A key that was revoked since is replaced.
		if _, err := a.Accounts.Authenticate(ctx, key); fault.CodeOf(err) != fault.InvalidKey {
			return key, nil
		}
	}
	acc, err := a.Accounts.Create(ctx, demoEmail, demoPlan, account.Overrides{})
	if fault.CodeOf(err) == fault.EmailTaken {
		acc, err = a.demoAccount(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("make the demo account: %w", err)
	}
	made, err := a.Accounts.CreateKey(ctx, access.CLI(acc.ID), "demo "+time.Now().UTC().Format(time.RFC3339Nano))
	if err != nil {
		return "", fmt.Errorf("make the demo key: %w", err)
	}
	if err := os.WriteFile(path, []byte(made.Key+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("save the demo key: %w", err)
	}
	return made.Key, nil
}

// demoAccount finds the account of a start that was killed before it saved its key.
func (a *App) demoAccount(ctx context.Context) (account.Account, error) {
	all, err := a.Accounts.List(ctx)
	if err != nil {
		return account.Account{}, err
	}
	for _, acc := range all {
		if acc.Email == demoEmail {
			return acc, nil
		}
	}
	return account.Account{}, fmt.Errorf("the account %s is gone", demoEmail)
}

func (a *App) checkOverAPI(ctx context.Context, key string, data []byte) (api.CheckResult, error) {
	body, err := json.Marshal(map[string]string{"image_base64": base64.StdEncoding.EncodeToString(data)})
	if err != nil {
		return api.CheckResult{}, fmt.Errorf("write request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+a.Address()+api.Prefix+"/audit", bytes.NewReader(body))
	if err != nil {
		return api.CheckResult{}, fmt.Errorf("write request: %w", err)
	}
	req.Header.Set("X-API-Key", key)
	req.Header.Set("Content-Type", "application/json")
	// Our own listener, not a place that anybody named: safefetch would rightly refuse loopback.
	client := &http.Client{Transport: &http.Transport{Proxy: nil}, Timeout: time.Minute}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return api.CheckResult{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return api.CheckResult{}, fmt.Errorf("read answer: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return api.CheckResult{}, fmt.Errorf("the API answered %d: %s", resp.StatusCode, oneLine(string(answer)))
	}
	var result api.CheckResult
	if err := json.Unmarshal(answer, &result); err != nil {
		return api.CheckResult{}, fmt.Errorf("read answer: %w", err)
	}
	return result, nil
}
