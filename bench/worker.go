package main

import (
	"context"
	"path/filepath"
)

// startWorker starts `veracity worker` with all its defaults: it begins with jobs as soon as it is up. Its name stays
// that of its log when it is started again.
func (r *rig) startWorker(ctx context.Context, name string) (*server, error) {
	// A worker is stopped in good order, not with the measurement's context.
	return launch(r.program.command(context.WithoutCancel(ctx), "worker"), filepath.Join(r.dir, name+".log"))
}
