package output

import (
	"slices"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/controlplane"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace/gates"
	"github.com/kubeapitrace/apitrace/trace/lineage"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// FindGate returns the feature gate with a name, or nil. It ignores the case of the name
// unless a function or type has this name.
func FindGate(name string) (*gates.Gate, error) {
	if g, err := gates.Find(name); err != nil || g != nil {
		return g, err
	}
	g, err := gates.FindAnyCase(name)
	if err != nil || g == nil {
		return nil, err
	}
	if taken, err := HasNamesake(name); err != nil || taken {
		return nil, err
	}
	return g, nil
}

// NoticeNamesake tells the user that a function or type has the name of a feature gate.
// command is the apitrace command that shows the function or type.
func NoticeNamesake(std *console.Streams, command, name string) error {
	found, err := namesakes(name)
	if err != nil {
		return err
	}
	if len(found) > 0 {
		short := funcname.Short(found[len(found)-1])
		std.Notice("%s is a feature gate; %s has this name, too: \"apitrace %s %s\"", name, short, command, lineage.Quoted(short))
	}
	return nil
}

// HasNamesake reports whether a function or type has the name of a feature gate.
func HasNamesake(name string) (bool, error) {
	found, err := namesakes(name)
	return len(found) > 0, err
}

func namesakes(name string) ([]string, error) {
	names, err := lineage.Load()
	if err != nil {
		return nil, err
	}
	return slices.Concat(names.Find(lineage.Function, name), names.Find(lineage.Type, name)), nil
}

// ExplainGate writes a feature gate's page. version is a release, or "" for the newest
// one that has the gate. For functions that no recording calls, it takes line numbers from
// the sources on this machine, and downloads nothing.
func ExplainGate(std *console.Streams, g *gates.Gate, version string) error {
	release := ""
	if version != "" {
		version, err := apiserver.ParseReadable(version)
		if err != nil {
			return message.ToUsageError(err)
		}
		if release, err = recordings.Resolve(semver.MajorMinor(version)); err != nil {
			return err
		}
	}
	page, err := gates.NewPage(g, release, controlplane.Declared)
	if err != nil {
		return err
	}
	return page.Write(std.Out, std.Printer)
}
