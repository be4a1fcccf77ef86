package web

import (
	"cmp"
	"html/template"
	"log/slog"
	"net/http"
	"strings"
)

const refusedStyle = `:root { color-scheme: light dark; font: 16px/1.6 system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif; }
body { max-width: 36rem; margin: 12vh auto 0; padding: 0 1.2rem; overflow-wrap: anywhere; }
h1 { font-size: 1.25rem; } .brand { font: 600 .9rem ui-monospace, monospace; opacity: .7; }
code { font: .9em ui-monospace, monospace; padding: .1em .3em; border: 1px solid #8886; border-radius: 4px; }
`

var refusedPage = template.Must(template.New("refused").Parse(`<!doctype html>
<html lang="{{.Lang}}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}} · apitrace</title><link rel="icon" href="data:,"><style>` + refusedStyle + `</style></head>
<body><main><p class="brand">apitrace</p>
<h1>{{.Title}}</h1>
{{range .Paragraphs}}<p>{{.}}</p>
{{end}}<p><code>{{.Command}}</code></p>
</main></body></html>
`))

// navigates reports whether a browser requests a page. Other clients request data.
func navigates(r *http.Request) bool {
	dest := r.Header.Get("Sec-Fetch-Dest")
	return reads(r) && (dest == "" || dest == "document") && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// refuse answers a refused request. A browser that requests
// a page gets a page. Every other client gets JSON.
func (g *guard) refuse(w http.ResponseWriter, r *http.Request, e *refusal) {
	p := printerFor(r)
	if !navigates(r) {
		refuse(w, p, e)
		return
	}
	title, paragraphs := p.Error(e.cause), []string{e.action.Localize(p)}
	switch e.status {
	case http.StatusUnauthorized:
		title = p.Sprintf("This address needs its token")
		paragraphs = []string{
			p.Sprintf("apitrace runs here, and shows its page only to the browser that was opened with the token of this run."),
			p.Sprintf("Open the whole address that apitrace printed in its terminal; it ends with ?token=…. Every start makes a new token, so an older tab or bookmark no longer works."),
			p.Sprintf("If that terminal is closed, start it again:"),
		}
	case http.StatusForbidden:
		paragraphs = append(paragraphs, p.Sprintf("If that terminal is closed, start it again:"))
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; img-src data:; style-src '"+integrity(refusedStyle)+"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	w.WriteHeader(e.status)
	if err := refusedPage.Execute(w, struct {
		Lang, Title, Command string
		Paragraphs           []string
	}{p.Lang(), title, cmp.Or(g.command, "apitrace web"), paragraphs}); err != nil {
		slog.Debug("writing an answer", "error", err)
	}
}
