package release

import (
	"testing"
)

func TestRange(t *testing.T) {
	for _, test := range []struct {
		releases Range
		text     string
		has      []string
		hasNot   []string
	}{
		{Range{}, "", []string{"v1.26.0", "v1.37.1"}, nil},
		{Range{Since: "v1.30"}, "v1.30 or newer", []string{"v1.30.0", "v1.30.4", "v1.37.1"}, []string{"v1.29.15", "v1.9.0"}},
		{Range{Since: "v1.30.4"}, "v1.30.4 or newer", []string{"v1.30.4"}, []string{"v1.30.3"}},
		{Range{Until: "v1.30"}, "v1.30 or older", []string{"v1.30.0", "v1.30.14", "v1.26.1"}, []string{"v1.31.0"}},
		{Range{Since: "v1.27", Until: "v1.30.4"}, "v1.27 to v1.30.4", []string{"v1.27.0", "v1.30.4"}, []string{"v1.26.15", "v1.30.5"}},
	} {
		if got := test.releases.Text().String(); got != test.text {
			t.Errorf("the text of %+v is %q, expected %q", test.releases, got, test.text)
		}
		for _, version := range test.has {
			if !test.releases.Has(version) {
				t.Errorf("%+v does not have %s, expected that it does", test.releases, version)
			}
		}
		for _, version := range test.hasNot {
			if test.releases.Has(version) {
				t.Errorf("%+v has %s, expected that it does not", test.releases, version)
			}
		}
	}
}

func TestValidate(t *testing.T) {
	for _, test := range []struct {
		releases Range
		field    string // "" if the range is valid
	}{
		{Range{}, ""},
		{Range{Since: "v1.30", Until: "v1.30.4"}, ""},
		{Range{Since: "1.30"}, "since"},
		{Range{Until: "v1"}, "until"},
		{Range{Since: "v1.31", Until: "v1.30"}, "until"},
	} {
		err := test.releases.Validate()
		if (err == nil) != (test.field == "") || err != nil && err.Field != test.field {
			t.Errorf("%+v: got the error %v, expected one for the field %q (\"\": no error)", test.releases, err, test.field)
		}
	}
}
