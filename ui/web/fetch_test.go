package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/ui/web"
)

// TestPageFetchesSources fetches the source of a release with the button beside a call.
// The first try fails. During the second, the progress is shown.
func TestPageFetchesSources(t *testing.T) {
	find, there, tries := fakeSource(t), atomic.Bool{}, atomic.Int32{}
	hold := make(chan struct{})
	server := start(t, web.Options{
		Source: func(process, k8sVersion string) (string, error) {
			if !there.Load() {
				return "", errors.New("it was not fetched")
			}
			return find(process, k8sVersion)
		},
		FetchSource: func(ctx context.Context, process, k8sVersion string, to program.Progress) error {
			if process != "kube-apiserver" || k8sVersion != "v1.37.1" {
				return fmt.Errorf("unexpected %s %s", process, k8sVersion)
			}
			if tries.Add(1) == 1 {
				return errors.New("no network <b>here</b>")
			}
			to.Report(program.Event{Program: "kube-apiserver v1.37.1", Stage: program.StageDownload})
			select {
			case <-hold:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			there.Store(true)
			return nil
		},
	})
	b := open(t, server, "#/latest/get-node/1?call="+escape(storeGet), 1280)
	b.is("document.querySelector('.fetch button')?.textContent === 'Fetch the source of kube-apiserver, v1.37.1'")
	b.accessible()
	b.click("document.querySelector('.fetch button')")
	b.until("document.querySelector('.nosource .failure')?.textContent === 'no network <b>here</b>'")
	b.click("document.querySelector('.fetch button')")
	b.until("document.querySelector('.nosource .progress')?.textContent.includes('kube-apiserver v1.37.1: downloading')")
	// Only one source is fetched at a time.
	post := func(header http.Header, release, body string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server+web.Base+"/releases/"+release+"/sources", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		header.Set("Content-Type", "application/json")
		r.Header = header
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		return answer.StatusCode
	}
	bearer := func() http.Header { return http.Header{"Authorization": {"Bearer " + token}} }
	for _, test := range []struct {
		header        http.Header
		release, body string
		status        int
	}{
		{bearer(), "latest", `{"process":"kube-apiserver"}`, http.StatusConflict},
		{bearer(), "latest", `{"process":"kube-scheduler"}`, http.StatusConflict},
		{bearer(), "latest", `{"process":"../etcd"}`, http.StatusBadRequest},
		{bearer(), "latest", `{"process":"etcd","folder":"/"}`, http.StatusBadRequest},
		{bearer(), "v9.9.9", `{"process":"etcd"}`, http.StatusNotFound},
		{http.Header{}, "latest", `{"process":"etcd"}`, http.StatusUnauthorized},
		{http.Header{"Authorization": {"Bearer " + token}, "Origin": {"http://example.com"}}, "latest", `{"process":"etcd"}`, http.StatusForbidden},
	} {
		if got := post(test.header, test.release, test.body); got != test.status {
			t.Errorf("%v %s %s: status %d, expected %d", test.header, test.release, test.body, got, test.status)
		}
	}
	close(hold)
	b.until("document.querySelector('.source .lines') && !document.querySelector('.nosource')")
}

// TestCompareFetchesSources reads the button of the side whose source is missing.
func TestCompareFetchesSources(t *testing.T) {
	parallel(t)
	b := open(t, served(t), "#/compare?scenario=create-deployment&from=v1.30.4&to=v1.37.1", 1280)
	b.is("[...document.querySelectorAll('button')].some((e) => e.textContent === 'Go to the first change')")
	b.click("[...document.querySelectorAll('button')].find((e) => e.textContent === 'Go to the first change')")
	b.is("[...document.querySelectorAll('.hunks .fetch button')].map((e) => e.textContent).join() === 'Fetch the source of kube-apiserver, v1.30.4'")
	// The page does not speak of a text that it does not show.
	b.click("[...document.querySelectorAll('.merged .row.step')].find((r) => r.textContent.includes('rest.ValidateCreate'))")
	b.is("document.querySelector('.hunks .nosource') && document.querySelector('.of-caller')?.textContent === 'Only one side makes this call. The nearest caller that both have is rest.BeforeCreate.'")
	b.accessible()
}
