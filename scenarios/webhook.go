package scenarios

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubeapitrace/apitrace/internal/authority"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/strictyaml"
)

// A Webhook is an admission or conversion webhook that the player serves during the
// replay, by HTTPS on the loopback interface. An object of the setup registers it: there,
// "${name.url}" stands for its address and "${name.caBundle}" for its certificate
// authority, new in each run. Conversion only changes the version of an object.
type Webhook struct {
	// Name is the webhook's name in the scenario.
	Name string `yaml:"name"`
	// Denies makes the webhook deny each request.
	Denies bool `yaml:"denies"`
	// Code is a denial's HTTP status, and Message its reason. Without a Code, the server
	// uses 400.
	Code    int    `yaml:"code"`
	Message string `yaml:"message"`
	// Patch is the JSON patch in the webhook's answer.
	Patch *Document `yaml:"patch"`
	// Warnings are the warnings for the client.
	Warnings []string `yaml:"warnings"`
	// Delay is the time before the answer.
	Delay time.Duration `yaml:"delay"`
	// Silent makes the webhook accept requests and never answer.
	Silent bool `yaml:"silent"`
	// TakesNames is the number of generated names that the webhook takes from each
	// request with this webhook in its Asks. To take a name, the webhook creates an
	// object with the name before it answers. It does so as the administrator.
	TakesNames int `yaml:"takesNames"`
}

// A webhook is a Webhook that the player serves.
type webhook struct {
	*Webhook
	url     string
	server  *http.Server
	closing chan struct{}
	names   nameTaker
	// asked counts the received requests. pending counts the requests without an answer.
	asked, pending atomic.Int64
	served         sync.WaitGroup
}

// webhooks are the webhooks of a run, by name.
type webhooks map[string]*webhook

// serveWebhooks starts a scenario's webhooks and adds their addresses and authorities to
// values. Webhooks that take names use wire.
func serveWebhooks(ctx context.Context, wanted []Webhook, values kept, wire *wire) (webhooks, error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	authority, err := authority.New("apitrace webhooks")
	if err != nil {
		return nil, err
	}
	all := webhooks{}
	for i := range wanted {
		w, err := serveWebhook(ctx, &wanted[i], authority, wire)
		if err != nil {
			return nil, errors.Join(message.Errorf("serving webhook %q: %w", wanted[i].Name, err), all.close())
		}
		all[w.Name] = w
		values[w.Name+".url"] = w.url
		values[w.Name+".caBundle"] = base64.StdEncoding.EncodeToString(authority.CertPEM)
	}
	return all, nil
}

func serveWebhook(ctx context.Context, wanted *Webhook, authority *authority.Authority, wire *wire) (*webhook, error) {
	cert, key, err := authority.Issue(wanted.Name)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &webhook{Webhook: wanted, url: "https://" + listener.Addr().String() + "/" + wanted.Name, closing: make(chan struct{})}
	w.names.wire = wire
	w.server = &http.Server{
		Handler:   w,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12},
		// kube-apiserver reports errors of the connection in its answer.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	w.served.Go(func() { _ = w.server.ServeTLS(listener, "", "") }) // ends when it is closed
	return w, nil
}

// close ends all webhooks, and hangs up on open requests.
func (w webhooks) close() error {
	var errs []error
	for _, hook := range w {
		close(hook.closing)
		errs = append(errs, hook.server.Close())
		hook.served.Wait()
	}
	return errors.Join(errs...)
}

// waiting returns the quoted names of webhooks with an unanswered request.
func (w webhooks) waiting() []string {
	var names []string
	for name, hook := range w {
		if hook.pending.Load() > 0 {
			names = append(names, fmt.Sprintf("%q", name))
		}
	}
	slices.Sort(names)
	return names
}

// begin announces a request to the webhook that it must reach. name may be empty.
func (w webhooks) begin(name string) {
	if hook := w[name]; hook != nil {
		hook.names.begin(hook.TakesNames)
	}
}

// asked returns how many requests a webhook has received. name may be empty.
func (w webhooks) asked(name string) int64 {
	if hook := w[name]; hook != nil {
		return hook.asked.Load()
	}
	return 0
}

// ServeHTTP answers one admission review or conversion review.
func (w *webhook) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.asked.Add(1)
	w.pending.Add(1)
	defer w.pending.Add(-1)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	answer := w.reviewer(body)
	if answer == nil {
		http.Error(rw, "expected an AdmissionReview or a ConversionReview with a request", http.StatusBadRequest)
		return
	}
	if !w.waits(r.Context()) {
		panic(http.ErrAbortHandler) // hangs up; a return would send an answer
	}
	answered, err := answer(r.Context())
	if err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	rw.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(rw).Encode(answered) // an error means that the client has hung up
}

