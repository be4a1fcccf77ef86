package program

import (
	"debug/buildinfo"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// A NeedsGoError reports that a program must be compiled, but no usable toolchain exists.
type NeedsGoError struct {
	Program Program
	// Cache is the path of the cache, which has no usable build.
	Cache string
	// Edited is set for a build with edits.
	Edited bool
	// Err is the error of the toolchain, which says what to do.
	Err error
}

func (e *NeedsGoError) Error() string { return e.message().String() }

// Localize returns the error in the printer's language.
func (e *NeedsGoError) Localize(p message.Printer) string { return e.message().Localize(p) }

func (e *NeedsGoError) message() message.Message {
	if e.Edited {
		return message.Of("%s must be compiled, because the cache %s has no complete build of it with your edits: %v", e.Program, e.Cache, e.Err)
	}
	return message.Of("%s must be compiled, because the cache %s has no complete build of it: %v", e.Program, e.Cache, e.Err)
}

// Unwrap returns the error of the toolchain.
func (e *NeedsGoError) Unwrap() error { return e.Err }

func (b *build) needsGo() error {
	return &NeedsGoError{Program: b.program, Cache: b.cache.Root, Edited: b.isEdited(), Err: b.noGo}
}

// useCachedToolchain sets the toolchain and the key of a cached build, because no
// usable toolchain is installed. It takes the most recently used build that has the key
// of a new build with the same toolchain. Otherwise the key stays "".
func (b *build) useCachedToolchain() error {
	dirs, err := filepath.Glob(b.cache.entryDir(KindBuild, b.program, "????????????"))
	if err != nil {
		return err
	}
	var made []manifest
	of := map[string]string{}
	for _, dir := range dirs {
		if m, err := readManifest(dir); err == nil && m.Rewrite == b.rewriteKey() {
			made, of[m.Key] = append(made, m), dir
		}
	}
	slices.SortFunc(made, func(a, b manifest) int { return b.lastUsed.Compare(a.lastUsed) })
	for _, m := range made {
		info, err := buildinfo.ReadFile(filepath.Join(of[m.Key], b.program.Name))
		if err != nil {
			continue // damaged
		}
		b.toolchain = Toolchain{Version: info.GoVersion, OS: runtime.GOOS, Arch: runtime.GOARCH}
		if key := b.buildKey(); key == m.Key {
			b.setKey(key)
			return nil
		}
	}
	b.toolchain = Toolchain{}
	return nil
}
