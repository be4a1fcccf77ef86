package machine

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A Release is a release of Kubernetes with its builds on this machine, and its
// recordings.
type Release struct {
	K8sVersion  string `json:"k8sVersion"`
	EtcdVersion string `json:"etcdVersion,omitempty"`
	Default     bool   `json:"default"`
	// Tried is set for releases that apitrace was tested with.
	Tried bool `json:"tried"`
	// Checkout is set for a local checkout's build, which is not a release.
	Checkout bool `json:"checkout,omitempty"`
	// Built is "yes", "no", or "old". "old" means a build that this apitrace would
	// not use.
	Built string `json:"built"`
	// Recorded describes the recordings; nil for none.
	Recorded *recordings.Info `json:"recorded,omitempty"`
	// SizeBytes is the size of sources and builds on disk.
	SizeBytes int64 `json:"sizeBytes"`
}

// Releases lists, oldest first, the releases that apitrace was tested with, and
// others that were built here. It does not use the network.
func Releases(ctx context.Context) ([]Release, error) {
	cache, err := program.OpenCache("")
	if err != nil {
		return nil, err
	}
	entries, err := cache.Entries(program.KindWorkspace, program.KindBuild)
	if err != nil {
		return nil, err
	}
	recorded, err := recordings.Versions()
	if err != nil {
		return nil, err
	}
	var all []Release
	for _, version := range versionsOf(entries) {
		r := Release{
			K8sVersion: version, Default: version == apiserver.DefaultVersion,
			Checkout: semver.Build(version) != "", Tried: slices.Contains(apiserver.Releases(), version),
		}
		for i := range recorded {
			if recorded[i].K8sVersion == version {
				r.Recorded, r.EtcdVersion = &recorded[i], recorded[i].EtcdVersion
			}
		}
		stock, err := apiserver.CacheStatusOf(ctx, version, cache, entries)
		if err != nil {
			return nil, err
		}
		r.add(stock)
		all = append(all, r)
	}
	return all, nil
}

func (r *Release) add(stock apiserver.CacheStatus) {
	if stock.EtcdVersion != "" {
		r.EtcdVersion = stock.EtcdVersion
	}
	r.SizeBytes = stock.Size
	switch {
	case stock.Built:
		r.Built = "yes"
	case stock.OtherBuild:
		r.Built = "old"
	default:
		r.Built = "no"
	}
}

// versionsOf lists, oldest first, the releases that apitrace was tested with and the
// versions in the cache, except builds of an incompatible apitrace.
func versionsOf(entries []program.Entry) []string {
	all := apiserver.Releases()
	for _, e := range entries {
		if _, err := apiserver.ParseVersion(e.Version); e.Program == apiserver.Name && err == nil {
			all = append(all, e.Version)
		}
	}
	// semver.Compare finds builds of several checkouts of a release equal.
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(semver.Compare(a, b), strings.Compare(a, b)) })
	return slices.Compact(all)
}

// WriteRecorded writes a table of the recordings of each release that apitrace was
// tested with.
func WriteRecorded(w io.Writer, p message.Printer) error {
	all, err := recordings.Versions()
	if err != nil {
		return err
	}
	infos := map[string]*recordings.Info{}
	for i := range all {
		infos[all[i].K8sVersion] = &all[i]
	}
	table := text.NewTable(3)
	table.Row(p.Sprintf("VERSION"), "ETCD", p.Sprintf("RECORDED"), p.Sprintf("SCENARIOS"))
	var missing []string
	for _, version := range apiserver.Releases() {
		info := infos[version]
		date, count := recordedColumns(info, p)
		if info == nil {
			info = &recordings.Info{}
		}
		table.Row(version, orDash(info.EtcdVersion), date, count)
		for _, m := range info.Missing {
			missing = append(missing, p.Sprintf("%s  %s: %s", version, m.Scenario, scenarios.WhyMissing(m.Why(), m.Scenario, version)))
		}
	}
	if err := table.Write(w); err != nil || len(missing) == 0 {
		return err
	}
	_, err = fmt.Fprintf(w, "\n%s\n%s\n", p.Sprintf("not recorded:"), strings.Join(missing, "\n"))
	return err
}

// recordedColumns returns the recordings' date, and how many scenarios are recorded.
func recordedColumns(info *recordings.Info, p message.Printer) (date, count string) {
	if info == nil {
		return "-", "-"
	}
	return info.Recorded.Format(time.DateOnly), p.Sprintf("%d of %d", len(info.Scenarios), len(info.Scenarios)+len(info.Missing))
}

// WriteReleases writes releases as a table.
func WriteReleases(w io.Writer, all []Release, p message.Printer) error {
	table := text.NewTable(3)
	built := map[string]string{"yes": p.Sprintf("yes"), "no": p.Sprintf("no"), "old": p.Sprintf("old")}
	table.Row(p.Sprintf("VERSION"), "ETCD", p.Sprintf("BUILT"), p.Sprintf("RECORDED"), p.Sprintf("SCENARIOS"), p.Sprintf("SIZE"))
	for _, r := range all {
		recorded, count := recordedColumns(r.Recorded, p)
		table.Row(r.K8sVersion, orDash(r.EtcdVersion), built[r.Built], recorded, count, program.FormatBytes(r.SizeBytes))
	}
	if err := table.Write(w); err != nil {
		return err
	}
	if !slices.ContainsFunc(all, func(r Release) bool { return r.Checkout }) {
		return nil
	}
	_, err := fmt.Fprint(w, "\n", p.Sprintf("with a + in the version: builds of a local checkout of kubernetes, not releases"), "\n")
	return err
}
