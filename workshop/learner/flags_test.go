package learner

import "testing"

// TestChosen checks that commands in texts get the flags that they accept.
func TestChosen(t *testing.T) {
	c := chosen{lang: " --lang zh", k8s: " --k8s v1.30.4", course: " --course 'mine'"}
	for text, want := range map[string]string{
		"apitrace workshop check true|false 'F'":      "apitrace workshop check --lang zh --k8s v1.30.4 --course 'mine' true|false 'F'",
		"`apitrace workshop` lists, `apitrace learn`": "`apitrace workshop --lang zh --k8s v1.30.4 --course 'mine'` lists, `apitrace learn --lang zh --k8s v1.30.4 --course 'mine'`",
		"`apitrace workshop leave`":                   "`apitrace workshop --lang zh --k8s v1.30.4 --course 'mine' leave`",
		"apitrace show boot --k8s 1.26":               "apitrace show --lang zh --k8s v1.30.4 boot --k8s 1.26",
		"$ apitrace show boot\n":                      "$ apitrace show boot\n",
		"apitrace source rest.Getter":                 "apitrace source --k8s v1.30.4 rest.Getter",
		"apitrace compare a b, apitrace showing":      "apitrace compare a b, apitrace showing",
	} {
		if got := c.in(text); got != want {
			t.Errorf("%q becomes %q, expected %q", text, got, want)
		}
		if got := (chosen{}).in(text); got != text {
			t.Errorf("without flags, %q becomes %q, expected no change", text, got)
		}
	}
}
