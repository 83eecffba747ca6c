package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

const (
	maxAttempts = 3
	maxBackoff  = 500 * time.Millisecond
)

// bucket is the store in one S3 bucket. Its credentials need s3:GetObject, s3:PutObject, s3:AbortMultipartUpload,
// s3:DeleteObject and s3:ListBucket; without the last, S3 answers 403 for what is not there, which reads as
// ErrUnavailable.
type bucket struct {
	name    string
	cfg     Config
	client  *s3.Client
	presign *s3.PresignClient
	http    *http.Client
}

func openS3(ctx context.Context, cfg Config, loc bucketLocation) (*bucket, error) {
	base, err := awsConfig(ctx, cfg, loc)
	if err != nil {
		return nil, err
	}
	httpClient := newHTTPClient(cfg)
	client := s3.NewFromConfig(base, func(o *s3.Options) {
		if loc.endpoint != "" {
			o.BaseEndpoint = aws.String(loc.endpoint)
		}
		o.UsePathStyle = loc.pathStyle
		o.HTTPClient = httpClient
		o.Retryer = retry.NewStandard(func(r *retry.StandardOptions) {
			r.MaxAttempts = maxAttempts
			r.MaxBackoff = maxBackoff
		})
		// The SDK's own checksums would have to be sent by ticket holders too, and other servers than AWS refuse them.
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
	})
	return &bucket{name: loc.bucket, cfg: cfg, client: client, presign: s3.NewPresignClient(client), http: httpClient}, nil
}

// awsConfig asks the default chain only for what the settings leave open.
func awsConfig(ctx context.Context, cfg Config, loc bucketLocation) (aws.Config, error) {
	static := credentials.NewStaticCredentialsProvider(cfg.AccessKey, cfg.SecretKey, "")
	if cfg.AccessKey != "" && loc.region != "" {
		return aws.Config{Region: loc.region, Credentials: static}, nil
	}
	var options []func(*awsconfig.LoadOptions) error
	if loc.region != "" {
		options = append(options, awsconfig.WithRegion(loc.region))
	}
	if cfg.AccessKey != "" {
		options = append(options, awsconfig.WithCredentialsProvider(static))
	}
	base, err := awsconfig.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return aws.Config{}, fmt.Errorf("load AWS settings: %v", err) //nolint:errorlint // the SDK's types end here
	}
	if base.Region == "" {
		return aws.Config{}, errors.New("VERACITY_STORAGE_URL names no region, nor does the AWS default chain; add ?region=REGION")
	}
	return base, nil
}

// Open implements Store.
func (b *bucket) Open(ctx context.Context, key string) (io.ReadCloser, Info, error) {
	return b.get(ctx, key, nil)
}

// OpenRange implements Store (RFC 9110, section 14.1.2).
func (b *bucket) OpenRange(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	if err := checkRange(offset, length); err != nil {
		return nil, err
	}
	body, _, err := b.get(ctx, key, &span{offset, length})
	return body, err
}

// get opens the blob under key: the part asked for, or with nil all of it.
func (b *bucket) get(ctx context.Context, key string, part *span) (io.ReadCloser, Info, error) {
	if err := checkKey(key); err != nil {
		return nil, Info{}, err
	}
	act := "open " + key
	bodyCtx, cancel := context.WithCancel(ctx)
	opening := time.AfterFunc(b.cfg.CallTimeout, cancel)
	out, err := b.client.GetObject(bodyCtx, &s3.GetObjectInput{Bucket: &b.name, Key: &key, Range: part.header()})
	opening.Stop()
	if err != nil {
		cancel()
		return nil, Info{}, translate(ctx, act, err)
	}
	if err := part.check(out.ContentRange); err != nil {
		cancel()
		return nil, Info{}, errors.Join(unavailable(act, err), out.Body.Close())
	}
	info := newInfo(key, out.ContentLength, out.LastModified, out.ContentType)
	report := func(err error) error { return translate(ctx, "read "+key, err) }
	return newWatchedBody(out.Body, b.cfg.StallTimeout, cancel, report), info, nil
}

