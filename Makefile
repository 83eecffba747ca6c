# Every target sets up what it needs. `make run` is the product on this machine, `make test` is all of its tests.
.PHONY: run test fuzz lint gen fresh bench build setup tools

run: build
	./bin/veracity dev

build: setup
	go build -o bin/veracity ./cmd/veracity

test:
	scripts/setup test
	scripts/tools test
	go vet ./...
	go test -race -timeout 20m ./...

# Longer than the tests do, which fuzz too: FUZZTIME (30s) for each target, APIFUZZTIME (5m) for the API.
fuzz:
	scripts/setup test
	scripts/tools test
	scripts/fuzz

lint: setup
	scripts/lint

# What is generated is committed: templ's Go files and the sample pictures.
gen:
	go tool templ generate
	go generate ./...

# Fails when a generated file is not what its source makes.
fresh:
	scripts/fresh

bench: build
	scripts/tools test
	bench/run

setup:
	scripts/setup

# The pinned tools that tests and lint use, in a folder outside the tree.
tools:
	scripts/tools test
	scripts/tools lint
