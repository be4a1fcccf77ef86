package session

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/session/front"
	"github.com/kubeapitrace/apitrace/trace"
)

// A Row is one request's line in a summary.
type Row struct {
	Method, Path string
	// Status is the HTTP status, or 0 without an answer.
	Status int
	// HungUp is set if the client left before the answer's end.
	HungUp bool
	// Open is set if the recording ended before the answer did.
	Open bool
	// Start is when the first call began or, without a trace, when the request came.
	Start time.Time
	// Duration is how long the client waited or, for a watch, listened. For an event, it is
	// the time until the last call that it caused in the program.
	Duration time.Duration
	// Calls counts the calls. Incomplete is set if some are missing.
	Calls      int
	Incomplete bool
	// By is the number of the row that caused this one, counted from 1, or 0.
	By int
	// Etcd counts kube-apiserver's operations in etcd, by name: "Range", "Txn".
	Etcd map[string]int
	// Place is the result of Options.Keep.
	Place trace.Place
	// Err is why there is no trace, or nil.
	Err error
}

func newRow(x front.Exchange, request *trace.Request, err error) Row {
	row := Row{Method: x.Method, Path: x.Path, Status: x.Status, HungUp: x.HungUp, Start: x.Start, Duration: x.Duration, Err: err}
	if err == nil {
		row.take(request)
	}
	return row
}

// take fills in the fields from the trace.
func (r *Row) take(request *trace.Request) {
	r.Start, r.Calls, r.Incomplete = request.Start, len(request.Calls), len(request.Incomplete) > 0
	r.Etcd = etcdOperations(request)
}

// Summarize returns a recording's rows. A recording does not have the time that clients
// waited, so Duration is the result of Took.
func Summarize(rec *trace.Recording) []Row {
	var rows []Row
	var requests []*trace.Request
	for i := range rec.Requests {
		rows = append(rows, rowOf(&rec.Requests[i]))
		requests = append(requests, &rec.Requests[i])
	}
	linkRows(rows, requests)
	return rows
}

func rowOf(r *trace.Request) Row {
	row := Row{Method: r.Method, Path: r.Path, Status: r.Status, Duration: r.Took()}
	row.take(r)
	return row
}

// linkRows notes the cause of each row. requests are the requests of the rows, or nil.
func linkRows(rows []Row, requests []*trace.Request) {
	for i, by := range trace.CausedBy(requests) {
		if by < i { // else a broken file, which could lead in a circle
			rows[i].By = by + 1
		}
	}
}

// byTime returns the rows in the order of their start, as a file has them, with their
// causes. requests are the requests of the rows, or nil.
func byTime(rows []Row, requests []*trace.Request) []Row {
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return rows[x].Start.Compare(rows[y].Start) })
	sorted, of := make([]Row, len(rows)), make([]*trace.Request, len(rows))
	for to, from := range order {
		sorted[to], of[to] = rows[from], requests[from]
	}
	linkRows(sorted, of)
	return sorted
}

// etcdOperation matches the functions of etcd's client that send one request: the last
// functions before gRPC (client/v3/retry.go). Watches share a stream, so for a watch it
// matches the function that requests the watch.
var etcdOperation = regexp.MustCompile(`^go\.etcd\.io/etcd/client/v3\.(?:\(\*retry[A-Za-z]+Client\)|\(\*watcher\))\.([A-Za-z]+)$`)

func etcdOperations(request *trace.Request) map[string]int {
	count := map[string]int{}
	for i := range request.Calls {
		// etcd also contains the client, for calls of other servers.
		if m := etcdOperation.FindStringSubmatch(request.Calls[i].Function); m != nil && request.Calls[i].Process != trace.ProcessEtcd {
			count[m[1]]++
		}
	}
	return count
}

// Operations returns the etcd operations of all requests in a recording, such as
// "Range, 2 Txn", or "".
func Operations(rec *trace.Recording) string {
	all := map[string]int{}
	for i := range rec.Requests {
		for name, n := range etcdOperations(&rec.Requests[i]) {
			all[name] += n
		}
	}
	return operations(all)
}

