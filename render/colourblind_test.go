package render

import (
	"math"
	"strconv"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view"
)

// A vec is a colour as three coordinates.
type vec [3]float64

// visions has matrices that turn a colour of linear sRGB into the colour that a
// person sees. With "full", this is the same colour. In each other vision, a kind
// of cone is missing (Machado, Oliveira and Fernandes, "A Physiologically-based
// Model for Simulation of Color Vision Deficiency", 2009, severity 1.0).
var visions = map[string][3]vec{
	"full":         {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// TestSectionsDifferForTheColourBlind checks the colours of consecutive sections in
// the recorded scenarios. In every vision, they must differ by at least 0.08 in
// Oklab, in which black and white differ by 1.
func TestSectionsDifferForTheColourBlind(t *testing.T) {
	const atLeast = 0.08
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	infos, err := recordings.Versions()
	if err != nil {
		t.Fatal(err)
	}
	newest := infos[len(infos)-1]
	checked := map[[2]string]bool{}
	for _, scenario := range newest.Scenarios {
		rec, err := recordings.Load(newest.K8sVersion, scenario)
		if err != nil {
			t.Fatal(err)
		}
		for i := range rec.Requests {
			doc, err := view.NewTrace(rec, i, guide.ForReader("en", rec), view.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for at := 1; at < len(doc.Sections); at++ {
				a, b := doc.Sections[at-1], doc.Sections[at]
				if a.Layer == b.Layer || checked[[2]string{a.Layer, b.Layer}] {
					continue
				}
				checked[[2]string{a.Layer, b.Layer}] = true
				if a.Layer == trace.LayerRouting && b.Layer == trace.LayerRegistry {
					continue // only where a view with few steps leaves out the handler between them
				}
				for name, vision := range visions {
					if d := distance(seen(t, a.Colour, vision), seen(t, b.Colour, vision)); d < atLeast {
						t.Errorf("%s: %s (%s) and %s (%s), which follows, differ by %.3f with %s, expected %.2f or more",
							scenario, a.Layer, a.Colour, b.Layer, b.Colour, d, name, atLeast)
					}
				}
			}
		}
	}
	if len(checked) < 40 {
		t.Errorf("%d pairs of layers follow each other in the recordings of %s, expected 40 or more", len(checked), newest.K8sVersion)
	}
}

// seen returns a colour "#rrggbb" as a person with this vision sees it, in Oklab.
func seen(t *testing.T, colour string, vision [3]vec) vec {
	t.Helper()
	var linear vec
	for i := range linear {
		n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			linear[i] = c / 12.92
		} else {
			linear[i] = math.Pow((c+0.055)/1.055, 2.4)
		}
	}
	linear = multiply(vision, linear)
	for i := range linear {
		linear[i] = min(max(linear[i], 0), 1) // the matrix may lead out of sRGB
	}
	return oklab(linear)
}

// oklab turns linear sRGB into Oklab. Distances in Oklab match the differences that
// people see (Björn Ottosson, 2020).
func oklab(linear vec) vec {
	cones := multiply([3]vec{
		{0.4122214708, 0.5363325363, 0.0514459929},
		{0.2119034982, 0.6806995451, 0.1073969566},
		{0.0883024619, 0.2817188376, 0.6299787005},
	}, linear)
	for i := range cones {
		cones[i] = math.Cbrt(cones[i])
	}
	return multiply([3]vec{
		{0.2104542553, 0.7936177850, -0.0040720468},
		{1.9779984951, -2.4285922050, 0.4505937099},
		{0.0259040371, 0.7827717662, -0.8086757660},
	}, cones)
}

// multiply multiplies a matrix with a colour.
func multiply(m [3]vec, v vec) (product vec) {
	for i, row := range m {
		product[i] = row[0]*v[0] + row[1]*v[1] + row[2]*v[2]
	}
	return product
}

// distance returns the Euclidean distance of two colours.
func distance(a, b vec) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}
