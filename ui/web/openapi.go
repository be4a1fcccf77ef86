package web

import (
	restfulspec "github.com/emicklei/go-restful-openapi/v2"
	"github.com/emicklei/go-restful/v3"
	"github.com/go-openapi/spec"
)

// openAPI describes a service in OpenAPI 2.0, the
// version that kube-apiserver serves at /openapi/v2.
func openAPI(service *restful.WebService, version string) (any, error) {
	return restfulspec.BuildSwagger(restfulspec.Config{
		WebServices: []*restful.WebService{service},
		PostBuildSwaggerObjectHandler: func(s *spec.Swagger) {
			s.Info = &spec.Info{InfoProps: spec.InfoProps{Title: "apitrace", Version: version,
				Description: "Recordings of real kube-apiserver releases: the calls of each request, their sources and their story."}}
		},
	}), nil
}