// longValue matches a query value too wide for a table, such as the hash of an OpenAPI
// document.
var longValue = regexp.MustCompile(`=([^&]{24})[^&]{8,}`)

// cells returns the columns: status, calls, time, etcd, request.
func (r *Row) cells(p message.Printer) []string {
	status, calls := strconv.Itoa(r.Status), strconv.Itoa(r.Calls)
	switch {
	case r.Method == trace.MethodEvent:
		status = "-"
	case r.Status == 0:
		status = p.Sprintf("none")
	}
	if r.HungUp {
		status = p.Sprintf("%s (client hung up)", status)
	}
	if r.Open {
		status = p.Sprintf("%s (open at the end)", status)
	}
	if r.Err != nil {
		calls = p.Sprintf("not traced")
	} else if r.Incomplete {
		calls += "+"
	}
	return []string{status, calls, r.Duration.Round(10 * time.Microsecond).String(), r.etcd(), r.Method + " " + text.Escape(longValue.ReplaceAllString(r.Path, "=$1…"))}
}

// etcd returns the operations for a table.
func (r *Row) etcd() string { return cmp.Or(operations(r.Etcd), "-") }

// operations returns text such as "Range, 2 Txn", or "".
func operations(count map[string]int) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(count)) {
		if n := count[name]; n > 1 {
			name = fmt.Sprintf("%d %s", n, name)
		}
		all = append(all, name)
	}
	return strings.Join(all, ", ")
}

// Localize returns the row as a single line.
func (r *Row) Localize(p message.Printer) string { return strings.Join(r.cells(p), "  ") }

// String returns the row in English.
func (r *Row) String() string { return r.Localize(message.Printer{}) }

// Sort sorts rows by the time of the request.
func Sort(rows []Row) {
	slices.SortStableFunc(rows, func(x, y Row) int { return x.Start.Compare(y.Start) })
}

// WriteTable writes rows as a table, numbered from 1. If requests caused others, these are
// below them, indented, with the time since the first request. Events that caused no request
// are only counted.
func WriteTable(w io.Writer, rows []Row, p message.Printer) error {
	table := text.NewTable(2)
	if !slices.ContainsFunc(rows, func(r Row) bool { return r.By > 0 }) {
		table.Row("#", p.Sprintf("STATUS"), p.Sprintf("CALLS"), p.Sprintf("TIME"), "ETCD", p.Sprintf("REQUEST"))
		for i := range rows {
			cells := rows[i].cells(p)
			table.Row(i+1, cells[0], cells[1], cells[2], cells[3], cells[4])
		}
		return table.Write(w)
	}
	table.Row("#", p.Sprintf("STATUS"), p.Sprintf("CALLS"), p.Sprintf("AFTER"), p.Sprintf("TIME"), "ETCD", p.Sprintf("REQUEST"))
	below, silent := map[int][]int{}, 0
	for i := range rows {
		below[rows[i].By] = append(below[rows[i].By], i)
	}
	var write func(by int, indent string)
	write = func(by int, indent string) {
		for _, i := range below[by] {
			r := &rows[i]
			if r.Method == trace.MethodEvent && len(below[i+1]) == 0 {
				silent++
				continue
			}
			cells, after := r.cells(p), r.Start.Sub(rows[0].Start).Round(time.Millisecond)
			table.Row(i+1, cells[0], cells[1], after.String(), cells[2], cells[3], indent+cells[4])
			write(i+1, indent+"  ")
		}
	}
	write(0, "")
	if err := table.Write(w); err != nil || silent == 0 {
		return err
	}
	_, err := fmt.Fprintln(w, p.Sprintf("not listed: %d events that caused no request", silent))
	return err
}

// Choose returns the elements with these numbers, which count from 1, or all elements if
// only is empty.
func Choose[T any](all []T, only []int) ([]T, error) {
	if len(only) == 0 {
		return all, nil
	}
	var chosen []T
	for _, n := range only {
		if n > len(all) {
			return nil, message.UsageErrorf("--only %d: the requests are numbered from 1 to %d", n, len(all))
		}
		chosen = append(chosen, all[n-1])
	}
	return chosen, nil
}
