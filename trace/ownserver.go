package trace

import "strings"

// An OwnServer is an API server of the user. It ran behind the aggregator during
// a recording.
type OwnServer struct {
	// Name is the name in Call.Process.
	Name            string
	Module, Version string
	// Main is the folder of its package main, as the user named it. It is "" if
	// the module has only one.
	Main string
}

// String returns "NAME MODULE VERSION" or "NAME MODULE VERSION MAIN", as in Recording.Servers.
func (s OwnServer) String() string {
	return strings.TrimSuffix(s.Name+" "+s.Module+" "+s.Version+" "+s.Main, " ")
}

// OwnServers returns the API servers in Servers.
func (r *Recording) OwnServers() []OwnServer {
	var all []OwnServer
	for _, server := range r.Servers {
		if words := strings.SplitN(server, " ", 4); len(words) >= 3 {
			s := OwnServer{Name: words[0], Module: words[1], Version: words[2]}
			if len(words) == 4 {
				s.Main = words[3]
			}
			all = append(all, s)
		}
	}
	return all
}

// OwnServer returns the API server in Servers with the name process. ok is false if
// there is none.
func (r *Recording) OwnServer(process string) (server OwnServer, ok bool) {
	for _, s := range r.OwnServers() {
		if s.Name == process {
			return s, true
		}
	}
	return OwnServer{}, false
}
