package console

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
)

// pagerCommand returns the shell command of the pager, or "" for none. APITRACE_PAGER or
// PAGER names the pager, and "cat" means none, as for git. The default is less, if it is
// installed.
func pagerCommand(lookup func(string) (string, bool)) string {
	for _, name := range []string{"APITRACE_PAGER", "PAGER"} {
		if pager, set := lookup(name); set {
			if pager == "cat" {
				return ""
			}
			return pager
		}
	}
	if _, err := exec.LookPath("less"); err != nil {
		return ""
	}
	return "less"
}

// Paged returns streams to the user's pager. It returns s if wanted is not set, if the
// output is not a terminal, or if there is no pager. The caller must call wait at the end,
// which waits until the user has left the pager.
func (s *Streams) Paged(wanted bool) (paged *Streams, wait func() error) {
	none := func() error { return nil }
	command := pagerCommand(os.LookupEnv)
	if !wanted || s.Width == 0 || command == "" {
		return s, none
	}
	pager := exec.Command("sh", "-c", command)
	pager.Stdout, pager.Stderr = s.Raw(), s.RawErr()
	pager.Env = append(os.Environ(),
		"LESS="+cmp.Or(os.Getenv("LESS"), "FRX"), // F quits if all fits on the screen, R keeps colours
		"LV="+cmp.Or(os.Getenv("LV"), "-c"))
	// Without a UTF-8 locale, less would show the bytes of Chinese characters.
	if os.Getenv("LESSCHARSET")+os.Getenv("LESSCHARDEF") == "" {
		pager.Env = append(pager.Env, "LESSCHARSET=utf-8")
	}
	in, err := pager.StdinPipe()
	if err != nil || pager.Start() != nil {
		return s, none
	}
	out := &pagerPipe{to: in}
	guarded := *s
	guarded.Out = &text.Guard{To: out}
	return &guarded, func() error {
		guarded.Close()
		_ = in.Close() // the pager may have ended
		if err := pager.Wait(); err != nil {
			return message.Errorf("pager %q: %w; set PAGER, or use --no-pager", command, err)
		}
		return nil
	}
}

// InPager calls do, shows its output as Paged does, and waits until the user has left the
// pager. The pager starts when do has returned, so that the progress of do is seen.
func (s *Streams) InPager(wanted bool, do func(*Streams) error) error {
	if !wanted || s.Width == 0 {
		return do(s)
	}
	var output bytes.Buffer
	collecting := *s
	collecting.Out = &output
	err := do(&collecting)
	paged, wait := s.Paged(output.Len() > 0)
	_, failed := output.WriteTo(paged.Out)
	return cmp.Or(err, wait(), failed)
}

// A pagerPipe writes to a pager. It discards output after the user has left the pager.
type pagerPipe struct {
	to   io.Writer
	left bool
}

// Write implements io.Writer.
func (p *pagerPipe) Write(data []byte) (int, error) {
	if p.left {
		return len(data), nil
	}
	n, err := p.to.Write(data)
	if errors.Is(err, syscall.EPIPE) {
		p.left = true
		return len(data), nil
	}
	return n, err
}
