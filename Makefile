# What people and machines run. "make run" is the first thing to try.

# Without cgo: a machine with only Go can do everything here.
export CGO_ENABLED ?= 0

.PHONY: build run test programs test-all bench record docs lint clean

build: ## the command line, and the same as a kubectl plugin
	@echo "building apitrace (a minute or two the first time)"
	go build -o bin/apitrace ./cmd/apitrace
	ln -sf apitrace bin/kubectl-apitrace

run: build ## the first trace (the first time it builds kube-apiserver and etcd: minutes)
	bin/apitrace run get-node

# What every change needs. The end-to-end tests want kube-apiserver and etcd, with tracing
# and as upstream builds them: those are built first, or found in the cache, so that one
# sees how far it is. One package at a time: two servers at once would slow each other down.
test: programs ## all tests but the slow ones
	$(E2E) go test -p 1 -timeout 30m ./...

programs: build
	bin/apitrace build --sample
	bin/apitrace build --plain
	go build -C e2e/testdata/kubectl -ldflags "-s -w -X k8s.io/component-base/version.gitVersion=v1.37.2" -o $(CURDIR)/bin/test/kubectl .

# With the kubectl that programs has built, whatever the machine has.
E2E = APITRACE_E2E=1 PATH="$(CURDIR)/bin/test:$$PATH"

test-all: programs lint ## what takes longer: static checks, the slow tests, the race detector
	bin/apitrace build --sample --k8s v1.30.4
	bin/apitrace build --sample --k8s v1.22.17
	$(E2E) APITRACE_SLOW=1 go test -p 1 -count 1 -timeout 60m ./...
	.ci/race

bench: programs ## measures what the README states, in about fifteen minutes
	go test -run '^$$' -bench . ./instrument/... ./trace/... ./render/... ./workshop ./cmd/apitrace
	APITRACE_E2E=1 APITRACE_SLOW=1 go test -timeout 30m -run '^$$' -bench Change -benchtime 3x ./cmd/apitrace
	APITRACE_E2E=1 APITRACE_SLOW=1 go test -timeout 60m -run '^$$' -bench . -benchtime 5x ./e2e

record: build ## the recordings that apitrace carries, of all releases or of some: make record K8S=v1.30.4
	bin/apitrace record-library $(addprefix --k8s ,$(K8S))
	$(MAKE) build docs # which then contain them

docs: ## the trees in docs and README, out of the recordings; the tests compare them
	go test ./cmd/apitrace -run "TestDocsShowRealOutput|TestChangesPage" -count 1 -update

lint:
	test -z "$$(gofmt -l $$(git ls-files '*.go' | grep -v /testdata/))"
	go vet ./...
	go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

clean: ## the binaries; "apitrace cache clean" removes what builds left in the cache
	rm -rf bin
