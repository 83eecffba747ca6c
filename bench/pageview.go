package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// codings are the content codings that browsers take.
const codings = "gzip, deflate, br, zstd"

// browse writes the GET of a page as a browser with the given cookies sends it.
func browse(address, path, cookies string) []byte {
	text := "GET " + path + " HTTP/1.1\r\nHost: " + address + "\r\nAccept: text/html\r\nAccept-Encoding: " + codings + "\r\n" +
		"Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: navigate\r\n"
	if cookies != "" {
		text += "Cookie: " + cookies + "\r\n"
	}
	return []byte(text + "\r\n")
}

// firstBytes sends a request n times over one connection, the next when the last answer has been read whole, and gives the
// times to the first byte. The connection is made beforehand. An answer other than 200 is an error.
func firstBytes(ctx context.Context, address string, request []byte, n int) (spread, error) {
	conn, err := (&net.Dialer{Timeout: exchangeTimeout}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	answers := bufio.NewReader(conn)
	took := make(spread, n)
	for i := range took {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := conn.SetDeadline(time.Now().Add(exchangeTimeout)); err != nil {
			return nil, err
		}
		if took[i], err = firstByte(conn, answers, request); err != nil {
			return nil, err
		}
	}
	return took, nil
}

func firstByte(conn net.Conn, answers *bufio.Reader, request []byte) (time.Duration, error) {
	start := time.Now()
	if _, err := conn.Write(request); err != nil {
		return 0, err
	}
	if _, err := answers.Peek(1); err != nil {
		return 0, err
	}
	took := time.Since(start)
	resp, err := http.ReadResponse(answers, nil)
	if err != nil {
		return 0, fmt.Errorf("read an answer: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0, fmt.Errorf("read an answer: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("the answer is %d, not 200", resp.StatusCode)
	}
	return took, nil
}
