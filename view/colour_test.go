package view

import (
	"math"
	"strconv"
	"testing"
)

func TestLayerColoursCanBeReadAndToldApart(t *testing.T) {
	seen := map[string]string{}
	for layer, colour := range layerColours {
		if other, ok := seen[colour]; ok {
			t.Errorf("%s and %s both have the colour %s, expected different colours", layer, other, colour)
		}
		seen[colour] = layer
		light := luminance(t, colour)
		if onBlack, onWhite := (light+0.05)/0.05, 1.05/(light+0.05); min(onBlack, onWhite) < 3 {
			t.Errorf("%s (%s): contrast %.2f to black and %.2f to white, expected 3 or more", layer, colour, onBlack, onWhite)
		}
	}
}

// luminance returns the relative luminance as WCAG 2 defines it.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.03928 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
