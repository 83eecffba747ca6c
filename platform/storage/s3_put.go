package storage

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// partSize is how much of a body is in memory at a time. S3 wants at least 5 MiB and at most 10,000 parts; a blob of
// MaxSize makes 640.
const partSize = 8 << 20

// Put implements Store. What fits into one part is sent as such, anything larger in parts that become an object when
// all are there. Every request carries a hash of its body, so that a server that does not count bytes refuses a cut one
// too, and can be repeated from memory. Parts of a process that died stay until the bucket's lifecycle rule
// AbortIncompleteMultipartUpload removes them.
func (b *bucket) Put(ctx context.Context, key string, body io.Reader, size int64, contentType string) error {
	if err := checkBlob(key, size, contentType); err != nil {
		return err
	}
	exact := newExactReader(body, size)
	if size > partSize {
		return b.putParts(ctx, key, exact, contentType)
	}
	content, err := readPart(ctx, nil, exact, size)
	if err != nil {
		return fmt.Errorf("put %s: %w", key, err)
	}
	_, err = b.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &b.name, Key: &key, ContentType: &contentType, ContentLength: &size, Body: bytes.NewReader(content),
	})
	return translate(ctx, "put "+key, err)
}

func (b *bucket) putParts(ctx context.Context, key string, body *exactReader, contentType string) error {
	begun, err := b.client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{
		Bucket: &b.name, Key: &key, ContentType: &contentType,
	})
	if err != nil {
		return translate(ctx, "begin "+key, err)
	}
	parts, err := b.sendParts(ctx, key, begun.UploadId, body)
	if err == nil {
		_, err = b.client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
			Bucket: &b.name, Key: &key, UploadId: begun.UploadId, MultipartUpload: &types.CompletedMultipartUpload{Parts: parts},
		})
		err = translate(ctx, "complete "+key, err)
	}
	if err != nil {
		b.abort(ctx, key, begun.UploadId)
	}
	return err
}

func (b *bucket) sendParts(ctx context.Context, key string, upload *string, body *exactReader) ([]types.CompletedPart, error) {
	var (
		parts  []types.CompletedPart
		buffer []byte
		err    error
	)
	for number := int32(1); body.left > 0; number++ {
		buffer, err = readPart(ctx, buffer, io.LimitReader(body, partSize), min(body.left, partSize))
		if err != nil {
			return nil, fmt.Errorf("put %s: %w", key, err)
		}
		sent, err := b.client.UploadPart(ctx, &s3.UploadPartInput{
			Bucket: &b.name, Key: &key, UploadId: upload, PartNumber: &number, Body: bytes.NewReader(buffer),
		})
		if err != nil {
			return nil, translate(ctx, fmt.Sprintf("put part %d of %s", number, key), err)
		}
		parts = append(parts, types.CompletedPart{ETag: sent.ETag, PartNumber: &number})
	}
	return parts, nil
}

// readPart reads all of body, about size bytes, into the memory of buffer, which may be nil.
func readPart(ctx context.Context, buffer []byte, body io.Reader, size int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	part := bytes.NewBuffer(buffer[:0])
	part.Grow(int(size) + bytes.MinRead)
	if _, err := part.ReadFrom(body); err != nil {
		return nil, err
	}
	return part.Bytes(), nil
}

// abort gives up an upload whatever became of ctx. Its own failure changes nothing for the caller: the lifecycle rule
// sees to it.
func (b *bucket) abort(ctx context.Context, key string, upload *string) {
	abortCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.cfg.CallTimeout)
	defer cancel()
	_, _ = b.client.AbortMultipartUpload(abortCtx, &s3.AbortMultipartUploadInput{
		Bucket: &b.name, Key: &key, UploadId: upload,
	})
}
