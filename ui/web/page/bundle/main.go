// Command bundle builds the page, and the page for the leader of a
// workshop. Each page has one script, made from the TypeScript in src
// and Preact, and one style sheet.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/kubeapitrace/apitrace/internal/message"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: bundle FOLDER, in the folder of the package page")
		os.Exit(2)
	}
	if err := bundle(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

// bundle writes the files of both pages into a folder.
func bundle(out string) error {
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{"src/page.tsx", "src/page.css", "src/group.tsx", "src/group.css"}, Outdir: out, AbsWorkingDir: here,
		Bundle: true, Write: true, Format: api.FormatIIFE, Target: api.ES2022,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, Charset: api.CharsetUTF8,
		JSXFactory: "h", JSXFragment: "Fragment",
		Alias: map[string]string{"preact": "./preact/preact.mjs", "preact/hooks": "./preact/hooks.mjs"},
		// The license of Preact must accompany its bundled code.
		Banner: map[string]string{"js": "/*! With Preact 11.2.0, MIT License, Copyright (c) 2015-present Jason Miller */"},
	})
	for _, m := range result.Errors {
		at := ""
		if m.Location != nil {
			at = fmt.Sprintf("%s:%d: ", m.Location.File, m.Location.Line)
		}
		err = message.Errorf("%s%s", at, m.Text)
	}
	if err != nil {
		return err
	}
	for _, name := range []string{"index.html", "group.html"} {
		html, err := os.ReadFile(filepath.Join("src", name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, name), html, 0o644); err != nil {
			return err
		}
	}
	return nil
}
