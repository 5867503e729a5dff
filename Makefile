# Two commands: `make run` shows Livetime at work, `make test` runs every test.
# Everything needed beyond Rust and a C compiler is fetched by cargo.

.PHONY: run test bench models clean

# By cargo, which knows where CARGO_TARGET_DIR or a configuration puts the program.
LIVETIME = cargo run --release --quiet --package livetime --

run: ## the simulated detector through areaDetector's eleven plugins, live on the screen; Ctrl-C ends it
	$(LIVETIME) run

test: ## every test, documentation examples and model checks included
	cargo test --workspace
	$(MAKE) --no-print-directory models

# Every interleaving of the lock-free parts. The bound on preemptions keeps it to a minute;
# `make models LOOM_MAX_PREEMPTIONS=` searches without bound.
LOOM_MAX_PREEMPTIONS ?= 2
LOOM_TARGET ?= $(or $(CARGO_TARGET_DIR),target)/loom
models:
	LOOM_MAX_PREEMPTIONS=$(LOOM_MAX_PREEMPTIONS) RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR=$(LOOM_TARGET) \
		cargo test --release --package livetime-frame --test loom
	LOOM_MAX_PREEMPTIONS=$(LOOM_MAX_PREEMPTIONS) RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR=$(LOOM_TARGET) \
		cargo test --release --package livetime-engine --lib models

bench: ## the measurements of docs/performance.md, as JSON in bench/out
	mkdir -p bench/out
	$(LIVETIME) bench plugins-2013 --json > bench/out/plugins-2013.json
	$(LIVETIME) bench nodes --json > bench/out/nodes.json
	$(LIVETIME) bench engine --json > bench/out/engine.json
	$(LIVETIME) bench graph examples/plugins-2013.yaml --json > bench/out/graph.json
	$(LIVETIME) bench analyze --json > bench/out/analyze.json
	$(LIVETIME) bench codecs --json > bench/out/codecs.json
	$(LIVETIME) bench hits --json > bench/out/hits.json
	$(LIVETIME) bench pva-get --json > bench/out/pva-get.json
	$(LIVETIME) bench pva-stages --json > bench/out/pva-stages.json
	$(LIVETIME) bench pva-monitor --json > bench/out/pva-monitor.json

clean:
	cargo clean
