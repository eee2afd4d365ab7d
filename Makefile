# SPDX-License-Identifier: Apache-2.0
#
# The commands of this package. `make` alone lists them.

export SWIFT ?= swift
# More options for `swift build`, such as `-Xswiftc -warnings-as-errors` or `--build-system swiftbuild`.
SWIFT_FLAGS ?=
# More options for the tests, such as `--filter TunTests`.
TEST_FLAGS ?=
# More targets for `make run`, such as TARGETS="192.0.2.1 www.swift.org".
TARGETS ?=
# How long `make fuzz` works on each target.
FUZZ_SECONDS ?= 60
# Where `make install` installs.
export PREFIX ?= /usr/local
# The processor that `make deb` packs for, and what was installed for it elsewhere (Docs/Platforms.md).
ARCH ?=
TREE ?=
# The releases of Debian that `make test-deb` installs the packages in (arm64: Debian 13 in an emulated machine), and that
# `make lab-systemd` boots (12 and 13 only).
DEBIAN ?= 12 13 sid
# BENCH=full also measures what takes minutes: a million routes, and the start of the installed program. BENCH=check measures
# little, and fails if counts are wrong, or if times are more than twice their limit in three tries.
BENCH ?=
# The kernels that `make lab` boots (those of Tests/Lab/releases), the rows it runs instead of all, such as
# ROWS="ppp wifi", and where it keeps what it downloads.
KERNELS ?= 5.10 6.1 6.12 sid
ROWS ?=
LAB_CACHE ?= .build/lab
# What `make lab-systemd` does: "units" and "exports" check the installed units, "rows" measures the situations, or those that
# ROWS names.
PARTS ?= units exports rows
# The platforms of `make platforms`.
ONLY ?= 13 sid arm64
# Where the benchmarks write their figures as JSON, unless BENCH is check.
BENCH_JSON ?= .build/benchmarks.json

# Where `make compare` keeps the newest GLib, and where it writes its results.
GLIB_CACHE ?= /var/cache/reachability-compare
COMPARISON ?= Docs/Results/Comparison.md
# The picture that `make picture` draws from them.
PICTURE ?= Docs/Pictures/cost.svg
# For `make oracle`: how many answers are compared. SEED is that of an earlier run.
COUNT ?= 10000
# How often `make forks` forks.
FORKS ?= 10000
# For `make soak`: how long it runs, apart from the storms; a seed that an earlier run printed; the number of storms.
MINUTES ?= 10
SEED ?=
STORMS ?= 100
# For `make mutants`: how many are made, which of these are tried, and where: in the lines that so many of the last commits have
# changed (0: in all lines), or `known`: of those that a test has noticed before (Tests/Mutants/known).
N ?= 40
PART ?= 1/1
SET ?= 0

SANDBOX := .build/sandbox
GLIB_WATCHER := .build/glib-watcher
RELEASE = $$(Scripts/products folder --configuration release $(SWIFT_FLAGS))
DEBUG = $$(Scripts/products folder $(SWIFT_FLAGS))
BUILD_TESTS = Scripts/build "the tests" --build-tests $(SWIFT_FLAGS)

# A result that is kept (Scripts/result) does not hide the status of the command that made it.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c

.DEFAULT_GOAL := help
.PHONY: help run test suite check format completions docs clean sanitize fuzz freshness soak forks sweep oracle lab
.PHONY: lab-systemd mutants platforms gvisor containers programs musl install uninstall python deb release test-deb bench
.PHONY: compare picture proofs

## Daily

help: ## list the targets
	@awk -F ':.*## ' '/^## / { print (groups++ ? "\n" : "") substr($$0, 4) } \
	    /^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## build, and show the flags of 127.0.0.1, ::1, default, localhost and TARGETS="..."
	@Scripts/require swift compiler pkg-config c-ares
	@Scripts/build reachability --product reachability $(SWIFT_FLAGS)
	@set -e; program="$(DEBUG)/reachability"; echo "$${program#"$(CURDIR)/"} check 127.0.0.1 ::1 default localhost $(TARGETS)"; \
	    "$$program" check 127.0.0.1 ::1 default localhost $(TARGETS) \
	    || [ $$? -eq 1 ] # status 1 means that some target is not reachable, which is an answer

