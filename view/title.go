package view

import (
	"regexp"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// Title returns the title of a section in a language. This is the title of the
// section's layer or, in a layer with distinct parts such as admission, the
// title of the part. The title says if the section handles the event of a
// write, and if it continues another section. A request inside the request has a title
// of its own.
func (s *Story) Title(section *Section, guide Guide, lang string) string {
	title, p := guide.Title(section.Layer), message.For(lang)
	function := s.First(section.Root).Function
	switch {
	case section.Inner:
		title = p.Sprintf("Request of %s to %s", s.First(section.Caller).Process, s.First(section.Root).Process)
	case Impersonation(section.Layer, function):
		title = p.Sprintf("Impersonation")
	case section.Layer == trace.LayerAdmission && strings.HasSuffix(function, ".Admit"):
		title = p.Sprintf("Mutating admission")
	case section.Layer == trace.LayerAdmission && strings.HasSuffix(function, ".Validate"):
		title = p.Sprintf("Validating admission")
	case section.Layer == trace.LayerCodec:
		title = s.codecTitle(section, guide, title, lang)
	case title == "" && section.Layer == "":
		title = p.Sprintf("In no layer")
	case title == "":
		title = section.Layer
	}
	if section.Root.Afterwards {
		title = p.Sprintf("Afterwards: %s", title)
	}
	if section.GoesOn {
		title = p.Sprintf("%s, continued", title)
	}
	return title
}

// Impersonation reports whether a function lets the caller act as another user.
// These functions are a part of the authorization layer with its own title.
func Impersonation(layer, function string) bool {
	return layer == trace.LayerAuthorization && (strings.Contains(function, "mpersonation.") || strings.HasSuffix(function, "mpersonationRequests"))
}

// decodes and encodes match the names of functions that decode or encode.
var (
	decodes = regexp.MustCompile(`\.(do)?[dD]ecode\w*(\.func\d+)*$`)
	encodes = regexp.MustCompile(`\.(do)?[eE]ncode\w*(\.func\d+)*$`)
)

// codecTitle returns the title of a section of the codec: decode, encode, or both.
func (s *Story) codecTitle(section *Section, guide Guide, both, lang string) string {
	decoded, encoded := false, false
	first := section.Root.Calls[0]
	for i := first; i < s.Tree.End(first); i++ {
		function := s.Tree.Call(i).Function
		if guide.Layer(function) == trace.LayerCodec {
			decoded, encoded = decoded || decodes.MatchString(function), encoded || encodes.MatchString(function)
		}
	}
	switch {
	case decoded && !encoded:
		return message.For(lang).Sprintf("Codec: decode")
	case encoded && !decoded:
		return message.For(lang).Sprintf("Codec: encode")
	}
	return both
}
