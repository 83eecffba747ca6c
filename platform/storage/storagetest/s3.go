package storagetest

import (
	"crypto/rand"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"

	"veracity/platform/storage"
)

const region = "us-east-1"

// S3 configures a store in a fresh bucket of a server that the running tests of this binary share. The server stops
// with the last test that uses it.
func S3(tb testing.TB) storage.Config {
	tb.Helper()
	return shared.join(tb).Config(tb)
}

// StartS3 starts a server for tb alone, for tests that stop it. It is stopped when tb ends at the latest.
func StartS3(tb testing.TB) *S3Server {
	tb.Helper()
	server := startServer(tb)
	tb.Cleanup(server.Stop)
	return server
}

// Config makes a bucket and configures a store in it.
func (s *S3Server) Config(tb testing.TB) storage.Config {
	tb.Helper()
	name := "test-" + strings.ToLower(rand.Text())
	client := s3.New(s3.Options{
		Region:       region,
		Credentials:  credentials.NewStaticCredentialsProvider(s.accessKey, s.secretKey, ""),
		BaseEndpoint: aws.String(s.url),
		UsePathStyle: true,
	})
	_, err := client.CreateBucket(tb.Context(), &s3.CreateBucketInput{Bucket: &name})
	require.NoError(tb, err, "make a bucket; the server said: %s", s.output)
	cfg := storage.DefaultConfig()
	cfg.URL = "s3://" + name + "?" + url.Values{"endpoint": {s.url}, "region": {region}}.Encode()
	cfg.AccessKey = s.accessKey
	cfg.SecretKey = s.secretKey
	return cfg
}

// shared is the server of all tests that do not stop theirs.
var shared sharedServer

type sharedServer struct {
	mu     sync.Mutex
	users  int
	server *S3Server
}

// join starts the server for the first user and stops it after the last.
func (s *sharedServer) join(tb testing.TB) *S3Server {
	tb.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users == 0 {
		s.server = startServer(tb)
	}
	s.users++
	tb.Cleanup(s.leave)
	return s.server
}

func (s *sharedServer) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users--
	if s.users == 0 {
		s.server.Stop()
	}
}