// Stat implements Store.
func (b *bucket) Stat(ctx context.Context, key string) (Info, error) {
	if err := checkKey(key); err != nil {
		return Info{}, err
	}
	callCtx, cancel := context.WithTimeout(ctx, b.cfg.CallTimeout)
	defer cancel()
	out, err := b.client.HeadObject(callCtx, &s3.HeadObjectInput{Bucket: &b.name, Key: &key})
	if err == nil {
		return newInfo(key, out.ContentLength, out.LastModified, out.ContentType), nil
	}
	err = translate(ctx, "stat "+key, err)
	if errors.Is(err, ErrNotFound) {
		// A HEAD has no body to tell a missing blob from a missing bucket.
		if readyErr := b.Ready(ctx); readyErr != nil {
			return Info{}, readyErr
		}
	}
	return Info{}, err
}

// Delete implements Store.
func (b *bucket) Delete(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	callCtx, cancel := context.WithTimeout(ctx, b.cfg.CallTimeout)
	defer cancel()
	_, err := b.client.DeleteObject(callCtx, &s3.DeleteObjectInput{Bucket: &b.name, Key: &key})
	err = translate(ctx, "delete "+key, err)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// List implements Store.
func (b *bucket) List(ctx context.Context, prefix string, olderThan time.Time) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if err := checkPrefix(prefix); err != nil {
			yield(Entry{}, err)
			return
		}
		pages := s3.NewListObjectsV2Paginator(b.client, &s3.ListObjectsV2Input{Bucket: &b.name, Prefix: &prefix})
		for pages.HasMorePages() {
			page, err := b.nextPage(ctx, pages)
			if err != nil {
				yield(Entry{}, err)
				return
			}
			for _, o := range page.Contents {
				entry := newEntry(aws.ToString(o.Key), o.Size, o.LastModified)
				if entry.Modified.Before(olderThan) && !yield(entry, nil) {
					return
				}
			}
		}
	}
}

func (b *bucket) nextPage(ctx context.Context, pages *s3.ListObjectsV2Paginator) (*s3.ListObjectsV2Output, error) {
	callCtx, cancel := context.WithTimeout(ctx, b.cfg.CallTimeout)
	defer cancel()
	page, err := pages.NextPage(callCtx)
	return page, translate(ctx, "list blobs", err)
}

// Ticket implements Store. The presigned address covers Content-Length beside the two headers that the ticket names,
// so S3 itself refuses another size (AWS Signature Version 4, query parameters). A ticket signed with the temporary
// credentials of a role ends with them, if that is sooner.
func (b *bucket) Ticket(ctx context.Context, req TicketRequest) (Ticket, error) {
	if err := req.check(time.Now()); err != nil {
		return Ticket{}, err
	}
	if err := b.Ready(ctx); err != nil {
		return Ticket{}, fmt.Errorf("ticket for %s: %w", req.Key, err)
	}
	life := time.Duration(wholeSeconds(req.Expires)-time.Now().Unix()) * time.Second
	signed, err := b.presign.PresignPutObject(ctx, &s3.PutObjectInput{
		Bucket: &b.name, Key: &req.Key, ContentType: &req.ContentType, ContentLength: &req.Size,
		IfNoneMatch: aws.String(onlyIfAbsent),
	}, s3.WithPresignExpires(min(life, MaxTicketLife)))
	if err != nil {
		return Ticket{}, translate(ctx, "sign ticket for "+req.Key, err)
	}
	return Ticket{URL: signed.URL, Method: signed.Method, Headers: ticketHeaders(req.ContentType)}, nil
}

// Ready implements Store.
func (b *bucket) Ready(ctx context.Context) error {
	callCtx, cancel := context.WithTimeout(ctx, b.cfg.CallTimeout)
	defer cancel()
	_, err := b.client.HeadBucket(callCtx, &s3.HeadBucketInput{Bucket: &b.name})
	err = translate(ctx, "reach bucket "+b.name, err)
	if errors.Is(err, ErrNotFound) {
		return unavailable("reach bucket "+b.name, errors.New("it does not exist"))
	}
	return err
}

// Close implements Store.
func (b *bucket) Close() error {
	b.http.CloseIdleConnections()
	return nil
}

func newEntry(key string, size *int64, modified *time.Time) Entry {
	return Entry{Key: key, Size: aws.ToInt64(size), Modified: aws.ToTime(modified)}
}

func newInfo(key string, size *int64, modified *time.Time, contentType *string) Info {
	return Info{Entry: newEntry(key, size, modified), ContentType: aws.ToString(contentType)}
}
