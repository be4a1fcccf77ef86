package web_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const store = "k8s.io/apiserver/pkg/storage/etcd3.store"

// TestPageShowsATypeThatTheSearchFinds goes from the search to
// a type, and from the type to the recorded calls of a method.
func TestPageShowsATypeThatTheSearchFinds(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/search?text=etcd3.store", 1280)
	b.is("[...document.querySelectorAll('.found a.text')].some((e) => e.textContent === '" + store + "')")
	b.do(chromedp.Click(".found section:last-of-type a.text"))
	b.is("location.hash.startsWith('#/type?')")
	b.is("document.querySelector('.type h1')?.textContent === '" + store + "'")
	b.is("document.querySelectorAll('.type pre')[0].textContent.includes('type store struct{}')")
	b.click("[...document.querySelectorAll('.methods a')].find((e) => e.textContent === 'etcd3.(*store).Get')")
	b.is("location.hash.startsWith('#/search') && [...document.querySelectorAll('.found .text')].some((e) => e.textContent === '" + storeGet + "')")
}

// TestPageLeadsOnFromATypeThatThereIsNot opens the addresses of a type
// and of a release that do not exist. The reader has chosen Chinese
// before, so the first answer of the server must be in Chinese, too.
func TestPageLeadsOnFromATypeThatThereIsNot(t *testing.T) {
	parallel(t)
	server := served(t)
	b := open(t, server, firstRequest, 1280)
	b.is("document.querySelector('.tree')")
	js[any](b, "localStorage.setItem('lang', 'zh')")
	for _, path := range []string{"#/type?name=k8s.io/apiserver/pkg/storage/etcd3.noSuchType", "#/v1.9.0/get-node/1"} {
		b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(server+"/"+path))
		b.is("document.querySelector('main.nowhere h1')?.textContent === '此地址没有内容' && document.querySelector('.problem')")
		if says := js[string](b, "document.querySelector('.problem').textContent"); !strings.Contains(says, "没有") {
			t.Errorf("%s: the page says %q", path, says)
		}
	}
	b.is("[...document.querySelector('select.release').selectedOptions].map((o) => o.textContent).join() === 'v1.9.0'")
	b.forgive("the server responded with a status of 404")
}

// TestPageShowsATypeByKeyboard reads the page of a type by keyboard.
func TestPageShowsATypeByKeyboard(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/type?name="+store, 1280)
	b.is("document.querySelector('.type .told')")
	b.tabTo("e.matches('.type pre') && e.textContent.includes('type store')")
	b.press(kb.Tab)
	if at := js[string](b, "document.activeElement.textContent"); at != "etcd3.(*store).Get" {
		t.Errorf("after the declaration, Tab leads to %q, expected the method that recordings call", at)
	}
	b.press(kb.Tab)
	if !js[bool](b, "document.activeElement.matches('.type .told')") {
		t.Errorf("after the methods, Tab leads to %s, expected the facts", js[string](b, "document.activeElement.outerHTML.slice(0, 200)"))
	}
}

// TestPageHasFewSizesOfType reads the size of each text of several views. A reader
// should see at a glance which texts are of one kind.
func TestPageHasFewSizesOfType(t *testing.T) {
	parallel(t)
	server := served(t)
	b := open(t, server, "#/latest/create-deployment/1?open=all", 1280)
	for _, hash := range []string{"#/latest/create-deployment/1?open=all", "#/latest/get-node/1?view=calls", "#/latest/get-node/1?view=time", "#/latest/get-node/1?view=map", "#/latest/get-node/1?at=entered", "#/start", "#/guide", "#/search?text=store.Get", "#/compare?scenario=create-deployment&from=v1.30.4&to=v1.37.1"} {
		b.goTo(hash)
		b.is("document.querySelector('main')")
		sizes := js[[]string](b, `[...new Set([...document.querySelectorAll('body *')].filter((e) => e.checkVisibility() && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()))
			.map((e) => getComputedStyle(e).fontSize).filter((s) => !['12px', '13px', '14px', '15px', '18px'].includes(s)))]`)
		if len(sizes) > 0 {
			t.Errorf("%s has texts of the sizes %v, expected only 12, 13, 14, 15 and 18 pixels", hash, sizes)
		}
	}
}
