// Package room prepares a room for the workshop: it collects what machines without a network need, and checks what a machine has.
package room

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/google/renameio/v2"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/machine"
)

// A Preparation makes a folder for machines without a network: apitrace itself, the traced servers, the source and the
// compiled packages for exercises that change a server, and the lessons and recordings as a site.
type Preparation struct {
	// Folder is written. It must not exist, be empty, or be an earlier preparation.
	Folder string
	// K8s is the release of the servers and of the site, as session.RecordedRelease takes it.
	K8s string
	// Site returns the site of one release, which is written into a folder of its own.
	Site func(folder, release string) Site
	// Plain adds upstream's servers without tracing, which no exercise needs.
	Plain bool
	// Checkout is a folder with the source of apitrace, for the programs of other platforms; "" adds this platform's alone.
	Checkout string
	// DryRun reports sizes and times, and does nothing.
	DryRun bool
	// CheckOnly checks this machine instead, for the exercises of Course; Folder may then be "". Course is the folder of a course, ""
	// the one that comes with apitrace.
	CheckOnly bool
	Course    string
}

// A Site is the lessons and recordings as static files.
type Site interface {
	// Size returns what the site takes, in bytes.
	Size() (int64, error)
	Write(ctx context.Context, notice func(format string, args ...any)) error
}

// The names of what a preparation holds.
const (
	markFile   = "apitrace-room.json"
	programs   = "bin"
	siteFolder = "site"
)

// serversFile is the export of the servers, for this platform.
func serversFile() string { return "servers-" + runtime.GOOS + "-" + runtime.GOARCH + ".apitrace" }

// A mark is the file that makes a folder a preparation.
type mark struct {
	K8sVersion string `json:"k8sVersion"`
	// Go is the version of Go that built the servers: machines need the same to build them with edits.
	Go string `json:"go"`
}

// readMark returns the mark of a folder; the error wraps fs.ErrNotExist if the folder has none.
func readMark(folder string) (m mark, err error) {
	text, err := os.ReadFile(filepath.Join(folder, markFile))
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	return m, err
}

// Run says on w what the folder will hold, its size and how long the work takes, and then makes it.
func (o *Preparation) Run(ctx context.Context, w io.Writer, p message.Printer, to session.Reporter) error {
	if o.CheckOnly {
		return (&check{Folder: o.Folder, K8s: o.K8s, Course: o.Course}).run(ctx, w, p)
	}
	if o.Folder == "" {
		return message.UsageErrorf("no folder: expected the folder to make, or --check")
	}
	if err := o.mayWrite(); err != nil {
		return err
	}
	plan, err := o.plan(ctx)
	if err != nil {
		return err
	}
	if err := plan.write(w, p); err != nil || o.DryRun {
		return err
	}
	if err := o.checkSpace(plan); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(o.Folder, programs), 0o755); err != nil {
		return message.Errorf("making the folder: %w", err)
	}
	if err := o.writeMark(ctx); err != nil {
		return err
	}
	if err := o.addPrograms(ctx, to); err != nil {
		return err
	}
	if err := o.site().Write(ctx, to.Notice); err != nil {
		return err
	}
	servers := machine.Carry{K8s: o.K8s, Plain: o.Plain, Sample: true, Rebuild: true, File: filepath.Join(o.Folder, serversFile())}
	if err := servers.Export(ctx, to); err != nil {
		return err
	}
	if err := o.writeInstructions(); err != nil {
		return err
	}
	size, err := sizeOf(o.Folder)
	if err != nil {
		return err
	}
	to.Notice("%s is ready and takes %s: copy it to a stick. README.md in it says what to do on each machine, and \"apitrace workshop prepare --check %[1]s\" what a machine still lacks", o.Folder, program.FormatBytes(size))
	return nil
}

// site has the release of the servers alone: all releases take ten times as long.
func (o *Preparation) site() Site { return o.Site(filepath.Join(o.Folder, siteFolder), o.K8s) }

// mayWrite refuses a folder with files of something else.
func (o *Preparation) mayWrite() error {
	entries, err := os.ReadDir(o.Folder)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return message.Errorf("reading the folder: %w", err)
	}
	if _, err := readMark(o.Folder); err != nil {
		return message.Errorf("%s holds other files: choose an empty folder or a new one", o.Folder)
	}
	return nil
}

func (o *Preparation) writeMark(ctx context.Context) error {
	toolchain, err := program.FindToolchain(ctx)
	if err != nil {
		return err
	}
	text, err := json.Marshal(mark{K8sVersion: o.K8s, Go: toolchain.Version})
	if err != nil {
		return err
	}
	return write(filepath.Join(o.Folder, markFile), append(text, '\n'))
}

func write(file string, text []byte) error {
	if err := renameio.WriteFile(file, text, 0o644, renameio.WithStaticPermissions(0o644)); err != nil {
		return message.Errorf("writing %s: %w", file, err)
	}
	return nil
}

// sizeOf adds up the files below a folder.
func sizeOf(folder string) (size int64, err error) {
	err = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}