// reviewer returns the function that answers the review in body, or nil if body has none.
func (w *webhook) reviewer(body []byte) func(context.Context) (any, error) {
	var admission admissionv1.AdmissionReview
	var conversion conversionReview
	switch {
	case json.Unmarshal(body, &conversion) == nil && conversion.Kind == "ConversionReview" && conversion.Request != nil:
		return func(context.Context) (any, error) { return w.convert(conversion), nil }
	case json.Unmarshal(body, &admission) == nil && admission.Request != nil:
		return func(ctx context.Context) (any, error) {
			if err := w.names.take(ctx, admission.Request); err != nil {
				return nil, err
			}
			admission.Response, admission.Request = w.answer(admission.Request), nil
			return admission, nil
		}
	}
	return nil
}

// A conversionReview is a ConversionReview of apiextensions.k8s.io/v1.
type conversionReview struct {
	metav1.TypeMeta
	Request *struct {
		UID               types.UID
		DesiredAPIVersion string
		Objects           []map[string]any
	} `json:"request,omitempty"`
	Response *conversionResponse `json:"response,omitempty"`
}

type conversionResponse struct {
	UID              types.UID        `json:"uid"`
	ConvertedObjects []map[string]any `json:"convertedObjects"`
	Result           metav1.Status    `json:"result"`
}

// convert answers a conversion review. The converted objects have the desired version and
// are otherwise the same.
func (w *webhook) convert(review conversionReview) conversionReview {
	response := &conversionResponse{UID: review.Request.UID, Result: metav1.Status{Status: metav1.StatusSuccess}}
	if w.Denies {
		response.Result = metav1.Status{Status: metav1.StatusFailure, Message: w.Message}
	}
	for _, object := range review.Request.Objects {
		object["apiVersion"] = review.Request.DesiredAPIVersion
		response.ConvertedObjects = append(response.ConvertedObjects, object)
	}
	review.Request, review.Response = nil, response
	return review
}

// waits waits for the webhook's delay and reports whether the webhook then answers.
func (w *webhook) waits(ctx context.Context) bool {
	var answer <-chan time.Time
	if !w.Silent {
		answer = time.After(w.Delay)
	}
	select {
	case <-answer:
		return true
	case <-ctx.Done():
	case <-w.closing:
	}
	return false
}

func (w *webhook) answer(asked *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
	response := &admissionv1.AdmissionResponse{UID: asked.UID, Allowed: !w.Denies, Warnings: w.Warnings}
	if w.Denies {
		response.Result = &metav1.Status{Code: int32(w.Code), Message: w.Message}
	}
	if w.Patch != nil {
		kind := admissionv1.PatchTypeJSONPatch
		response.Patch, response.PatchType = w.Patch.json, &kind
	}
	return response
}

// validWebhookName matches the name of a webhook, which is the part of a placeholder
// before the dot.
var validWebhookName = regexp.MustCompile(`^\w+$`)

// validate returns the first mistake, placed below the webhook.
func (w *Webhook) validate() *strictyaml.Mistake {
	switch {
	case !validWebhookName.MatchString(w.Name):
		return strictyaml.MistakeAt(message.Of("name is %q, expected letters and digits, such as \"labeler\": an object of the setup gets its address by \"${labeler.url}\"", w.Name), "name")
	case w.Denies && w.Patch != nil:
		return strictyaml.MistakeAt(message.Of("a webhook that denies cannot patch as well"), "patch")
	case !w.Denies && (w.Code != 0 || w.Message != ""):
		return strictyaml.MistakeAt(message.Of("code and message belong to a webhook with \"denies: true\""))
	case w.Code != 0 && (w.Code < 400 || w.Code > 599):
		return strictyaml.MistakeAt(message.Of("code is %d, expected the status of a denial, 400 to 599", w.Code), "code")
	case w.TakesNames < 0:
		return strictyaml.MistakeAt(message.Of("takesNames is %d, expected how many names to take of each request", w.TakesNames), "takesNames")
	case w.Delay < 0:
		return strictyaml.MistakeAt(message.Of("delay is %s, expected a time such as \"500ms\"", w.Delay), "delay")
	}
	return nil
}
