package web_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/kubeapitrace/apitrace/controlplane"
	"github.com/kubeapitrace/apitrace/ui/web"
)

var update = flag.Bool("update", false, "take the pictures of the page in docs/pictures anew")

const (
	pictures = "../../docs/pictures"
	// mostPicture is the maximum size of a picture in bytes.
	mostPicture = 200_000
)

// A scene describes a picture: an address of the page, a row of the tree
// to select, and an expression that is true when the picture is ready.
type scene struct{ name, address, row, ready string }

var scenes = []scene{
	{"code", "#/v1.37.1/get-node/1", "filters.withAuthorization.func1", "document.querySelectorAll('.l.ran').length > 5"},
	{"compare", "#/compare?scenario=create-deployment&from=v1.30.4&to=v1.37.1", "rest.BeforeCreate", "document.querySelector('.hunk')"},
}

// shownIn has the pages of the docs that show each picture.
// The pages and the pictures exist in both languages.
var shownIn = map[string][]string{"code": {"README", "docs/web"}, "compare": {"README", "docs/web"}, groupPicture: {"docs/workshop"}}

// TestPictures checks that each picture of the page is small, and that
// pages of the docs show it. With -update it takes the pictures from the
// real page with the sources of the traced programs; see "make pictures".
func TestPictures(t *testing.T) {
	if *update {
		takePictures(t)
		takeGroupPictures(t)
	}
	for picture, pages := range shownIn {
		for _, suffix := range []string{"", ".zh"} {
			name := picture + suffix + ".png"
			data, err := os.ReadFile(filepath.Join(pictures, name))
			if err != nil {
				t.Errorf("%v: \"make pictures\" takes it", err)
				continue
			}
			if len(data) > mostPicture {
				t.Errorf("%s has %d bytes, expected at most %d", name, len(data), mostPicture)
			}
			if seen, err := png.DecodeConfig(bytes.NewReader(data)); err != nil || seen.Width != 1280 || seen.Height != 800 {
				t.Errorf("%s: %d x %d pixels (%v), expected 1280 x 800", name, seen.Width, seen.Height, err)
			}
			for _, page := range pages {
				page += suffix + ".md"
				text, err := os.ReadFile(filepath.Join("../..", page))
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(string(text), "pictures/"+name+")") {
					t.Errorf("%s does not show %s", page, name)
				}
			}
		}
	}
}

func takePictures(t *testing.T) {
	t.Helper()
	server := start(t, web.Options{Source: func(process, k8sVersion string) (string, error) {
		return controlplane.CachedSourceOf(process, k8sVersion, nil)
	}})
	b := open(t, server, scenes[0].address, 1280)
	b.do(chromedp.EmulateViewport(1280, 800))
	b.until(row("Authentication"))
	js[any](b, "localStorage.setItem('theme', 'light')")
	for _, lang := range []string{"", ".zh"} {
		if lang != "" {
			js[any](b, "localStorage.setItem('lang', 'zh')")
		}
		for _, s := range scenes {
			b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(server+"/"+s.address))
			if s.row != "" {
				b.click(row(s.row))
			}
			b.until(s.ready)
			b.until("![...document.querySelectorAll('.loading')].length")
			takePicture(b, s.name+lang)
		}
	}
}

// takePicture takes a screenshot of the tab and writes it to a file.
func takePicture(b *tab, name string) {
	b.Helper()
	b.until("document.fonts.status === 'loaded'")
	shot, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.Fatal(err)
	}
	if err := os.MkdirAll(pictures, 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(pictures, name+".png"), shrunk(b, shot), 0o644); err != nil {
		b.Fatal(err)
	}
}

// shrunk returns a picture with a palette of its 256 most
// frequent colours. A picture of text has few colours.
func shrunk(t testing.TB, data []byte) []byte {
	t.Helper()
	full, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	pixels := full.Bounds()
	count := map[color.Color]int{}
	for y := range pixels.Dy() {
		for x := range pixels.Dx() {
			count[full.At(x, y)]++
		}
	}
	var palette color.Palette
	for c := range count {
		palette = append(palette, c)
	}
	slices.SortFunc(palette, func(a, b color.Color) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), strings.Compare(fmt.Sprint(a), fmt.Sprint(b)))
	})
	small := image.NewPaletted(pixels, palette[:min(256, len(palette))])
	nearest := map[color.Color]uint8{}
	for y := range pixels.Dy() {
		for x := range pixels.Dx() {
			c := full.At(x, y)
			at, known := nearest[c]
			if !known {
				at = uint8(small.Palette.Index(c)) // the palette has at most 256 colors
				nearest[c] = at
			}
			small.SetColorIndex(x, y, at)
		}
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, small); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
