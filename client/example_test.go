package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"

	"veracity/client"
)

func Example() {
	c, err := client.New("https://veracity.example", os.Getenv("VERACITY_API_KEY"))
	if err != nil {
		log.Fatal(err)
	}
	check, err := c.Check(context.Background(), client.ImageURL("https://example.com/picture.jpg"), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(check.Verdict, "decided by", check.DecidedBy)
}

func ExampleClient_Check_file() {
	check := func(ctx context.Context, c *client.Client, path string) (*client.Check, error) {
		file, err := client.Open(path)
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }()
		return c.Check(ctx, client.FromFile(file), &client.CheckOptions{
			Seconds:  20,
			OnUpload: func(sent, total int64) { fmt.Printf("%d of %d bytes\n", sent, total) },
		})
	}
	c, err := client.New("https://veracity.example", os.Getenv("VERACITY_API_KEY"))
	if err != nil {
		log.Fatal(err)
	}
	result, err := check(context.Background(), c, "film.mp4")
	if err != nil {
		log.Fatal(err)
	}
	for _, reading := range result.Video.Readings {
		fmt.Println(reading.T, reading.Verdict, reading.Score)
	}
}

func ExampleCodeOf() {
	c, err := client.New("https://veracity.example", os.Getenv("VERACITY_API_KEY"))
	if err != nil {
		log.Fatal(err)
	}
	_, err = c.Check(context.Background(), client.VideoURL("https://example.com/film.mp4"), nil)
	var refused *client.Error
	switch client.CodeOf(err) { //nolint:exhaustive // the other codes mean nothing special here
	case client.CodeQuotaExceeded:
		if errors.As(err, &refused) {
			if quota, ok := refused.Quota(); ok {
				fmt.Println("needs", quota.Required, "and has", quota.Available, "until", quota.ResetsAt)
			}
		}
	case client.CodeVideoTooLong, client.CodeVideoUnsupported:
		fmt.Println("another file, please:", err)
	}
}

func ExampleClient_WaitOptimization() {
	ctx := context.Background()
	c, err := client.New("https://veracity.example", os.Getenv("VERACITY_API_KEY"))
	if err != nil {
		log.Fatal(err)
	}
	job, err := c.StartOptimization(ctx, client.ImageURL("https://example.com/picture.jpg"), &client.OptimizeOptions{
		IdempotencyKey: "picture-4711",
	})
	if err != nil {
		log.Fatal(err)
	}
	job, err = c.WaitOptimization(ctx, job.ID, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := c.DownloadFile(ctx, job, "picture.png", nil); err != nil {
		log.Fatal(err)
	}
}

func ExampleWebhooks_Handler() {
	hooks := client.Webhooks{Secrets: []string{os.Getenv("VERACITY_SIGNING_SECRET")}}
	http.Handle("/veracity", hooks.Handler(func(_ context.Context, event *client.Event) error {
		// The same event can come twice: its ID tells.
		fmt.Println(event.ID, event.Optimization.ID, event.Optimization.Status)
		return nil
	}))
}
