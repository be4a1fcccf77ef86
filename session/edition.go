package session

import (
	"crypto/sha256"
	"encoding/hex"

	"go.yaml.in/yaml/v3"

	"github.com/kubeapitrace/apitrace/instrument"
)

// edition names what this apitrace traces: which packages of which programs, and how calls are
// linked. It is another one when the guide lists other packages, and not for better notes or more values.
func edition() (string, error) {
	guide, err := instrument.Load()
	if err != nil {
		return "", err
	}
	programs, err := yaml.Marshal(guide.Programs)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(programs)
	return hex.EncodeToString(sum[:6]), nil
}
