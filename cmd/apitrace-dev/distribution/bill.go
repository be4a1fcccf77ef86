package distribution

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/licenseclassifier/v2/assets"
)

// writeBill writes the software bill of materials in CycloneDX's format: the
// program's modules, their licences, and their dependencies.
func (p *program) writeBill(path string, modules []*module) (err error) {
	sum, err := sumOf(p.path)
	if err != nil {
		return err
	}
	bill := cdx.NewBOM()
	bill.Metadata = &cdx.Metadata{Timestamp: p.time.UTC().Format(time.RFC3339)}
	references := map[string]string{}
	for _, m := range modules {
		references[m.Path] = m.packageURL()
	}
	var components []cdx.Component
	var dependencies []cdx.Dependency
	for _, m := range modules {
		component, err := m.component()
		if err != nil {
			return err
		}
		if m.Path == modulePath {
			component.Type = cdx.ComponentTypeApplication
			component.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: sum}}
			bill.Metadata.Component = &component
		} else {
			components = append(components, component)
		}
		dependency := cdx.Dependency{Ref: m.packageURL()}
		var uses []string
		for _, imported := range m.imports {
			uses = append(uses, references[imported])
		}
		if uses != nil {
			dependency.Dependencies = &uses
		}
		dependencies = append(dependencies, dependency)
	}
	bill.Components, bill.Dependencies = &components, &dependencies
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	return cdx.NewBOMEncoder(out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bill, cdx.SpecVersion1_6)
}

// packageURL returns the package URL (purl) of the module.
func (m *module) packageURL() string {
	return "pkg:" + cmp.Or(m.registry, "golang") + "/" + m.Path + "@" + m.Version
}

func (m *module) component() (cdx.Component, error) {
	url := m.packageURL()
	c := cdx.Component{BOMRef: url, Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: url}
	if sum, ok := strings.CutPrefix(m.Sum, "h1:"); ok {
		digest, err := base64.StdEncoding.DecodeString(sum)
		if err != nil {
			return c, err
		}
		c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(digest)}}
	}
	names, err := m.licenceNames()
	if err != nil {
		return c, err
	}
	c.Licenses = &cdx.Licenses{m.licence(names)}
	return c, nil
}

// licence describes the licences with these identifiers. All of them apply, each to a
// part of the module. Several become an expression with AND, because a list does not say
// whether one may choose. Without identifiers, it names the first licence file.
func (m *module) licence(names []string) cdx.LicenseChoice {
	switch len(names) {
	case 0:
		first := m.licences[slices.IndexFunc(m.licences, file.isLicence)]
		return cdx.LicenseChoice{License: &cdx.License{Name: "see " + first.name + " in the archive"}}
	case 1:
		return cdx.LicenseChoice{License: &cdx.License{ID: names[0]}}
	}
	return cdx.LicenseChoice{Expression: strings.Join(names, " AND ")}
}

var classifier = sync.OnceValues(assets.DefaultClassifier)

// licenceNames returns the SPDX identifiers of the licences in the module's licence files,
// sorted. Licences that the classifier does not recognize are left out.
func (m *module) licenceNames() ([]string, error) {
	c, err := classifier()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range m.licences {
		if !f.isLicence() {
			continue
		}
		text, err := os.ReadFile(f.path)
		if err != nil {
			return nil, err
		}
		for _, match := range c.Match(text).Matches {
			if match.MatchType == "License" && !slices.Contains(names, match.Name) {
				names = append(names, match.Name)
			}
		}
	}
	slices.SortFunc(names, cmp.Compare)
	return names, nil
}
