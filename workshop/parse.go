package workshop

import (
	"errors"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/strictyaml"
)

// parse reads an exercise from the text of the file name. An unknown field is an error.
// Every error begins with name and a line: "03-first.yaml:7: ...".
func parse(name string, text []byte) (*Exercise, error) {
	e := &Exercise{File: name}
	if err := strictyaml.Decode(name, text, e); errors.Is(err, strictyaml.ErrEmpty) {
		return nil, message.Errorf("%w, expected an exercise: \"apitrace workshop new\" writes one to start from", err)
	} else if err != nil {
		return nil, err
	}
	if err := e.validate().In(name, text); err != nil {
		return nil, err
	}
	return e, nil
}
