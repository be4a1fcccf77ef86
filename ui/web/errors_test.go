package web

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
)

// TestPanicIsAnswered checks that a panic in a handler is reported
// to the client. The server and the connection must survive.
func TestPanicIsAnswered(t *testing.T) {
	handler, err := (&api{}).handler() // without a library nothing can be listed
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, Base+"/releases", nil))
	var got Error
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusInternalServerError || got.Action != reportIt.String() {
		t.Errorf("got the status %d, the body %s and the error %v, expected 500 with the advice to report it", w.Code, w.Body, err)
	}
}

func TestErrorsInTheClientsLanguage(t *testing.T) {
	handler, err := (&api{library: &library{}}).handler()
	if err != nil {
		t.Fatal(err)
	}
	for language, chinese := range map[string]bool{"": false, "en": false, "zh-CN,zh;q=0.9": true, "zh": true} {
		r := httptest.NewRequest(http.MethodGet, Base+"/releases/v1.99/scenarios/get-node", nil)
		r.Header.Set("Accept-Language", language)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		var got Error
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusNotFound {
			t.Fatalf("got the status %d, the body %s and the error %v, expected 404", w.Code, w.Body, err)
		}
		han := regexp.MustCompile(`\p{Han}`)
		if han.MatchString(got.Message) != chinese || han.MatchString(got.Action) != chinese {
			t.Errorf("Accept-Language %q: got texts in another language: %s; %s", language, got.Message, got.Action)
		}
	}
}
