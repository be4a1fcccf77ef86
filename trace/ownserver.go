package trace

import "strings"

// An OwnServer is an API server of the user's own that stood behind the aggregator when a recording was made.
type OwnServer struct {
	// Name is that of Call.Process.
	Name            string
	Module, Version string
	// Main is the folder of its package main as the user named it, "" if the module has only one.
	Main string
}

// String returns "NAME MODULE VERSION" or "NAME MODULE VERSION MAIN", as Recording.Servers has it.
func (s OwnServer) String() string {
	return strings.TrimSuffix(s.Name+" "+s.Module+" "+s.Version+" "+s.Main, " ")
}

// OwnServers returns the API servers of Servers.
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

// OwnServer returns the API server of Servers that ran as a process; ok is false if the process is none of them.
func (r *Recording) OwnServer(process string) (server OwnServer, ok bool) {
	for _, s := range r.OwnServers() {
		if s.Name == process {
			return s, true
		}
	}
	return OwnServer{}, false
}
