package apiserver

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// An Extra is what a kube-apiserver is started with beyond what every one is.
type Extra struct {
	// Flags are added to those that every server has: "--audit-policy-file=${dir}/policy.yaml".
	// "${dir}" stands for the folder with Files.
	Flags []string
	// Files are written for this server by their names, readable for this user alone. "${key}" in
	// them stands for 32 random bytes in base64, made anew for each server and kept nowhere else.
	Files map[string]string
}

// IsZero tells whether the server is like every other.
func (e Extra) IsZero() bool { return len(e.Flags)+len(e.Files) == 0 }

// ExtraDir and ExtraKey are what Extra's texts have for the folder and the key.
const (
	ExtraDir = "${dir}"
	ExtraKey = "${key}"
)

// lists are flags of every server that may be given again: kube-apiserver adds to them.
var lists = []string{"--authorization-mode", "--disable-admission-plugins"}

// prepare writes the files into dir and returns the flags. own are those of every server.
func (e Extra) prepare(dir string, own []string) ([]string, error) {
	if err := e.writeFiles(dir); err != nil {
		return nil, err
	}
	var flags []string
	for _, flag := range e.Flags {
		name, _, _ := strings.Cut(flag, "=")
		isSame := func(own string) bool { return strings.HasPrefix(own, name+"=") }
		if slices.ContainsFunc(own, isSame) && !slices.Contains(lists, name) {
			return nil, fmt.Errorf("the flag %q is one that apitrace sets itself: kube-apiserver is to run on loopback, with an etcd and users of its own; leave it out", flag)
		}
		flags = append(flags, strings.ReplaceAll(flag, ExtraDir, dir))
	}
	return flags, nil
}

func (e Extra) writeFiles(dir string) error {
	if len(e.Files) == 0 {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("writing files for kube-apiserver: %w", err)
	}
	key := make([]byte, 32)
	rand.Read(key) // never fails: crypto/rand ends the program instead
	for name, text := range e.Files {
		if name != filepath.Base(name) {
			return fmt.Errorf("writing files for kube-apiserver: %q is no plain file name", name)
		}
		text = strings.ReplaceAll(text, ExtraKey, base64.StdEncoding.EncodeToString(key))
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return fmt.Errorf("writing files for kube-apiserver: %w", err)
		}
	}
	return nil
}
