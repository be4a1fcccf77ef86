package scenarios

import (
	"context"
	"time"
)

const (
	// tokenLife is the lifetime of an entry in kube-apiserver's token cache. A hit does
	// not extend it.
	tokenLife = 10 * time.Second
	// tokenMargin is the time before and after an entry's end in which the entry may be
	// valid or not. A warm-up and its traced request take a few milliseconds.
	tokenMargin = 500 * time.Millisecond
)

// A tokenCache follows the server's cache entries for the learner's tokens. The entry in
// use must not expire between the warm-up and the traced request. Otherwise one run of
// some thousands would show the token's lookup.
type tokenCache struct {
	// born has the time when each token's entry was made, or the zero time if it is not
	// known. The times outlive the run; see lock.
	born []time.Time
	// current is the index of the token in use.
	current int
}

// of returns the cache for n tokens, which may have been used before.
func (c *tokenCache) of(n int) *tokenCache {
	born := make([]time.Time, n)
	copy(born, c.born)
	return &tokenCache{born: born}
}

// used records that a request with the current token was sent at a time.
func (c *tokenCache) used(at time.Time) {
	if born := &c.born[c.current]; at.After(born.Add(tokenLife)) {
		*born = at
	}
}

// keepClearOfExpiry switches to another token if the current one's entry is about to
// expire. It waits only if the entries of all tokens are about to expire.
func (c *tokenCache) keepClearOfExpiry(ctx context.Context) error {
	for range c.born {
		if c.untilClear() <= 0 {
			return nil
		}
		c.current = (c.current + 1) % len(c.born)
	}
	return sleep(ctx, c.untilClear())
}

// untilClear returns 0 if the current token's entry is not about to expire, else the time
// until it has expired.
func (c *tokenCache) untilClear() time.Duration {
	end := c.born[c.current].Add(tokenLife)
	if time.Now().Before(end.Add(-tokenMargin)) {
		return 0
	}
	return max(0, time.Until(end.Add(tokenMargin)))
}

// sleep waits for a time. If ctx ends first, it returns ctx's error.
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
