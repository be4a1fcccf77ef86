package sides

import (
	"os"
	"strings"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
)

// Parse reads the sides as a user names them: SCENARIO VERSION VERSION, SCENARIO
// VERSION..VERSION, or FILE FILE. Each side is compared with the next one. live names
// the sides to replay: "a", "b", "both", or "" for none.
func Parse(args []string, live string) (all []Side, isRange bool, err error) {
	if len(args) == 3 {
		all = []Side{{Scenario: args[0], Version: args[1]}, {Scenario: args[0], Version: args[2]}}
		if err := replayed(all, live); err != nil {
			return nil, false, err
		}
		for i := range all { // a checkout has no recordings
			all[i].Live = all[i].Live || program.IsLocal(all[i].Version)
			if !all[i].Live && session.IsFile(args[0]) {
				return nil, false, message.UsageErrorf("%q is a scenario file, and only scenarios that come with apitrace have recordings: --live replays it on both releases", args[0])
			}
		}
		return all, false, nil
	}
	isLive := live != ""
	if from, to, ok := strings.Cut(args[1], ".."); ok && !isFile(args[1]) {
		if isLive {
			return nil, false, message.UsageErrorf("--live builds and runs each release: name two releases instead of the range %q", args[1])
		}
		all, err = inRange(args[0], from, to)
		return all, true, err
	}
	for _, file := range args {
		if !isFile(file) && file != "-" {
			return nil, false, noSides(args, file)
		}
		all = append(all, Side{File: file})
	}
	if isLive {
		return nil, false, message.UsageErrorf("recordings in files cannot be replayed: --live is for a scenario and two releases")
	}
	return all, false, nil
}

// noSides returns the error for two arguments that do not name sides, because file does
// not exist. The error names the command that the user may have meant.
func noSides(args []string, file string) error {
	_, errA := scenarios.Find(args[0])
	_, errB := scenarios.Find(args[1])
	_, errVersion := apiserver.ParseVersion(args[1])
	switch {
	case errA == nil && errB == nil:
		return message.UsageErrorf("%q and %q are two scenarios, and diff compares releases: \"apitrace compare %[1]s %[2]s\" compares scenarios", args[0], args[1])
	case errA == nil && errVersion == nil:
		return message.UsageErrorf("one release is missing: expected \"apitrace diff %s %s VERSION\", or a range such as 1.26..1.37", args[0], args[1])
	}
	return message.UsageErrorf("there is no file %q: expected two files, a scenario with two releases, or a scenario with a range such as 1.26..1.37", file)
}

// replayed sets Live in the sides that --live names.
func replayed(all []Side, live string) error {
	switch live {
	case "":
	case "both":
		all[0].Live, all[1].Live = true, true
	case "a":
		all[0].Live = true
	case "b":
		all[1].Live = true
	default:
		return message.UsageErrorf("--live=%s: expected a (the first version), b (the second one), or both", live)
	}
	return nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}
