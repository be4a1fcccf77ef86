package session

import (
	"github.com/kubeapitrace/apitrace/internal/message"
)

// Sampling selects requests to trace, and whether to send their spans.
type Sampling struct {
	// OTLP turns sampling on: spans are sent by OTLP.
	OTLP bool
	// Rate is the fraction of requests to trace, above 0 and at most 1.
	Rate float64
}

// Validate checks the options.
func (o *Sampling) Validate() error {
	if o.Rate <= 0 || o.Rate > 1 {
		return message.UsageErrorf("--sample %v: expected a number greater than 0 and at most 1, such as 0.01", o.Rate)
	}
	if o.Rate != 1 && !o.OTLP {
		return message.UsageErrorf("--sample chooses the requests that --otlp sends: give both")
	}
	return nil
}

// part describes which requests are traced.
func (o *Sampling) part() message.Message {
	if o.Rate == 1 {
		return message.Of("each request")
	}
	return message.Of("%v of the requests", o.Rate)
}
