package openapitest

import (
	"errors"
	"fmt"
	"net/http"
)

// CheckWebhook says how a delivery to a callback_url differs from what the document describes.
func CheckWebhook(header http.Header, body []byte) error {
	doc, err := Strict()
	if err != nil {
		return err
	}
	item := doc.Webhooks["optimizationEnded"]
	if item == nil || item.Post == nil {
		return errors.New("the API's description has no webhook optimizationEnded")
	}
	for _, parameter := range item.Post.Parameters {
		values := header.Values(parameter.Value.Name)
		if len(values) != 1 {
			return fmt.Errorf("the webhook has %d headers %s: one is described", len(values), parameter.Value.Name)
		}
		if err := checkText(parameter.Value.Schema, values[0]); err != nil {
			return fmt.Errorf("the webhook's header %s: %w", parameter.Value.Name, err)
		}
	}
	media := item.Post.RequestBody.Value.Content.Get(header.Get("Content-Type"))
	if media == nil {
		return fmt.Errorf("the webhook's Content-Type is %q, which is not described", header.Get("Content-Type"))
	}
	var value any
	if err := decode(body, &value); err != nil {
		return fmt.Errorf("the webhook's body: %w", err)
	}
	if err := visit(media.Schema, value); err != nil {
		return fmt.Errorf("the webhook's body is not as described: %w\n%.2000s", err, body)
	}
	return nil
}
