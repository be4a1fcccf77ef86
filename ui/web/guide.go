package web

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/docs/lessons"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/view"
	"github.com/kubeapitrace/apitrace/workshop"
)

// A GuideList has the layers of the guide with their key steps, in the order that
// a request passes the layers. In each layer, kube-apiserver's steps come before
// the sample server's, because most readers look for kube-apiserver's.
type GuideList struct {
	Items []GuideLayer `json:"items" description:"The layers."`
}

// A GuideLayer is a layer with its key steps.
type GuideLayer struct {
	Layer  string      `json:"layer" description:"Name of the layer, empty for steps that are in none."`
	Title  string      `json:"title" description:"Title of the layer for people."`
	Colour string      `json:"colour" description:"Colour of the layer, empty if it has none."`
	Steps  []GuideStep `json:"steps" description:"The key steps."`
}

// A GuideStep is a key step: a function, or all functions that match a pattern.
type GuideStep struct {
	Function string   `json:"function" description:"Full name of the function, or a pattern."`
	Name     string   `json:"name" description:"Its short name."`
	Note     string   `json:"note" description:"What the function decides, and why it is there; empty for a step without a note."`
	Since    string   `json:"since,omitempty" description:"The first release with the function; absent for no limit."`
	Until    string   `json:"until,omitempty" description:"The last release with the function; absent for no limit."`
	Values   []string `json:"values" description:"Names of the values that are recorded."`
}

// ofSample returns 1 for a step in the sample server's own code, else 0.
func ofSample(s GuideStep) int {
	if strings.HasPrefix(s.Function, sampleserver.Module+"/") {
		return 1
	}
	return 0
}

// getGuide lists the key steps of all releases.
func (a *api) getGuide(r *restful.Request) (any, error) {
	lang := queryOf(r, paramLang)
	guide, err := instrument.Load()
	if err != nil {
		return nil, err
	}
	titles := guide.ForReader(lang)
	list, at := GuideList{Items: []GuideLayer{}}, map[string]int{}
	layer := func(name string) *GuideLayer {
		if _, known := at[name]; !known {
			at[name] = len(list.Items)
			list.Items = append(list.Items, GuideLayer{Layer: name, Title: titles.Title(name), Colour: view.LayerColour(name), Steps: []GuideStep{}})
		}
		return &list.Items[at[name]]
	}
	for _, l := range guide.Layers { // a layer can have several entries
		layer(l.Name)
	}
	for _, step := range guide.Steps {
		function := string(step.Function)
		out := GuideStep{
			Function: function, Name: funcname.Short(function), Note: step.Note.In(lang), Since: step.Since, Until: step.Until, Values: []string{},
		}
		for _, v := range step.Values {
			out.Values = append(out.Values, v.Name)
		}
		of := layer(titles.Layer(function))
		of.Steps = append(of.Steps, out)
	}
	for _, l := range list.Items {
		slices.SortStableFunc(l.Steps, func(a, b GuideStep) int { return cmp.Compare(ofSample(a), ofSample(b)) })
	}
	return list, nil
}

// A LessonList lists the lessons of the course.
type LessonList struct {
	Items []LessonTitle `json:"items" description:"The lessons, in the order of the course."`
}

// A LessonTitle is a lesson in a list.
type LessonTitle struct {
	Name    string `json:"name" description:"Name of the lesson."`
	Title   string `json:"title" description:"Its title."`
	Kind    string `json:"kind" description:"The readers of the page: learners of the course, readers who look something up, or leaders of a workshop." enum:"course|reference|leaders"`
	Says    string `json:"says" description:"What the reader learns, in a sentence."`
	Minutes int    `json:"minutes" description:"About how many minutes it takes to read, without exercises."`
	// Exercises are the exercises of the chapters with the lesson.
	Exercises []LessonExercise `json:"exercises" description:"The exercises of its chapter, in their order."`
}

// A LessonExercise is an exercise that belongs to a lesson.
type LessonExercise struct {
	Name    string `json:"name" description:"Name of the exercise."`
	Minutes int    `json:"minutes" description:"How long it takes."`
}

func (a *api) listLessons(r *restful.Request) (any, error) {
	lang := queryOf(r, paramLang)
	course, err := workshop.Open("")
	if err != nil {
		return nil, err
	}
	list := LessonList{Items: []LessonTitle{}}
	for _, name := range lessons.Names() {
		source, err := lessons.Page(name, lang)
		if err != nil {
			return nil, err
		}
		title := LessonTitle{Name: name, Title: lessonTitle(source), Kind: string(lessons.KindOf(name)), Says: firstSentence(source), Minutes: minutesToRead(source), Exercises: []LessonExercise{}}
		for i := range course.Chapters {
			c := &course.Chapters[i]
			if path.Base(c.Lesson) != name {
				continue
			}
			if len(title.Exercises) == 0 {
				title.Says = c.Teaches.In(lang)
			}
			for _, e := range c.Exercises {
				title.Exercises = append(title.Exercises, LessonExercise{e.Name, e.Minutes})
			}
		}
		list.Items = append(list.Items, title)
	}
	return list, nil
}

// firstSentence returns the first sentence of a page, without marks.
func firstSentence(source string) string {
	paragraphs := strings.Split(source, "\n\n")
	if len(paragraphs) < 2 {
		return ""
	}
	text := strings.ReplaceAll(strings.Join(strings.Fields(linkMark.ReplaceAllString(paragraphs[1], "$1")), " "), "`", "")
	for _, end := range []string{". ", "\u3002"} {
		if sentence, _, more := strings.Cut(text, end); more {
			return sentence + strings.TrimSpace(end)
		}
	}
	return text
}

var (
	// linkMark matches a link in Markdown.
	linkMark = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	// codeBlock matches a block of code in Markdown.
	codeBlock = regexp.MustCompile("(?ms)^```.*?^```")
)

// minutesToRead estimates how long a page takes: 150 English words or 300 Chinese
// characters a minute, and half a minute for each block of code.
func minutesToRead(source string) int {
	text := codeBlock.ReplaceAllString(source, "")
	blocks := len(codeBlock.FindAllString(source, -1))
	chinese := 0
	for _, c := range text {
		if unicode.Is(unicode.Han, c) {
			chinese++
		}
	}
	words := 0
	if chinese < len(text)/10 {
		words = len(strings.Fields(text))
	}
	return max(1, words/150+chinese/300+(blocks+1)/2)
}

// lessonTitle returns the title of a lesson's page.
func lessonTitle(source string) string {
	title, _, _ := strings.Cut(strings.TrimLeft(source, "# "), "\n")
	return title
}
