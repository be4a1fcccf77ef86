# What people and machines run. "make run" is the first thing to try.

# Without cgo: a machine with only Go can do everything here.
export CGO_ENABLED ?= 0

.PHONY: build run check lint dead vulnerabilities types test programs upstream-programs test-all test-slow test-race test-nightly bench bench-load bench-peers soak record golden test-upstream faults docs pictures release clean

# Without debugging data the linker takes a third of its time, and the binary is a fifth smaller: make build DEBUG=1 keeps the data.
LDFLAGS = $(if $(DEBUG),,-ldflags=-s)

build: ## the command line, and the same as a kubectl plugin with completion
	@echo "building apitrace (a minute or two the first time)"
	go build $(LDFLAGS) -o bin/apitrace ./cmd/apitrace
	ln -sf apitrace bin/kubectl-apitrace
	cp cmd/apitrace/kubectl_complete-apitrace bin/

run: build ## the first trace (the first time it builds kube-apiserver and etcd: minutes)
	bin/apitrace run get-node

# GOGC: these tests and the commands that they start live for seconds, and collecting their garbage takes a third of the time.
# One package more than there are processors: some tests wait. The longest packages begin first. Vet has just run.
QUICK = GOGC=400 .ci/tests
QUICK_FLAGS = -vet=off -ldflags=-s -p $$(($$(getconf _NPROCESSORS_ONLN) + 1)) -timeout 20m

check: lint ## formatting, static checks, and all tests that need no server, browser or build
	APITRACE_BROWSER= $(QUICK) "tests without a server" "$$(go list ./ui/web ./cmd/apitrace ./session && go list ./... | grep -v /e2e)" $(QUICK_FLAGS)

lint:
	test -z "$$(gofmt -l $$(git ls-files '*.go' | grep -v /testdata/))"
	go mod tidy -diff
	.ci/phase vet env GOGC=400 go vet ./...
	.ci/phase staticcheck env GOGC=400 go tool staticcheck ./...

# The rewriter inserts the calls of instrument/probe, so they are in no source of ours.
dead: ## lists functions that nothing calls; fails if there are any
	found=$$(go tool deadcode -test ./...) || exit 1; \
	! printf '%s\n' "$$found" | grep 'unreachable func' | grep -v '^instrument/probe/'

vulnerabilities: ## known vulnerabilities in the code that apitrace calls; says so if the database cannot be reached
	.ci/phase vulnerabilities .ci/vulnerabilities

# TypeScript's own compiler, which is written in Go by now. esbuild, which makes the bundle, drops the types unread.
types: ## checks the types of the page; the first time it builds the compiler: 400 s of processor time, 2.4 GB of memory
	go tool tsgo --project ui/web/page

# What every change needs. The end-to-end tests use the traced kube-apiserver and etcd: programs builds them first, or finds them in
# the cache. The packages of END_TO_END run whole here, so the first phase leaves them out. Two of them run at a time, the longest first: a
# test waits for its server or for a browser half of the time. The go command cannot see the servers, so it must not cache the results.
test: lint programs ## lint, then all tests, also the end-to-end tests
	APITRACE_BROWSER= $(QUICK) "tests without a server" "$$(go list ./... | grep -v -x -F "$$(go list $(END_TO_END))")" $(QUICK_FLAGS)
	$(E2E) .ci/tests "end to end" "$(END_TO_END)" -vet=off -ldflags=-s -p 2 -count 1 -timeout 60m

END_TO_END = ./e2e/commands ./ui/web ./cmd/apitrace ./internal/program ./apiserver ./storage ./e2e ./e2e/judge ./e2e/witness ./e2e/upstream ./e2e/load

programs: build
	.ci/phase "build the traced programs" bin/apitrace build --sample

# Upstream's own build of kube-apiserver, and kubectl, for the few tests that compare with them.
upstream-programs: build
	.ci/phase "build upstream's programs" bin/apitrace build --plain
	.ci/phase "build kubectl" go build -C e2e/testdata/kubectl -ldflags "-s -w -X k8s.io/component-base/version.gitVersion=v1.37.2" -o $(CURDIR)/bin/test/kubectl .

# With the kubectl of upstream-programs, if it is built, whatever the machine has.
E2E = APITRACE_E2E=1 PATH="$(CURDIR)/bin/test:$$PATH"

# The packages that have tests with names that begin with $(1).
with = $$(git grep -l '^func $(1)' -- '*_test.go' | xargs -n1 dirname | sort -u | sed 's|^|./|' | tr '\n' ' ')

# Nothing that "make test" has run is run again: slow tests have names of their own.
test-all: dead vulnerabilities test-race test-slow ## what is slow, on top of test: changes of the server, an older release, the race detector, types of the page
	.ci/phase "types of the page" $(MAKE) types

test-race:
	.ci/race
	.ci/arm64

