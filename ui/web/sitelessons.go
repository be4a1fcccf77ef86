package web

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/kubeapitrace/apitrace/docs/lessons"
	"github.com/kubeapitrace/apitrace/internal/message"
)

const lessonHTML = `<!doctype html>
<html lang="%s"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; img-src 'self' data:">
<title>apitrace</title><link rel="icon" href="data:,"><link rel="stylesheet" href="lesson.css"></head>
<body><nav><a href="../index.html">apitrace</a> <a href="index.html">English</a> <a href="index.zh.html">&#20013;&#25991;</a></nav><main>
%s</main></body></html>
`

const lessonStyle = `:root { color-scheme: light dark; }
:root { --ground: #fff; --ink: #1d2125; --accent: #1d5cc0; }
@media (prefers-color-scheme: dark) { :root { --ground: #15181c; --ink: #dde1e6; --accent: #86b3f7; } }
html { background: var(--ground); } a { color: var(--accent); }
body { background: var(--ground); color: var(--ink); font: 16px/1.6 system-ui, "Noto Sans CJK SC", sans-serif; max-width: 48rem; margin: 1rem auto; padding: 0 1rem; }
pre { overflow-x: auto; padding: .8rem; border: 1px solid #8886; border-radius: 6px; font-size: 13px; line-height: 1.45; }
table { border-collapse: collapse; } td, th { border: 1px solid #8886; padding: .2rem .6rem; text-align: left; vertical-align: top; }
nav a { margin-right: 1rem; } @media print { nav { display: none; } }
`

// lessonKinds has the headings in the list of lessons.
var lessonKinds = map[lessons.Kind]message.Message{
	lessons.Course: message.Of("The course"), lessons.Reference: message.Of("To look things up"), lessons.Leaders: message.Of("For those who lead a workshop"),
}

// writeLessons writes the lessons, and a list of lessons, in each language.
func writeLessons(folder string) error {
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	for _, lang := range pageLanguages {
		row, err := lessonRow(lang)
		if err != nil {
			return err
		}
		lists := map[lessons.Kind]string{}
		for _, name := range lessons.Names() {
			source, err := lessons.Page(name, lang)
			if err != nil {
				return err
			}
			doc := markdown.Parser().Parse(text.NewReader([]byte(source)))
			if err := linkWithin(doc); err != nil {
				return err
			}
			var body bytes.Buffer
			if err := markdown.Renderer().Render(&body, []byte(source), doc); err != nil { // raw HTML is left out
				return err
			}
			file := name + "." + lang + ".html"
			if err := writeSiteFile(folder, "lessons/"+file, fmt.Appendf(nil, lessonHTML, lang, append(bytes.ReplaceAll(body.Bytes(), []byte("<pre>"), []byte(`<pre tabindex="0">`)), row[name]...))); err != nil {
				return err
			}
			lists[lessons.KindOf(name)] += fmt.Sprintf("<li><a href=%q>%s</a></li>\n", file, html.EscapeString(lessonTitle(source)))
		}
		var list strings.Builder
		for _, kind := range lessons.Kinds() {
			fmt.Fprintf(&list, "<h2>%s</h2>\n<ul>\n%s</ul>\n", html.EscapeString(lessonKinds[kind].In(lang)), lists[kind])
		}
		index := map[string]string{"en": "index.html", "zh": "index.zh.html"}[lang]
		if err := writeSiteFile(folder, "lessons/"+index, fmt.Appendf(nil, lessonHTML, lang, list.String())); err != nil {
			return err
		}
	}
	return writeSiteFile(folder, "lessons/lesson.css", []byte(lessonStyle))
}

// lessonRow returns the links from each lesson to the lessons of its kind before and
// after it.
func lessonRow(lang string) (map[string][]byte, error) {
	titles := map[string]string{}
	rows := map[lessons.Kind][]string{}
	for _, name := range lessons.Names() {
		source, err := lessons.Page(name, lang)
		if err != nil {
			return nil, err
		}
		titles[name] = lessonTitle(source)
		rows[lessons.KindOf(name)] = append(rows[lessons.KindOf(name)], name)
	}
	links := map[string][]byte{}
	link := func(to, rel, format string) string {
		return fmt.Sprintf("<a rel=%q href=%q>%s</a> ", rel, to+"."+lang+".html", fmt.Sprintf(format, html.EscapeString(titles[to])))
	}
	for _, row := range rows {
		for i, name := range row {
			out := ""
			if i > 0 {
				out += link(row[i-1], "prev", "&lsaquo; %s")
			}
			if i+1 < len(row) {
				out += link(row[i+1], "next", "%s &rsaquo;")
			}
			if out != "" {
				links[name] = []byte("<nav>" + out + "</nav>\n")
			}
		}
	}
	return links, nil
}

// linkWithin changes links to other lessons into links to their pages. It
// replaces links to other files by their text.
func linkWithin(doc ast.Node) error {
	var links []*ast.Link
	err := ast.Walk(doc, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := node.(*ast.Link); ok && entering {
			links = append(links, link)
		}
		return ast.WalkContinue, nil
	})
	for _, link := range links {
		path, fragment, hasFragment := strings.Cut(string(link.Destination), "#")
		lesson, isMarkdown := strings.CutSuffix(path, ".md")
		switch {
		case path == "" || strings.Contains(path, "://"):
		case isMarkdown && !strings.Contains(path, "/"):
			path = lesson + ".html"
			if hasFragment {
				path += "#" + fragment
			}
			link.Destination = []byte(path)
		default:
			for link.FirstChild() != nil {
				link.Parent().InsertBefore(link.Parent(), link, link.FirstChild())
			}
			link.Parent().RemoveChild(link.Parent(), link)
		}
	}
	return err
}
