package inspect

import (
	"context"
	"fmt"

	"veracity/engine/model"
	"veracity/engine/pixels"
)

// network is a model as a lane takes it, nil for none.
func network(m *model.Model) pixels.Network {
	if m == nil {
		return nil
	}
	return m
}

// turns has the networks of one check compute one at a time, so that a check with pictures and sound takes no more cores
// than it was admitted with. Decoding and all else go on side by side.
type turns chan struct{}

func newTurns() turns { return make(turns, 1) }

// of is a network that waits for its turn; nil stays nil.
func (t turns) of(m pixels.Network) pixels.Network {
	if m == nil {
		return nil
	}
	return inTurn{m, t}
}

type inTurn struct {
	pixels.Network
	turns turns
}

// Run implements pixels.Network.
func (n inTurn) Run(ctx context.Context, count int, input []float32) ([]model.Row, error) {
	select {
	case n.turns <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for a turn to compute: %w", ctx.Err())
	}
	defer func() { <-n.turns }()
	return n.Network.Run(ctx, count, input)
}
