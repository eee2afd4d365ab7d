# SPDX-License-Identifier: Apache-2.0
#
# What one does with this package on one's own machine. `make` alone lists it.

SWIFT ?= swift
# More for the compiler, such as `-Xswiftc -warnings-as-errors`.
SWIFT_FLAGS ?=
# More for the tests, such as `--filter TunTests`.
TEST_FLAGS ?=
# More targets for `make run`, such as TARGETS="192.0.2.1 www.swift.org".
TARGETS ?=
# How long `make fuzz` works on each target.
FUZZ_SECONDS ?= 60
# Where `make install` puts things.
PREFIX ?= /usr/local
# BENCH=full: also what takes minutes, a million routes and the start of the installed program. BENCH=check: a few
# things, and an error where counts are not as they have to be, or times more than twice what they should in three tries.
BENCH ?=
# What `make lab` boots, and rows for it to run instead of all, such as ROWS="ppp wifi".
KERNEL ?= 6.1 6.12
ROWS ?=
# Where the figures go.
BENCH_JSON ?= .build/benchmarks.json

# Where `make compare` writes what it has seen.
COMPARISON ?= Docs/Comparison.md
# How long `make soak` takes, apart from its storms; a number to begin from, such as one that was printed; how many storms.
MINUTES ?= 10
SEED ?=
STORMS ?= 100

SANDBOX := .build/sandbox
GLIB_WATCHER := .build/glib-watcher

.DEFAULT_GOAL := help
.PHONY: fuzz freshness install uninstall help run test sanitize bench compare soak lab docs format clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## install what is missing, build, show the flags of 127.0.0.1, ::1, default, localhost and TARGETS="..."
	@Scripts/require swift compiler pkg-config c-ares
	@$(SWIFT) build --configuration release --product reachability $(SWIFT_FLAGS)
	@"$$($(SWIFT) build --configuration release --show-bin-path)/reachability" check 127.0.0.1 ::1 default localhost $(TARGETS) \
	    || [ $$? -eq 1 ] # 1 says that not all are reachable, which is an answer

test: $(SANDBOX) ## install what is missing, build, run the tests in namespaces of their own
	@Scripts/require swift compiler pkg-config c-ares ip dnsmasq dbus socat valgrind
	@$(SWIFT) build --build-tests $(SWIFT_FLAGS)
	@Scripts/test $(SANDBOX) "$$($(SWIFT) build --show-bin-path)" $(TEST_FLAGS)

sanitize: $(SANDBOX) ## the tests under Thread Sanitizer, then under Address and Undefined Behaviour Sanitizer
	@Scripts/require swift compiler pkg-config c-ares ip dnsmasq dbus socat
	@SWIFT="$(SWIFT)" Scripts/sanitize thread $(SANDBOX) $(TEST_FLAGS)
	@SWIFT="$(SWIFT)" Scripts/sanitize memory $(SANDBOX) $(TEST_FLAGS)

fuzz: ## give arbitrary bytes to what reads them, FUZZ_SECONDS for each of five targets
	@Scripts/require swift compiler pkg-config c-ares
	@SWIFT="$(SWIFT)" Scripts/fuzz $(FUZZ_SECONDS)

freshness: $(SANDBOX) ## 100,000 changes of each kind, each followed at once by a question; some ten minutes
	@Scripts/require swift compiler pkg-config c-ares ip
	@$(SWIFT) build --build-tests $(SWIFT_FLAGS)
	@REACHABILITY_FULL=1 Scripts/test $(SANDBOX) "$$($(SWIFT) build --show-bin-path)" \
	    --filter ReachabilityKitTests.FreshnessTests --filter ReachabilityKitTests.RingFreshnessTests

bench: $(SANDBOX) ## measure against C programs that do only the unavoidable work (BENCH=full: also what takes minutes; BENCH=check: half a minute, may fail)
	@Scripts/require swift compiler pkg-config c-ares ip
	@$(SWIFT) build --configuration release --product benchmarks $(SWIFT_FLAGS)
	@[ "$(BENCH)" != full ] || Scripts/install "$(CURDIR)/.build/bench"
	@$(SANDBOX) "$$($(SWIFT) build --configuration release --show-bin-path)/benchmarks" \
	    $(if $(filter check,$(BENCH)),--check,--json $(BENCH_JSON)) \
	    $(if $(filter full,$(BENCH)),--full --static "$(CURDIR)/.build/bench/bin/reachability")

compare: $(SANDBOX) $(GLIB_WATCHER) ## this package beside GLib and the kernel, written to Docs/Comparison.md; some three minutes
	@Scripts/require swift compiler pkg-config c-ares ip
	@$(SWIFT) build --configuration release --product compare $(SWIFT_FLAGS)
	@GIO_USE_NETWORK_MONITOR=netlink GIO_MODULE_DIR=/nonexistent $(SANDBOX) \
	    "$$($(SWIFT) build --configuration release --show-bin-path)/compare" --glib $(GLIB_WATCHER) $(COMPARISON)

soak: $(SANDBOX) ## change a network at random for MINUTES, beside a hundred storms, and compare every answer with the kernel's
	@Scripts/require swift compiler pkg-config c-ares ip
	@$(SWIFT) build --configuration release --product soak $(SWIFT_FLAGS)
	@$(SANDBOX) "$$($(SWIFT) build --configuration release --show-bin-path)/soak" $(MINUTES) $(SEED)
	@$(SWIFT) build --build-tests $(SWIFT_FLAGS)
	@REACHABILITY_STORMS=$(STORMS) Scripts/test $(SANDBOX) "$$($(SWIFT) build --show-bin-path)" \
	    --filter EngineTests.StormTests

lab: $(SANDBOX) ## see real links of every kind in virtual machines with Debian's kernels (KERNEL=6.12 for one of them)
	@Scripts/require swift compiler pkg-config c-ares qemu kmod cpio xz
	@$(SWIFT) build --build-tests $(SWIFT_FLAGS)
	@ROWS="$(ROWS)" Tests/Lab/lab .build/lab $(SANDBOX) "$$($(SWIFT) build --show-bin-path)" $(KERNEL)

docs: ## make the libraries' pages in .build/docs, and check them and the manual pages; says how to look at them
	@Scripts/require swift compiler pkg-config c-ares mandoc
	@Scripts/docs $(SWIFT_FLAGS)

format: ## put all Swift sources into the one form
	@$(SWIFT) format --in-place --parallel --recursive Package.swift Sources Tests Examples

install: ## install programs, manual pages, libraries and headers below PREFIX, such as PREFIX=/usr/local
	@Scripts/install "$(PREFIX)"

uninstall: ## remove what was installed below PREFIX
	@Scripts/install --remove "$(PREFIX)"

clean: ## remove all that was built
	@rm -rf .build

$(SANDBOX): Tests/Support/sandbox/sandbox.c
	@Scripts/require compiler
	@mkdir -p $(@D)
	@$(CC) -std=gnu17 -O2 -Wall -Wextra -Werror -o $@ $<

$(GLIB_WATCHER): Tests/Compare/glib/glib-watcher.c
	@Scripts/require compiler pkg-config glib
	@mkdir -p $(@D)
	@$(CC) -std=gnu17 -O2 -Wall -Wextra -Werror -o $@ $< $$(pkg-config --cflags --libs gio-2.0)
