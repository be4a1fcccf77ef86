package checkout

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/message"
)

// Changes compares the Go files of two checkouts of one repository, without tests. It
// returns the functions that differ, and the files where another declaration differs:
// a type, a variable or an import.
func Changes(ctx context.Context, a, b Checkout) (functions []source.Change, others []string, err error) {
	files, err := changed(ctx, a, b)
	if err != nil {
		return nil, nil, err
	}
	before, err := a.read(ctx, files)
	if err != nil {
		return nil, nil, err
	}
	after, err := b.read(ctx, files)
	if err != nil {
		return nil, nil, err
	}
	for _, file := range files {
		found, rest, err := source.ChangesIn(importPath(file), before[file], after[file])
		if err != nil {
			return nil, nil, message.Errorf("%q cannot be read as Go: %w", file, err)
		}
		for i := range found {
			found[i].File = file
		}
		functions = append(functions, found...)
		if rest {
			others = append(others, file)
		}
	}
	return functions, others, nil
}

// read returns the contents of files, by their paths from the top, if the
// checkout has them.
func (c Checkout) read(ctx context.Context, files []string) (map[string][]byte, error) {
	if c.Ref != "" {
		return c.readCommit(ctx, files)
	}
	contents := map[string][]byte{}
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(c.Dir, filepath.FromSlash(file)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		contents[file] = data
	}
	return contents, nil
}

// readCommit reads all files with one git process: git-cat-file(1), "batch output".
func (c Checkout) readCommit(ctx context.Context, files []string) (map[string][]byte, error) {
	var asked strings.Builder
	for _, file := range files {
		if strings.Contains(file, "\n") {
			return nil, message.Errorf("%q: a file name with a line break cannot be read", file)
		}
		fmt.Fprintf(&asked, "%s:%s\n", c.Ref, file)
	}
	out, err := gitWith(ctx, c.Dir, strings.NewReader(asked.String()), "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	contents := map[string][]byte{}
	in := bufio.NewReader(bytes.NewReader(out))
	for _, file := range files {
		head, err := in.ReadString('\n')
		if err != nil {
			return nil, message.Errorf("git cat-file in %q: %w", c.Dir, err)
		}
		if strings.HasSuffix(head, " missing\n") {
			continue
		}
		var object, kind string
		var size int
		if _, err := fmt.Sscan(head, &object, &kind, &size); err != nil {
			return nil, message.Errorf("git cat-file in %q: %w", c.Dir, err)
		}
		data := make([]byte, size+1) // with the line break after the content
		if _, err := io.ReadFull(in, data); err != nil {
			return nil, message.Errorf("git cat-file in %q: %w", c.Dir, err)
		}
		contents[file] = data[:size]
	}
	return contents, nil
}