test: $(SANDBOX) ## build the tests and run them in namespaces of their own
	@Scripts/require tests
	@$(BUILD_TESTS)
	@Scripts/test $(SANDBOX) "$(DEBUG)" $(TEST_FLAGS)

suite: $(SANDBOX) ## build, and run one suite of tests, such as NAME=EvaluationTests
	@grep -rqE "(struct|class) $(or $(NAME),no name)\b" Tests/*Tests Examples/*/*Tests || { echo "There is no suite '$(NAME)'. The names are \
	those of the files in Tests, as in: make suite NAME=EvaluationTests (SceneTests plays the scenes)" >&2; exit 64; }
	@Scripts/require tests
	@$(BUILD_TESTS)
	@Scripts/test $(SANDBOX) "$(DEBUG)" --filter '\.$(NAME)/' $(TEST_FLAGS)

check: ## check what CI checks and needs no build for: pages, format, scripts, types; before a push
	@Scripts/check

format: ## format all Swift sources (CI=1: change nothing, and fail if there is a difference)
	@Scripts/format

completions: ## write the shells' completions in completions/, after a change of the options
	@Scripts/require swift compiler pkg-config c-ares
	@Scripts/build reachability --product reachability $(SWIFT_FLAGS)
	@"$(DEBUG)/reachability" completions bash > completions/reachability
	@"$(DEBUG)/reachability" completions zsh > completions/_reachability
	@"$(DEBUG)/reachability" completions fish > completions/reachability.fish

docs: ## build the libraries' pages in .build/docs, check them and the manual pages, and say how to read them
	@Scripts/require swift compiler pkg-config c-ares mandoc
	@Scripts/docs $(SWIFT_FLAGS)

clean: ## remove everything that was built
	@rm -rf .build

## Stress tests: they look for errors, and take longer

sanitize: $(SANDBOX) ## run the tests under Thread Sanitizer, then under Address and Undefined Behaviour Sanitizer
	@Scripts/require swift compiler pkg-config c-ares ip dnsmasq dbus socat python
	@$(if $(TEST_FLAGS),RESULTS=) Scripts/proof "make sanitize, thread" Scripts/sanitize thread $(SANDBOX) $(TEST_FLAGS)
	@$(if $(TEST_FLAGS),RESULTS=) Scripts/proof "make sanitize, memory" Scripts/sanitize memory $(SANDBOX) $(TEST_FLAGS)

fuzz: ## give arbitrary bytes to the parsers, FUZZ_SECONDS for each of eight targets
	@Scripts/require swift compiler pkg-config c-ares python
	@Scripts/proof "make fuzz" Scripts/fuzz $(FUZZ_SECONDS)

freshness: $(SANDBOX) ## make changes of ten kinds, and ask right after each one; takes ten minutes
	@Scripts/require swift compiler pkg-config c-ares ip python
	@$(BUILD_TESTS)
	@REACHABILITY_FULL=1 Scripts/proof "make freshness" Scripts/test $(SANDBOX) "$(DEBUG)" \
	    --filter ReachabilityKitTests.FreshnessTests

soak: $(SANDBOX) ## change a network at random for MINUTES, then in storms, and compare every answer with the kernel's
	@Scripts/require swift compiler pkg-config c-ares ip python
	@Scripts/build soak --configuration release --product soak $(SWIFT_FLAGS)
	@Scripts/proof "make soak" $(SANDBOX) "$(RELEASE)/soak" $(MINUTES) $(SEED)
	@$(BUILD_TESTS)
	@REACHABILITY_STORMS=$(STORMS) Scripts/proof "make soak, storms" \
	    Scripts/test $(SANDBOX) "$(DEBUG)" --filter EngineTests.StormTests

forks: $(SANDBOX) ## fork FORKS times while four threads ask, and twice as often in new processes, and name every place where a child hangs
	@Scripts/require swift compiler pkg-config c-ares ip python gdb
	@Scripts/build soak --configuration release --product soak $(SWIFT_FLAGS)
	@Scripts/proof "make forks" $(SANDBOX) "$(RELEASE)/soak" forks $(FORKS)

sweep: $(SANDBOX) ## make every system call of eleven workloads fail once, with each of its errors
	@Scripts/require swift compiler pkg-config c-ares ip python
	@Scripts/build sweep --product sweep $(SWIFT_FLAGS)
	@Scripts/proof "make sweep" $(SANDBOX) "$(DEBUG)/sweep" all 0

