package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"
)

// exchangeTimeout bounds one request of the load.
const exchangeTimeout = 10 * time.Second

// load sends each of requests again and again over a connection of its own, the next when the last is answered, for the
// given time, and gives the answers a second. An answer of another status than want is an error.
func load(ctx context.Context, address string, requests [][]byte, want int, length time.Duration) (float64, error) {
	counts := make([]int, len(requests))
	group, ctx := errgroup.WithContext(ctx)
	start := time.Now()
	for i, request := range requests {
		group.Go(func() error {
			var err error
			counts[i], err = repeat(ctx, address, request, want, start.Add(length))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return 0, fmt.Errorf("load %s: %w", address, err)
	}
	total := 0
	for _, n := range counts {
		total += n
	}
	return float64(total) / time.Since(start).Seconds(), nil
}

func repeat(ctx context.Context, address string, request []byte, want int, end time.Time) (int, error) {
	conn, err := (&net.Dialer{Timeout: exchangeTimeout}).DialContext(ctx, "tcp", address)
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(end.Add(exchangeTimeout)); err != nil {
		return 0, err
	}
	answers := bufio.NewReader(conn)
	n := 0
	for ; time.Now().Before(end); n++ {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		if _, err := conn.Write(request); err != nil {
			return n, err
		}
		status, err := skipAnswer(answers)
		if err != nil {
			return n, err
		}
		if status != want {
			return n, fmt.Errorf("the answer is %d, not %d", status, want)
		}
	}
	return n, nil
}

// get writes a GET as it goes over the wire.
func get(address, path, key string) []byte {
	text := "GET " + path + " HTTP/1.1\r\nHost: " + address + "\r\n"
	if key != "" {
		text += "X-API-Key: " + key + "\r\n"
	}
	return []byte(text + "\r\n")
}

var contentLength = []byte("Content-Length: ")

// skipAnswer reads one HTTP/1.1 answer with a Content-Length and gives its status. It does no more than that because the
// load shares its cores with what it measures; net/http's client would take as much of them as the server.
func skipAnswer(r *bufio.Reader) (status int, err error) {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	const from, to = len("HTTP/1.1 "), len("HTTP/1.1 200")
	if len(line) < to {
		return 0, fmt.Errorf("%q is no status line", line)
	}
	if status, err = strconv.Atoi(string(line[from:to])); err != nil {
		return 0, fmt.Errorf("read the status: %w", err)
	}
	length := -1
	for {
		if line, err = r.ReadSlice('\n'); err != nil {
			return 0, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		if value, ok := bytes.CutPrefix(line, contentLength); ok {
			if length, err = strconv.Atoi(string(value)); err != nil {
				return 0, fmt.Errorf("read the Content-Length: %w", err)
			}
		}
	}
	if length < 0 {
		return 0, fmt.Errorf("an answer %d came without a Content-Length", status)
	}
	_, err = r.Discard(length)
	return status, err
}
