package scenarios

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/kubeapitrace/apitrace/internal/bounded"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/strictyaml"
)

// ReadFile reads a user's scenario. Its errors name the file and the line.
func ReadFile(name string) (*Scenario, error) {
	if isFolder(name) {
		return nil, folderError(name)
	}
	text, err := bounded.ReadFile(name, bounded.MaxText)
	if err != nil {
		return nil, message.Errorf("reading the scenario: %w", err)
	}
	return parse(name, text, func(body string) ([]byte, error) {
		if !filepath.IsAbs(body) {
			body = filepath.Join(filepath.Dir(name), body)
		}
		return bounded.ReadFile(body, bounded.MaxText)
	})
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func folderError(name string) error {
	return message.Errorf("%q is a folder: expected one scenario file, such as %q, or a name that \"apitrace scenarios\" lists", name, filepath.Join(name, "mine.yaml"))
}

func readFS(files fs.FS, name string) (*Scenario, error) {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, message.Errorf("reading the scenario: %w", err)
	}
	return parse(name, text, func(body string) ([]byte, error) {
		return fs.ReadFile(files, path.Join(path.Dir(name), body))
	})
}

// parse reads a scenario from the text of the file name. An unknown field is an error.
// open reads the files of bodyFile fields. Every error starts with name and a line:
// "mine.yaml:7: ...".
func parse(name string, text []byte, open func(file string) ([]byte, error)) (*Scenario, error) {
	s := &Scenario{Source: string(text)}
	text, s.OwnNamespace = fillNamespace(text, nameIn(text))
	switch err := strictyaml.Decode(name, text, s); {
	case errors.Is(err, strictyaml.ErrEmpty):
		return nil, message.Errorf("%w, expected a scenario: start with \"name: my-scenario\"", err)
	case errors.Is(err, strictyaml.ErrMore):
		return nil, message.Errorf("%w: a file holds one scenario; objects are listed under setup.objects", err)
	case err != nil:
		return nil, err
	}
	if err := s.validate().In(name, text); err != nil {
		return nil, err
	}
	s.Setup.AggregatedServer = s.Setup.AggregatedServer.RelativeTo(filepath.Dir(name))
	s.setPlaces(name, text)
	if err := s.readBodies(open); err != nil {
		return nil, err
	}
	return s, nil
}

// setPlaces records the lines of objects and requests in the file, for errors when they
// are sent.
func (s *Scenario) setPlaces(name string, text []byte) {
	line := strictyaml.Lines(text)
	at := func(path ...any) string { return fmt.Sprintf("%s:%d", name, line(path...)) }
	for i := range s.Setup.Objects {
		s.Setup.Objects[i].at = at("setup", "objects", i)
	}
	for i := range s.Requests {
		s.Requests[i].at = at("requests", i)
	}
}

// readBodies sets Body in the requests with a BodyFile or a BodyText.
func (s *Scenario) readBodies(open func(string) ([]byte, error)) error {
	for i := range s.Requests {
		for _, h := range s.Requests[i].all() {
			if err := s.readBody(h, open); err != nil {
				return message.Errorf("%s: %w", s.Requests[i].at, err)
			}
		}
	}
	return nil
}

func (s *Scenario) readBody(h *HTTP, open func(string) ([]byte, error)) error {
	if h.BodyText != "" {
		h.Body = textDocument(h.BodyText)
	}
	if h.BodyFile == "" {
		return nil
	}
	text, err := open(h.BodyFile)
	if err != nil {
		return message.Errorf("reading bodyFile: %w", err)
	}
	text, uses := fillNamespace(text, s.Name)
	s.OwnNamespace = s.OwnNamespace || uses
	h.Body, err = parseDocument(text)
	if several := severalError(0); errors.As(err, &several) {
		return message.Errorf("bodyFile %q has %d YAML documents, and a request sends one: put each of them into a file, and list a request for each", h.BodyFile, int(several))
	}
	if err != nil {
		return message.Errorf("bodyFile %q: %w", h.BodyFile, err)
	}
	return nil
}
