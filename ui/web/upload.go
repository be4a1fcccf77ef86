package web

import (
	"bytes"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace"
)

// An Upload is the unchanged content of a recording's file: one JSON object, or
// several one after another.
type Upload struct{}

const uploadPath = Base + "/uploads"

// mostName is the maximum length of a kept file name, in bytes.
const mostName = 200

// upload accepts a recording that the user chose in the page.
func (a *api) upload(r *restful.Request) (any, error) {
	a.uploading.Lock() // reading a file takes six times its size in memory
	defer a.uploading.Unlock()
	data, err := io.ReadAll(r.Request.Body)
	if err != nil {
		return nil, bodyError(err)
	}
	name := path.Base(strings.ReplaceAll(strings.ToValidUTF8(r.QueryParameter("name"), "?"), `\`, "/"))
	name = text.Escape(name[:min(len(name), mostName)])
	var said untranslated
	rec, err := trace.Read(bytes.NewReader(data), name)
	if errors.As(err, new(*trace.CutError)) { // the complete requests before the cut can be shown
		said.notices, err = []message.Message{message.Of("%s", err)}, nil
	}
	if err != nil {
		foreign, importErr := trace.ReadForeign(bytes.NewReader(data), name)
		if importErr != nil {
			if bytes.Contains(data, []byte(`"resourceSpans"`)) && !bytes.Contains(data, []byte(`"apitrace.scenario"`)) {
				err = importErr // these are spans of another program
			}
			return nil, badRequest(err, message.Of("choose a file that \"apitrace run --save\" wrote, the output of \"-o json\", or OTLP JSON whose spans name their functions"))
		}
		rec = foreign
		for _, request := range rec.Requests {
			said.notices = append(said.notices, request.Lacks()...)
		}
	}
	if len(rec.Requests) == 0 {
		return nil, badRequest(message.Errorf("the recording %q has no request", name), message.Of("choose another file"))
	}
	kept, err := a.live.keep(LiveTrace{Kind: kindUpload, Title: name}, said, rec)
	return kept.in(printerOf(r)), err
}
