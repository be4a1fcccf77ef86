package trace

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// WriteNames writes the names of the calls and nothing else, so that two runs
// can be compared line by line. Each request begins with
//
//	# METHOD PATH -> STATUS
//
// and goes on with one line per call, in order of entry: two blanks per level
// of depth and the full name of the function.
func WriteNames(w io.Writer, rec *Recording) error {
	out := bufio.NewWriter(w)
	for i := range rec.Requests {
		r := &rec.Requests[i]
		tree, err := NewTree(r)
		if err != nil {
			return fmt.Errorf("names of %s %s: %w", r.Method, r.Path, err)
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

// ShortName returns the function's name with the last element of its import
// path, as code that calls it would write it: "etcd3.(*store).Get". Where that
// element is a version it says too little alone and keeps the one before it:
// "apps/v1.SetObjectDefaults_Deployment", "go-restful/v3.(*Container).dispatch".
func (c *Call) ShortName() string {
	path := c.Function
	if bracket := strings.IndexByte(path, '['); bracket >= 0 {
		path = path[:bracket] // type arguments hold import paths of their own
	}
	slash := strings.LastIndexByte(path, '/')
	if slash > 0 && version.MatchString(path[slash+1:]) {
		slash = strings.LastIndexByte(path[:slash], '/')
	}
	return c.Function[slash+1:]
}

var version = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?\.`)
