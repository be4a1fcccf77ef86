package recordings

import (
	"io/fs"
	"sync"
)

// faulty has the recordings of servers that were built with a fault of the
// course. They are not scenarios of a release. Only Load and Has find them, so
// that lists and searches show only the behavior of upstream's servers.
var faulty = sync.OnceValues(func() ([]*archive, error) {
	folder, err := fs.Sub(embedded, "data/"+FaultsFolder)
	if err != nil {
		return nil, err
	}
	return openAll(folder)
})

// faultsOf returns the recordings of the faults of a release, or nil if there are
// none.
func faultsOf(k8sVersion string) (*archive, error) {
	all, err := faulty()
	for _, a := range all {
		if a.K8sVersion == k8sVersion {
			return a, nil
		}
	}
	return nil, err
}

// faultsInfo describes the recordings of the faults of a release. The release may
// be in any form that Resolve accepts. The Info lists no scenarios if there are
// no such recordings.
func faultsInfo(k8sVersion string) (Info, error) {
	version, err := Resolve(k8sVersion)
	if err != nil {
		return Info{}, err
	}
	a, err := faultsOf(version)
	if err != nil || a == nil {
		return Info{}, err
	}
	return a.Info, nil
}

// Has reports whether there is a recording of a scenario, or of a fault, for a
// release. The release may be in any form that Resolve accepts.
func Has(k8sVersion, scenario string) (bool, error) {
	a, err := find(k8sVersion)
	if err != nil || a.Has(scenario) {
		return err == nil, err
	}
	faults, err := faultsInfo(a.K8sVersion)
	return faults.Has(scenario), err
}
