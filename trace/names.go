package trace

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
)

// WriteNames writes only the names of the calls, so that two runs can be compared
// line by line. Each request begins with
//
//	# METHOD PATH -> STATUS
//
// and continues with one line per call, in order of entry: two blanks per level
// of depth and the full name of the function.
func WriteNames(w io.Writer, rec *Recording) error {
	out := bufio.NewWriter(w)
	for i := range rec.Requests {
		r := &rec.Requests[i]
		tree, err := NewTree(r)
		if err != nil {
			return message.Errorf("names of %s %s: %w", r.Method, r.Path, err)
		}
		fmt.Fprintf(out, "# %s %s -> %d\n", r.Method, r.Path, r.Status)
		for c := range tree.Len() {
			out.WriteString(strings.Repeat("  ", tree.Depth(c)))
			out.WriteString(tree.Call(c).Function)
			out.WriteByte('\n')
		}
	}
	return out.Flush()
}

// ShortName returns the function's name in the form of [funcname.Short]: "etcd3.(*store).Get".
func (c *Call) ShortName() string { return funcname.Short(c.Function) }
