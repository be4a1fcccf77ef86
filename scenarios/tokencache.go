package scenarios

import (
	"context"
	"time"
)

const (
	// tokenLife is how long kube-apiserver's token cache keeps an entry. A hit
	// does not prolong it.
	tokenLife = 10 * time.Second
	// tokenMargin is how near to its end an entry is not relied on: warm-up and
	// traced request together take a few milliseconds.
	tokenMargin = 500 * time.Millisecond
)

// A tokenCache follows the server's cache entry for the learner's token, so that
// it does not expire between the warm-up and the traced request: then the trace
// would show the token being looked up, in one run of some thousands.
type tokenCache struct {
	// born is when the entry was made, as far as we know. It outlives the run:
	// see lock.
	born time.Time
}

// used notes a request of the learner that was sent at a time.
func (c *tokenCache) used(at time.Time) {
	if at.After(c.born.Add(tokenLife)) {
		c.born = at
	}
}

// keepClearOfExpiry waits while the entry is about to expire.
func (c *tokenCache) keepClearOfExpiry(ctx context.Context) error {
	end := c.born.Add(tokenLife)
	if now := time.Now(); now.Before(end.Add(-tokenMargin)) || now.After(end.Add(tokenMargin)) {
		return nil
	}
	return sleep(ctx, time.Until(end.Add(tokenMargin)))
}

// sleep waits for a time or until ctx ends, and then returns its error.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
