package web

import (
	"bytes"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// An Upload is the unchanged content of a recording's file: one JSON object, or several in a row.
type Upload struct{}

const uploadPath = Base + "/uploads"

// upload accepts a recording that the user has chosen in the page.
func (a *api) upload(r *restful.Request) (any, error) {
	data, err := io.ReadAll(r.Request.Body)
	if err != nil {
		return nil, bodyError(err)
	}
	name := path.Base(strings.ReplaceAll(r.QueryParameter("name"), `\`, "/"))
	head := LiveTrace{Kind: kindUpload, Title: name}
	rec, err := trace.Read(bytes.NewReader(data), name)
	if errors.As(err, new(*trace.CutError)) { // the rest of it can be shown
		head.Notices, err = []string{printerFor(r.Request).Error(err)}, nil
	}
	if err != nil {
		foreign, importErr := trace.ReadForeign(bytes.NewReader(data), name)
		if importErr != nil {
			return nil, badRequest(err, "choose a file that \"apitrace run --save\" wrote, the output of \"-o json\", or OTLP JSON whose spans name their functions")
		}
		rec = foreign
		for _, request := range rec.Requests {
			for _, lack := range request.Lacks() {
				head.Notices = append(head.Notices, lack.Localize(printerFor(r.Request)))
			}
		}
	}
	if len(rec.Requests) == 0 {
		return nil, badRequest(message.Errorf("the recording %q has no request", name), "choose another file")
	}
	return a.live.keep(head, rec)
}
