# An image that keeps a traced kube-apiserver running; docs/install.md shows how to use it. It contains Go because
# apitrace compiles the servers where it runs. Mount /cache: it holds everything that apitrace builds and downloads.
ARG GO=1.26

FROM golang:${GO} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /apitrace ./cmd/apitrace

FROM golang:${GO}
RUN useradd --create-home apitrace && install -d -o apitrace /cache
COPY --from=build /apitrace /usr/local/bin/apitrace
RUN ln -s apitrace /usr/local/bin/kubectl-apitrace
COPY LICENSE /usr/share/doc/apitrace/LICENSE
ENV CGO_ENABLED=0 XDG_CACHE_HOME=/cache GOMODCACHE=/cache/mod
USER apitrace
WORKDIR /home/apitrace
VOLUME /cache
ENTRYPOINT ["apitrace"]
CMD ["serve"]
