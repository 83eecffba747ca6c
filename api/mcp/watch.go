package mcp

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"veracity/api"
)

// watch keeps a panic of the SDK's handlers, which run on goroutines of their own, from ending the process.
func watch(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (res sdk.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				api.Note(ctx, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
				res, err = nil, &jsonrpc.Error{Code: codeInternal, Message: "Something failed on our side. Try again."}
			}
		}()
		return next(ctx, method, req)
	}
}
