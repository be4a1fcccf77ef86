// Package room prepares a room for the workshop: it collects everything that machines
// without a network need, and checks which exercises a machine can do.
//
// Packages session/machine and apiserver build and export the servers.
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

	"github.com/kubeapitrace/apitrace/internal/bounded"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/machine"
)

// A Preparation makes a folder for machines without a network: with apitrace itself,
// the traced servers, and the lessons and recordings as a site. For exercises that
// change a server, it adds the source and the compiled packages.
type Preparation struct {
	// Folder is the folder to write. It must be new, empty or an earlier preparation.
	Folder string
	// K8s is the release of the servers and of the site, in a form that
	// session.RecordedRelease accepts.
	K8s string
	// Site returns the site of a release. Its Write writes to folder.
	Site func(folder, release string) Site
	// Plain adds upstream's servers without tracing, which no exercise needs.
	Plain bool
	// Checkout is a folder with apitrace's source, to build apitrace for other
	// platforms. With "", the preparation has apitrace for this platform only.
	Checkout string
	// DryRun prints sizes and times and does nothing else.
	DryRun bool
	// CheckOnly checks this machine for the exercises of Course instead. Folder may then
	// be "". Course is a course's folder; "" is apitrace's own course.
	CheckOnly bool
	Course    string
}

// A Site is the lessons and recordings as static files.
type Site interface {
	// Size returns the size of the site, in bytes.
	Size() (int64, error)
	Write(ctx context.Context, notice func(format string, args ...any)) error
}

// The names of files and folders in a preparation.
const (
	markFile   = "apitrace-room.json"
	programs   = "bin"
	siteFolder = "site"
)

// serversFile returns the name of the servers' export for this platform.
func serversFile() string { return "servers-" + runtime.GOOS + "-" + runtime.GOARCH + ".apitrace" }

// A mark is the content of markFile, which marks a preparation.
type mark struct {
	K8sVersion string `json:"k8sVersion"`
	// Go is the version of Go that built the servers. Builds with edits need the same.
	Go string `json:"go"`
}

// readMark returns a folder's mark. If there is none, the error wraps fs.ErrNotExist.
func readMark(folder string) (m mark, err error) {
	text, err := bounded.ReadFile(filepath.Join(folder, markFile), bounded.MaxText)
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	return m, err
}

// Run writes the plan to w: the folder's content, its size, and the time. Then it
// makes the folder.
func (o *Preparation) Run(ctx context.Context, w io.Writer, p message.Printer, to session.Reporter) error {
	if o.CheckOnly {
		return (&check{Folder: o.Folder, K8s: o.K8s, Course: o.Course}).run(ctx, w, p)
	}
	if o.Folder == "" {
		return message.UsageErrorf("no folder: expected the folder to create, or --check")
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
	servers := machine.BuildExport{K8s: o.K8s, Plain: o.Plain, Sample: true, Rebuild: true, File: filepath.Join(o.Folder, serversFile())}
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
	to.Notice("%s is ready and takes %s: copy it to a USB stick. Its README.md says what to do on each machine. \"apitrace workshop prepare --check %[1]s\" lists what a machine still lacks", o.Folder, program.FormatBytes(size))
	return nil
}

// site returns the site for the servers' release only. Writing the site of all releases
// takes ten times as long.
func (o *Preparation) site() Site { return o.Site(filepath.Join(o.Folder, siteFolder), o.K8s) }

// mayWrite returns an error if the folder has files and is not a preparation.
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

// sizeOf returns the size of all files below a folder, in bytes.
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
