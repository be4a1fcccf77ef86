package web_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/ui/web"
)

func TestPageShowsTheGuide(t *testing.T) {
	parallel(t)
	server := served(t)
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	var list web.GuideList
	_, body := get(t, server+web.Base+"/guide")
	if err := json.Unmarshal(body, &list); err != nil {
		t.Fatal(err)
	}
	steps := 0
	for _, layer := range list.Items {
		if layer.Title == "" {
			t.Errorf("layer %q has no title, and %d steps, such as %s", layer.Layer, len(layer.Steps), layer.Steps[0].Function)
		}
		steps += len(layer.Steps)
		behind := false
		for _, step := range layer.Steps {
			sample := strings.HasPrefix(step.Function, "k8s.io/sample-apiserver/")
			if behind && !sample {
				t.Errorf("%s comes after steps of the sample server, expected it before them", step.Function)
			}
			behind = behind || sample
		}
	}
	if steps != len(guide.Steps) {
		t.Errorf("the API lists %d steps, but the guide has %d", steps, len(guide.Steps))
	}
	b := open(t, server, firstRequest, 1280)
	b.click("[...document.querySelectorAll('.top nav a')].find((a) => a.textContent === 'Guide')")
	b.is("document.querySelectorAll('.guide dl > div').length > 100")
	if n := js[int](b, "document.querySelectorAll('.guide dl > div').length"); n != steps {
		t.Errorf("the page shows %d steps of %d", n, steps)
	}
	// The list of layers stays at the left.
	js[any](b, "document.querySelector('main').scrollTop = 3000")
	b.is("(() => { const l = document.querySelector('.layers-of').getBoundingClientRect(), d = document.querySelector('.guide dl').getBoundingClientRect(); return l.right < d.left && l.top > 0 && l.top < 200 })()")
	// The typed text filters the guide. A function links to its page.
	js[any](b, "(() => { const box = document.querySelector('.guide .filter input'); box.value = 'etcd3.(*store)'; box.dispatchEvent(new Event('input', {bubbles: true})); })()")
	b.is("location.hash.includes('text=etcd3') && document.querySelectorAll('.guide dl > div').length < 40")
	b.accessible()
	b.click("document.querySelector('.guide dt a')")
	b.is("location.hash.startsWith('#/function/') && document.querySelector('.function h1')?.textContent.includes('etcd3.(*store)')")
	// Each layer has a link.
	layer := open(t, server, "#/guide?layer=etcd3", 400)
	layer.is("document.getElementById('layer-etcd3')?.getBoundingClientRect().top < 300")
	layer.click("document.querySelector('.menu')")
	layer.click("document.querySelector('.language')")
	layer.is("document.querySelector('.guide h1').textContent === '指南' && document.querySelector('.guide dd').textContent.match(/[一-龥]/)")
	layer.click("document.querySelector('.menu')")
	layer.click("[...document.querySelectorAll('.top nav a')].find((a) => a.textContent === '课文')")
	layer.is("document.querySelectorAll('.lessons-of a').length > 5")
	layer.accessible()
	if course := js[string](layer, "[...document.querySelectorAll('.lessons-of:first-of-type a')].map((a) => a.hash).join(' ')"); strings.Contains(course, "leaders") || !strings.Contains(course, "#/lessons/03-get") {
		t.Errorf("the links of the course are %s, expected only lessons of the course", course)
	}
	layer.is("[...document.querySelectorAll('.guide h2')].at(-1).textContent === '写给带领工作坊的人'")
	layer.click("document.querySelectorAll('.lessons-of a')[2]")
	layer.is("document.querySelector('.lesson .prose h1')")
	layer.is("document.querySelector('nav [aria-current]').textContent === '课文'")
	// Links lead to other lessons on the page, or are replaced by their text.
	layer.goTo("#/lessons/servers")
	layer.is("document.querySelector('.lesson .prose a[href^=\"#/lessons/\"]')")
	if dead := js[string](layer, "[...document.querySelectorAll('.lesson .prose a')].map((a) => a.getAttribute('href')).filter((to) => !/^(https?:|#\\/(lessons|latest)\\/)/.test(to)).join(' ')"); dead != "" {
		t.Errorf("dead links: %s", dead)
	}
	// Older addresses of lessons still work, and a lesson
	// that was opened from an exercise links back to it.
	layer.goTo("#/workshop/lesson/leaders")
	layer.is("location.hash === '#/lessons/leaders' && document.querySelector('.lesson .prose h1')")
	layer.goTo("#/lessons/03-get?from=quick-find")
	layer.is("document.querySelector('.lesson p a')?.hash === '#/workshop/quick-find'")
}