oracle: $(SANDBOX) ## make random networks, and compare COUNT answers with what connecting a socket says
	@Scripts/require swift compiler pkg-config c-ares ip python
	@Scripts/build oracle --product oracle $(SWIFT_FLAGS)
	@Scripts/proof "make oracle" $(SANDBOX) "$(DEBUG)/oracle" $(COUNT) $(SEED)

mutants: $(SANDBOX) ## make N small mistakes in the sources (SEED), and try which of PART="2/4" of them the tests do not notice
	@Scripts/require tests
	@Scripts/proof "make mutants PART=$(PART)" Scripts/mutants $(SANDBOX) "$(N)" "$(SEED)" "$(PART)" "$(SET)" $(TEST_FLAGS)

lab: $(SANDBOX) ## try real links of every kind in virtual machines with Debian's kernels (KERNELS="5.10 6.1" for some)
	@Scripts/require swift compiler pkg-config c-ares python qemu kmod cpio xz
	@$(BUILD_TESTS)
	@ROWS="$(ROWS)" $(if $(ROWS),RESULTS=) Scripts/proof "make lab KERNELS='$(KERNELS)'" Tests/Lab/lab "$(LAB_CACHE)" $(SANDBOX) "$(DEBUG)" $(KERNELS)

lab-systemd: ## measure the wait services of network managers and ours in booted Debians (DEBIAN="12 13"); for root
	@Scripts/require swift compiler pkg-config c-ares python qemu debootstrap kmod cpio xz
	@PARTS="$(PARTS)" ROWS="$(ROWS)" $(if $(ROWS),RESULTS=) Scripts/proof "make lab-systemd" Tests/Lab/systemd/lab "$(LAB_CACHE)" $(filter-out sid,$(DEBIAN))

platforms: ## build and test on Debian 13, on sid with its own Swift, and on arm64 (ONLY="sid oldest-compiler"); for root
	@Scripts/require debootstrap python $(if $(filter arm64,$(ONLY)),qemu-arm64 kmod cpio xz)
	@OPTIONS="$(TEST_FLAGS)" $(if $(TEST_FLAGS),RESULTS=) Scripts/proof "make platforms ONLY='$(strip $(ONLY))'" Scripts/platforms/run $(ONLY)

gvisor: ## run the programs, the C library and the Python package in gVisor (runsc), which reaches no network
	@Scripts/require swift compiler pkg-config c-ares ip python runsc
	@$(BUILD_TESTS)
	@Scripts/proof "make gvisor" Scripts/gvisor "$(DEBUG)"

containers: ## run the static program, and a test with a network, as containers have them: from scratch, as nobody, with Docker's seccomp profile
	@Scripts/require swift compiler pkg-config c-ares ip python bubblewrap seccomp-list
	@[ -x .build/containers/bin/reachability ] || Scripts/install "$(CURDIR)/.build/containers"
	@$(BUILD_TESTS)
	@Scripts/proof "make containers" Scripts/containers .build/containers/bin/reachability "$(DEBUG)"

programs: ## start programs of Debian with the GIO module and without, and write Docs/Results/Programs.md; for root, takes ten minutes
	@Scripts/require swift compiler pkg-config c-ares glib python ip debootstrap
	@ROWS="$(ROWS)" $(if $(ROWS),RESULTS=) Scripts/proof "make programs" Scripts/programs Docs/Results/Programs.md

musl: ## compile the C sources of the libraries for musl, whose systems have no headers of the kernel; GIO needs GLib, and is left out
	@Scripts/require musl
	@for source in $$(find Sources -name '*.c' -not -path '*/GIO/*' -not -path '*/Testing/*'); do \
	    musl-gcc -std=gnu17 -Wall -Wextra -Werror -I "$$(dirname "$$source")/include" -c -o /dev/null "$$source" || exit 1; done

## Packaging

install: ## install the programs, manual pages, completions, units, libraries and headers below PREFIX (default: /usr/local)
	@Scripts/install "$$PREFIX"

uninstall: ## remove everything that was installed below PREFIX
	@Scripts/install --remove "$$PREFIX"

python: ## build the Python package as a wheel in .build/python, with the C library in it
	@Scripts/require swift compiler pkg-config c-ares python
	@Scripts/wheel .build/python

