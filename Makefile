# Two commands: `make run` shows Livetime at work, `make test` runs every test.
# Everything needed beyond Rust and a C compiler is fetched by cargo.

.PHONY: run test bench models clean

run: ## the simulated detector through areaDetector's eleven plugins, live on the screen; Ctrl-C ends it
	cargo build --release --quiet --package livetime
	./target/release/livetime run

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
	cargo build --release --quiet --package livetime
	mkdir -p bench/out
	./target/release/livetime bench plugins-2013 --json > bench/out/plugins-2013.json
	./target/release/livetime bench nodes --json > bench/out/nodes.json
	./target/release/livetime bench engine --json > bench/out/engine.json
	./target/release/livetime bench graph examples/plugins-2013.yaml --json > bench/out/graph.json
	./target/release/livetime bench analyze --json > bench/out/analyze.json
	./target/release/livetime bench codecs --json > bench/out/codecs.json
	./target/release/livetime bench hits --json > bench/out/hits.json
	./target/release/livetime bench pva-get --json > bench/out/pva-get.json
	./target/release/livetime bench pva-stages --json > bench/out/pva-stages.json
	./target/release/livetime bench pva-monitor --json > bench/out/pva-monitor.json

clean:
	cargo clean
