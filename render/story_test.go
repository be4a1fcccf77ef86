package render

import (
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/view"
	"github.com/kubeapitrace/apitrace/view/viewtest"
)

// TestStory compares the stories of a recording with golden files.
func TestStory(t *testing.T) {
	for name, options := range map[string]Options{
		"story":        {Layout: Layout{Width: 80}},
		"story.narrow": {Options: view.Options{ASCII: true}, Layout: Layout{Width: 50}},
	} {
		var out strings.Builder
		if err := WriteStory(&out, view.NewCausalStory(viewtest.FollowedDeployment(), "en"), options); err != nil {
			t.Fatal(err)
		}
		golden(t, name, out.String())
	}
}

// TestStoryMermaid compares the sequence diagram of a story with a golden file.
func TestStoryMermaid(t *testing.T) {
	var out strings.Builder
	if err := WriteStoryMermaid(&out, view.NewCausalStory(viewtest.FollowedDeployment(), "en"), "en"); err != nil {
		t.Fatal(err)
	}
	golden(t, "story.mermaid", out.String())
}