deb: ## make Debian packages in .build/deb (ARCH=arm64: for that processor, built in Debian sid, which needs root)
	@Scripts/require swift compiler pkg-config c-ares dpkg
	@Scripts/deb $(ARCH) $(TREE)

release: ## check whether the last commit can be released as the version that it names, and say what to type
	@Scripts/require python aspell
	@Scripts/release

test-deb: ## install the packages of `make deb` in fresh Debian systems, use them there, and remove them; needs root
	@Scripts/require swift compiler python ip dnsmasq debootstrap $(if $(filter arm64,$(DEBIAN)),qemu-arm64 kmod cpio xz)
	@Scripts/proof "make test-deb DEBIAN='$(DEBIAN)'" Scripts/test-deb $(DEBIAN)

## Results: what is measured, and the pages of it

bench: $(SANDBOX) ## measure, and compare with C programs that do only the unavoidable work (BENCH=full: all sizes, and write the results; BENCH=check: a few, may fail)
	@case "$(BENCH)" in ""|check|full) ;; *) echo "BENCH is check, full or nothing, and not '$(BENCH)'" >&2; exit 64 ;; esac
	@Scripts/require swift compiler pkg-config c-ares ip
	@Scripts/build "the benchmarks" --configuration release --product benchmarks $(SWIFT_FLAGS)
	@[ "$(BENCH)" != full ] || Scripts/install "$(CURDIR)/.build/bench"
	@$(if $(filter full,$(BENCH)),Scripts/proof "make bench BENCH=full") $(SANDBOX) "$(RELEASE)/benchmarks" \
	    $(if $(filter check,$(BENCH)),--check,--json $(BENCH_JSON)) \
	    $(if $(filter full,$(BENCH)),--full --static "$(CURDIR)/.build/bench/bin/reachability" \
	    | Scripts/result Performance "Results: the benchmarks" "make bench BENCH=full")

compare: $(SANDBOX) $(GLIB_WATCHER) ## compare with two versions of GLib and the kernel, and write Docs/Results/Comparison.md; takes some minutes
	@Scripts/require swift compiler pkg-config c-ares ip python
	@Scripts/build compare --configuration release --product compare $(SWIFT_FLAGS)
	@Scripts/install --module "$(CURDIR)/.build/module"
	@Tests/Compare/with-module .build/module $(GLIB_WATCHER) $(GLIB_WATCHER)-module
	@echo "What GLib warns of below, such as lost announcements, is its own"
	@newest=$$(Tests/Compare/fetch-glib "$(GLIB_CACHE)" $(GLIB_WATCHER) $(GLIB_WATCHER)-sid) && \
	    Tests/Compare/with-module .build/module $(GLIB_WATCHER)-sid $(GLIB_WATCHER)-sid-module && \
	    installed=$$(pkg-config --modversion gio-2.0) && \
	    GIO_USE_NETWORK_MONITOR=netlink GIO_MODULE_DIR=/nonexistent \
	    $(if $(filter-out Docs/Results/Comparison.md,$(COMPARISON)),RESULTS=) Scripts/proof "make compare" \
	    $(SANDBOX) "$(RELEASE)/compare" \
	    --glib "$$installed" $(GLIB_WATCHER) --glib "$$newest" $(GLIB_WATCHER)-sid \
	    --module "$$installed" $(GLIB_WATCHER)-module --module "$$newest" $(GLIB_WATCHER)-sid-module $(COMPARISON)

picture: ## draw the figures of Docs/Results/Comparison.md into Docs/Pictures/cost.svg, a picture of Docs/Performance.md
	@Scripts/picture $(COMPARISON) $(PICTURE)

proofs: ## list when each stress test was last run, and how many commits have changed the sources since
	@Scripts/proof

$(SANDBOX): Tests/Support/sandbox/main.c Tests/Support/CTestSandbox/sandbox.c Tests/Support/CTestSandbox/include/CTestSandbox.h
	@Scripts/require compiler
	@mkdir -p $(@D)
	@$(CC) -std=gnu17 -O2 -Wall -Wextra -Werror -I Tests/Support/CTestSandbox/include -o $@ $(filter %.c,$^)

$(GLIB_WATCHER): Tests/Compare/glib/glib-watcher.c
	@Scripts/require compiler pkg-config glib
	@mkdir -p $(@D)
	@$(CC) -std=gnu17 -O2 -Wall -Wextra -Werror -o $@ $< $$(pkg-config --cflags --libs gio-2.0)
