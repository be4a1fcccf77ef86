package view

import (
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// Title returns what a section is called in a language: by its layer, or by the part of the layer that
// it is about, where a layer has parts that a reader tells apart. What a write caused is marked as such.
func (s *Story) Title(section *Section, guide Guide, lang string) string {
	title, p := guide.Title(section.Layer), message.For(lang)
	function := s.First(section.Root).Function
	switch {
	case section.Layer == trace.LayerAuthorization && strings.Contains(function, "mpersonation."):
		title = p.Sprintf("Impersonation")
	case section.Layer == trace.LayerAdmission && strings.HasSuffix(function, ".Admit"):
		title = p.Sprintf("Mutating admission")
	case section.Layer == trace.LayerAdmission && strings.HasSuffix(function, ".Validate"):
		title = p.Sprintf("Validating admission")
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
