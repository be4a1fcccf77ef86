package trace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"unicode/utf8"

	"github.com/google/renameio/v2"

	"github.com/kubeapitrace/apitrace/internal/bounded"
	"github.com/kubeapitrace/apitrace/internal/message"
)

// Save writes the recording to a file as OTLP JSON (see WriteOTLP). Only the
// file's owner can read it. The file is never incomplete: Save replaces an older
// file with that name only when the new file is complete. It never replaces a file
// that another process is writing; see [errBeingWritten].
func Save(ctx context.Context, path string, rec *Recording) (err error) {
	lock, err := lockFile(path)
	if err != nil {
		return message.Errorf("saving a recording: %w", err)
	}
	defer lock.Close()
	file, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithStaticPermissions(0o600))
	if err != nil {
		return message.Errorf("saving recording %q: %w", path, err)
	}
	defer func() { err = errors.Join(err, file.Cleanup()) }() // does nothing after the file has replaced the older file
	if err := WriteOTLP(ctx, file, rec); err != nil {
		return message.Errorf("saving recording %q: %w", path, err)
	}
	if err := file.CloseAtomicallyReplace(); err != nil {
		return message.Errorf("saving recording %q: %w", path, err)
	}
	return nil
}

// maxFile is the maximum size of a recording's file, in bytes. Reading a file takes
// memory of up to six times its size.
const maxFile = 1 << 30

// Load reads a recording from a regular file that Save, an Appender or WriteJSON wrote.
// It detects the format by the content. If the error is a CutError, Load also returns
// the requests before the cut.
func Load(path string) (*Recording, error) { return loadBy(path, bounded.ReadFile) }

// LoadStream is Load, but path may also name a pipe. It is only for commands, see
// [bounded.ReadStream].
func LoadStream(path string) (*Recording, error) { return loadBy(path, bounded.ReadStream) }

func loadBy(path string, read func(name string, limit int64) ([]byte, error)) (*Recording, error) {
	data, err := read(path, maxFile)
	if err != nil {
		return nil, message.Errorf("loading a recording: %w", err)
	}
	rec, err := parse(data)
	if err != nil {
		return rec, message.Errorf("loading recording %q: %w", path, err)
	}
	return rec, nil
}

// Read reads a recording like Load. name names the source in errors.
func Read(r io.Reader, name string) (*Recording, error) {
	data, err := bounded.ReadAll(r, name, maxFile)
	if err != nil {
		return nil, message.Errorf("reading a recording from %s: %w", name, err)
	}
	rec, err := parse(data)
	if err != nil {
		return rec, message.Errorf("reading a recording from %s: %w", name, err)
	}
	return rec, nil
}

// parse returns a recording together with an error only if the error is a CutError.
func parse(data []byte) (*Recording, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, message.NewError("the file is empty: expected a recording")
	}
	if !utf8.Valid(data) {
		return nil, message.NewError("the file is not UTF-8 text: expected a recording, which is JSON")
	}
	if form := otherForm(data); form != "" {
		return nil, message.Errorf("this is the output of \"-o %s\", which is for other programs: expected a file of \"apitrace run --save\" or the output of \"-o json\"", form)
	}
	key, err := firstKey(data)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, explainSyntax(io.ErrUnexpectedEOF)
	case err != nil:
		return nil, message.NewError("this is not a recording: expected OTLP JSON of \"apitrace run --save\" or the output of \"apitrace run -o json\"")
	case key == "resourceSpans":
		return readOTLP(data)
	}
	return readJSON(data)
}

// otherForm returns the format of data if apitrace can print this format but not
// read it, else "". It looks only at the beginning of data.
func otherForm(data []byte) string {
	begins := func(text string) bool { return bytes.HasPrefix(data, []byte(text)) }
	switch {
	case begins(`{"displayTimeUnit"`):
		return "chrome"
	case begins("{\n\t\"Name\":"):
		return "stdout"
	case begins("scenario:"):
		return "yaml"
	case begins("sequenceDiagram"):
		return "mermaid"
	}
	return ""
}

// firstKey returns the first key of the JSON object in data.
func firstKey(data []byte) (string, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if open, err := decoder.Token(); err != nil {
		return "", err
	} else if open != json.Delim('{') {
		return "", message.NewError("no JSON object")
	}
	token, err := decoder.Token()
	if err != nil {
		return "", err
	}
	key, ok := token.(string)
	if !ok {
		return "", message.NewError("an empty JSON object")
	}
	return key, nil
}

var errTruncated = message.NewError("it ends in the middle of an object: the file is truncated; save the recording again")

// explainSyntax explains an error of broken JSON.
func explainSyntax(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errTruncated
	}
	return message.Errorf("broken JSON: %w", err)
}
