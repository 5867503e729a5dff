# Two commands: `make run` shows Livetime at work, `make test` runs every test.
# Everything needed beyond Rust and a C compiler is fetched by cargo, which shows on stderr what it builds.

.PHONY: python wheel wheel-test run test models bench bench-peers install uninstall clean

# By cargo, which knows where CARGO_TARGET_DIR or a configuration puts the program.
LIVETIME = cargo run --release --package livetime --
BENCH = cargo run --release --package livetime-bench --
XTASK = cargo run --quiet --package xtask --

run: ## the simulated detector through areaDetector's eleven plugins, live on the screen; Ctrl-C ends it
	$(LIVETIME) run

test: ## every test, documentation examples and model checks included
	@echo "building, then running every test; the end says what passed, failed and was skipped"
	@$(XTASK) test

python: ## the Python package: built, its tests, its documents' examples, its types
	@tools/python.sh

# In an environment of its own; needs PyPI. `pip install python/dist/livetime-*.whl` installs it, the program `livetime` too.
wheel: ## a wheel of the Python package and the program for Python 3.11 and newer, in python/dist
	@tools/wheel.sh build

wheel-test: ## installs the newest wheel in an environment of its own as a user does, and runs examples there
	@tools/wheel.sh test

# The lock-free parts under a model checker. The bound on preemptions keeps it to a minute;
# `make models LOOM_MAX_PREEMPTIONS=` searches without bound.
LOOM_MAX_PREEMPTIONS ?= 2
models:
	@LOOM_MAX_PREEMPTIONS=$(LOOM_MAX_PREEMPTIONS) $(XTASK) models

# One benchmark for each record: PAGE and COMMAND of docs/measurements.md.
BENCHES = plugins-2013 nodes engine analyze codecs hits ingest apa pva-get pva-stages pva-monitor served web
bench: ## every measurement of the documents that needs no peer, as JSON in bench/out (docs/measurements.md)
	mkdir -p bench/out
	cargo build --release --package livetime
	for what in $(BENCHES); do echo "bench $$what" >&2; $(BENCH) $$what --json > bench/out/$$what.json || exit 1; done
	$(BENCH) plugins-2013 --large --json > bench/out/plugins-2013-large.json
	$(BENCH) pva-get --spin --json > bench/out/pva-get-spin.json
	$(LIVETIME) bench graph examples/plugins-2013.yaml --json > bench/out/graph-plugins-2013.json

bench-peers: ## those with other implementations, which tools/ fetch and build
	mkdir -p bench/out
	$(BENCH) actors --peer "$$(tools/actors_peer.sh)" --json > bench/out/actors.json
	cargo build --release --package livetime-pva --example bench_server
	bench/pva_peers/run.py $(or $(CARGO_TARGET_DIR),target)/release/examples/bench_server --json bench/out/pva-peers.json

# Where `make install` puts things; PREFIX=/usr/local for everybody on the machine.
PREFIX ?= $(HOME)/.local
SHARE = $(PREFIX)/share

# The client of Kafka is C++ in part.
KAFKA = $(if $(shell command -v c++ 2> /dev/null),--features kafka)

install: ## the program, completions for bash, zsh and fish, and manual pages, below PREFIX
	@$(if $(KAFKA),,echo "without links over Kafka, which need a C++ compiler: apt-get install g++")
	cargo install --path crates/app $(KAFKA) --locked --force --profile dist --root "$(PREFIX)"
	mkdir -p "$(SHARE)/bash-completion/completions" "$(SHARE)/zsh/site-functions" "$(SHARE)/fish/vendor_completions.d"
	"$(PREFIX)/bin/livetime" completions bash > "$(SHARE)/bash-completion/completions/livetime"
	"$(PREFIX)/bin/livetime" completions zsh > "$(SHARE)/zsh/site-functions/_livetime"
	"$(PREFIX)/bin/livetime" completions fish > "$(SHARE)/fish/vendor_completions.d/livetime.fish"
	"$(PREFIX)/bin/livetime" man --output "$(SHARE)/man/man1"
	@command -v livetime > /dev/null || echo "$(PREFIX)/bin is not on your PATH: add it, or call $(PREFIX)/bin/livetime"

uninstall:
	cargo uninstall --root "$(PREFIX)" livetime
	rm -f "$(SHARE)/bash-completion/completions/livetime" "$(SHARE)/zsh/site-functions/_livetime"
	rm -f "$(SHARE)/fish/vendor_completions.d/livetime.fish" "$(SHARE)"/man/man1/livetime.1 "$(SHARE)"/man/man1/livetime-*.1

clean:
	cargo clean
