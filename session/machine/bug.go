package machine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/redact"
)

// Version returns the module's version in apitrace's build information. It names the
// commit unless the build is a release.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown)"
}

// WriteVersion writes the versions of apitrace, of Go, and of the Kubernetes that is
// traced by default.
func WriteVersion(w io.Writer, p message.Printer) error {
	_, err := fmt.Fprint(w, p.Sprintf("apitrace %s\nbuilt with %s for %s/%s\ntraces Kubernetes %s by default\n",
		Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, apiserver.DefaultVersion))
	return err
}

// settings are the environment variables that affect apitrace. A final underscore
// stands for all variables with this prefix.
var settings = []string{
	"APITRACE_", "CGO_ENABLED", "COLORTERM", "COLUMNS", "EDITOR", "FORCE_COLOR", "GOENV", "GOFLAGS", "GOMODCACHE", "GONOPROXY",
	"GONOSUMDB", "GOPRIVATE", "GOPROXY", "GOROOT", "GOSUMDB", "GOTOOLCHAIN", "GOWORK", "KUBECONFIG", "LANG", "LC_", "NO_COLOR",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
	"OTEL_", "PAGER", "TERM", "TMPDIR", "VISUAL", "XDG_",
}

// WriteBug writes a bug report to w: versions, the settings, the findings of examine
// for a release, the cached builds, the last error, and the last build log. It
// replaces secrets, the home folder, and the names of the user and the machine. In
// place of an unreadable part, the report has the reason.
func WriteBug(ctx context.Context, k8sVersion string, w io.Writer, p message.Printer) error {
	if _, err := apiserver.ParseVersion(k8sVersion); err != nil {
		return err
	}
	var out bytes.Buffer
	part := func(title string, write func(io.Writer, message.Printer) error) {
		fmt.Fprintf(&out, "## %s\n\n", title)
		if err := write(&out, p); err != nil {
			fmt.Fprintln(&out, p.Sprintf("(not available: %s)", err))
		}
		out.WriteByte('\n')
	}
	out.WriteString(p.Sprintf("# apitrace bug report\n\nWhat did you do, what happened, and what did you expect?\n\n\n"))
	part(p.Sprintf("Version"), WriteVersion)
	part(p.Sprintf("Settings"), writeSettings)
	part(p.Sprintf("Doctor"), func(w io.Writer, p message.Printer) error { return WriteFindings(ctx, k8sVersion, w, p) })
	part(p.Sprintf("Cache"), WriteCache)
	part(p.Sprintf("Last error"), writeLastError)
	part(p.Sprintf("Last build log"), writeLastBuildLog)
	_, err := io.WriteString(w, redact.Local().Text(out.String()))
	return errors.Join(err, ctx.Err())
}

// WriteBugFile writes WriteBug's report to a file for the user only.
func WriteBugFile(ctx context.Context, k8sVersion, file string, p message.Printer) error {
	var report bytes.Buffer
	if err := WriteBug(ctx, k8sVersion, &report, p); err != nil {
		return err
	}
	return renameio.WriteFile(file, report.Bytes(), 0o600)
}

func writeSettings(w io.Writer, _ message.Printer) error {
	matters := func(name string) bool {
		return slices.ContainsFunc(settings, func(s string) bool { return name == s || strings.HasSuffix(s, "_") && strings.HasPrefix(name, s) })
	}
	environment := os.Environ()
	slices.Sort(environment)
	for _, variable := range environment {
		if name, value, _ := strings.Cut(variable, "="); matters(name) {
			fmt.Fprintln(w, redact.Local().Setting(name, value))
		}
	}
	return nil
}

// writeLastBuildLog writes the end of the last build's log.
func writeLastBuildLog(w io.Writer, p message.Printer) error {
	_, entries, err := cacheEntries()
	if err != nil {
		return err
	}
	var last program.Entry
	var made time.Time
	for _, e := range entries {
		if info, err := os.Stat(e.Log()); e.Kind == program.KindBuild && err == nil && info.ModTime().After(made) {
			last, made = e, info.ModTime()
		}
	}
	if made.IsZero() {
		return message.NewError("nothing was built")
	}
	fmt.Fprintln(w, p.Sprintf("%s %s, %s, %s", last.Program, last.Version, made.Format(time.DateTime), state(last)))
	return writeTail(w, last.Log())
}

// tailBytes is the maximum size of a log's end in a report.
const tailBytes = 16 << 10

func writeTail(w io.Writer, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if skipped := len(data) - tailBytes; skipped > 0 {
		_, data, _ = bytes.Cut(data[skipped:], []byte("\n"))
		fmt.Fprintln(w, "…")
	}
	_, err = w.Write(append(bytes.TrimRight(data, "\n"), '\n'))
	return err
}

// lastErrorFile returns the path of KeepError's file.
func lastErrorFile() (string, error) {
	dir, err := program.StateDir()
	return filepath.Join(dir, "last-error.txt"), err
}

// KeepError stores a failed command's error for a bug report, in the language that
// the user has seen, and without secrets. command is the command's name, without
// arguments. If storing fails, the error is lost.
func KeepError(command string, failed error, p message.Printer) {
	file, err := lastErrorFile()
	if err != nil || os.MkdirAll(filepath.Dir(file), 0o700) != nil {
		return
	}
	text := fmt.Sprintf("%s, %s %s:\n%s\n", time.Now().Format(time.DateTime), command, Version(), p.Error(failed))
	_ = os.WriteFile(file, []byte(redact.Local().Text(text)), 0o600)
}

func writeLastError(w io.Writer, _ message.Printer) error {
	file, err := lastErrorFile()
	if err != nil {
		return err
	}
	if err = writeTail(w, file); errors.Is(err, fs.ErrNotExist) {
		err = message.NewError("no command has failed")
	}
	return err
}