test-slow: programs upstream-programs
	.ci/phase "build v1.30.4" bin/apitrace build --sample --k8s v1.30.4
	.ci/phase "build the control plane" bin/apitrace build --control-plane
	$(E2E) APITRACE_SLOW=1 .ci/tests "slow tests" "$(call with,TestSlow)" -vet=off -ldflags=-s -p 2 -count 1 -timeout 60m -run '^TestSlow'

test-nightly: programs upstream-programs ## what takes many minutes: all releases before the judge, 900 generated requests before upstream's own account of them, all releases in a site and by Go's own counters; the sources of all releases by the guide, an old release with its repairs, every scenario twenty times, every change of the course, a release in an empty cache, go install, Jaeger
	.ci/phase "build v1.22.17" bin/apitrace build --sample --k8s v1.22.17
	.ci/phase "build the control plane of v1.30.4" bin/apitrace build --control-plane --k8s v1.30.4
	$(E2E) APITRACE_NIGHTLY=1 .ci/tests "nightly tests" "$(call with,TestNightly)" -vet=off -ldflags=-s -p 1 -count 1 -timeout 3h -run '^TestNightly'

bench: programs upstream-programs ## measures what the README states, in about fifteen minutes
	go test -run '^$$' -bench . ./instrument/... ./trace/... ./view/... ./render/... ./workshop ./ui/terminal ./ui/dap ./ui/mcp ./cmd/apitrace
	APITRACE_E2E=1 go test -run '^$$' -bench . -benchtime 3x ./ui/web
	APITRACE_E2E=1 go test -timeout 30m -run '^$$' -bench Change -benchtime 3x ./e2e/commands
	APITRACE_E2E=1 go test -timeout 60m -run '^$$' -bench . -benchtime 5x ./e2e
	APITRACE_E2E=1 go test -timeout 30m -run '^$$' -bench Run -benchtime 5x ./e2e/commands

bench-peers: ## apitrace beside other ways to trace each call, as a table: half a minute
	APITRACE_E2E=1 go test -run '^$$' -bench Peers -benchtime 1x ./instrument

EACH ?= 1m
bench-load: programs upstream-programs ## a traced server and upstream's own build under load, as a table: twenty minutes; make bench-load EACH=6s for a trial
	APITRACE_E2E=1 go test -timeout 3h -run '^$$' -bench Load -benchtime 1x ./e2e/load -load.each $(EACH)

FOR ?= 20m
soak: programs upstream-programs ## a traced server under a steady load: memory, goroutines, files and traces must stay as they are; make soak FOR=3m
	APITRACE_E2E=1 APITRACE_SLOW=1 go test -timeout 3h -count 1 -v -run '^TestSlowSoak$$' ./e2e/load -load.soak $(FOR)

record: build ## the recordings that apitrace carries, of all releases or of some: make record K8S=v1.30.4
	go run ./cmd/apitrace-dev record $(addprefix --k8s ,$(K8S))
	go test ./trace/search -run TestUpdateIndex -count 1 -update
	go test ./trace/recordings -run TestKeysAreNoted -count 1 -update
	$(MAKE) build docs # which then contain them

test-upstream: build ## upstream's own unit tests, on the pristine source and on the rewritten one, idle and traced: compiles all packages anew; make test-upstream K8S=v1.30.4 ONLY=k8s.io/apiserver/pkg/audit/...
	APITRACE_E2E=1 APITRACE_NIGHTLY=1 go test -timeout 9h -count 1 -v -run '^TestNightlyUpstream$$' ./e2e/upstream $(addprefix -upstream.k8s ,$(K8S)) -upstream.only "$(ONLY)"

faults: build ## the recordings of the faulty servers of the course, which "make record" of the default release makes, too
	go run ./cmd/apitrace-dev record --faults
	$(MAKE) build

docs: ## the trees, pictures and keys in docs and README, out of what they show; the tests compare them
	go test ./e2e -run TestChangesPage -count 1 -update
	go test ./docs/lessons -run TestDrawings -count 1 -update
	go test ./ui/terminal -run TestDocsListTheBindings -count 1 -update
	APITRACE_E2E=1 go test ./cmd/apitrace -run TestDocsShowRealOutput -count 1 -update

golden: build docs ## the golden files of all tests, and what docs makes; read the diff before you commit it
	go test ./render ./trace ./trace/export ./internal/program ./ui/terminal -count 1 -update
	APITRACE_E2E=1 go test ./cmd/apitrace -run 'Script|Views|Explore' -count 1 -update

# In Chromium. The first line fetches the sources of both releases, if they are not in the cache.
pictures: build ## the pictures of the page in docs/pictures, out of the real page
	bin/apitrace source createHandler --k8s v1.30 >/dev/null && bin/apitrace source createHandler >/dev/null
	APITRACE_BROWSER=1 go test ./ui/web -run TestPictures -count 1 -update

# The checkout must have no changes. The version is the tag of the commit, or a pseudo-version.
release: ## the files of a release in bin/release: archives for four platforms, checksums, manifests of package managers
	go run ./cmd/apitrace-dev dist

clean: ## the binaries; "apitrace cache clean" removes what builds left in the cache
	rm -rf bin
