package program

// A Platform is an operating system and an architecture, named as in Go.
type Platform struct{ OS, Arch string }

// Platforms lists the platforms of apitrace's releases.
var Platforms = []Platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}}

// String returns the platform in the go command's form, such as "linux/amd64".
func (p Platform) String() string { return p.OS + "/" + p.Arch }
