SWIFT ?= swift
# One set of flags for every verb, so that none of them rebuilds what another has built.
CHECKS = --explicit-target-dependency-import-check error -Xswiftc -warnings-as-errors
# What is installed: Swift's libraries in the program, no debug information.
RELEASE = -c release --static-swift-stdlib -debug-info-format none
NOAFW = .build/debug/noafw
PREFIX = /usr/local
DIST = .build/packages
DEMO = NOAFW_STATE_DIR="$(CURDIR)/.demo"

SHELL = /bin/bash
.SHELLFLAGS = -o pipefail -ec

.DEFAULT_GOAL := help
.PHONY: help build demo test test-full mutants storm lab lab-full traces frame-traces soak fuzz bench fleet-bench errors schemas docs docs-check picture clean \
	docc program program-ci dist install deb package-test release

help:
	@echo 'make demo    install what is missing, build, flash a virtual Monocle and prove it'
	@echo 'make test    install what is missing, build, run all tests, in one process more than there are processors'
	@echo 'make test-full  the same over the whole range of seeds and cuts'
	@echo 'make mutants  take the guards of Tests/guards.toml out one by one; each has to be missed by a test'
	@echo 'make storm   play N worlds, each from one seed (SEED=1 and on), in which everything goes wrong; FAULTS=0,2 of a seed'
	@echo 'make lab     install what is missing, build, flash over the air: a real kernel and bluetoothd, a virtual radio'
	@echo 'make lab-full  the same with images of full size and a hundred rounds'
	@echo 'make traces  play recorded conversations with the real bootloader to the virtual one (TRACES=FILE for others)'
	@echo 'make frame-traces  play what a Frame answered by its own firmware to the virtual one (TRACES=FILE for others)'
	@echo 'make soak    flash and verify virtual units at every speed on a busy machine; count wrong verdicts'
	@echo 'make fuzz    feed the readers of packages and images with more than a million inputs'
	@echo 'make build   install what is missing, build'
	@echo 'make bench   release build; noafw bundle beside zip and sha256sum; noafw beside other clients on the link model; noafw dev'
	@echo 'make fleet-bench  memory, processor and time of fleets of 10, 100 and 1,000 light virtual units'
	@echo 'make errors  write docs/errors.md, and what noafw explain says, from the sources'
	@echo 'make schemas  write docs/schemas and the examples of docs/json.md from the types and the golden files'
	@echo 'make docs    write the pages and the help of every command as a site, .build/site; check its links'
	@echo 'make docs-check  the same; look at every page in Chromium, light and dark, on a desk and on a phone'
	@echo 'make picture  record the moving picture of README.md, docs/picture.svg'
	@echo 'make docc    pages of the library products, in .build/docc-pages'
	@echo 'make dist    release build; tarballs of noafw and of its virtual units, and noafw-ci, in $(DIST)'
	@echo 'make install  release build, installed below PREFIX=$(PREFIX) (DESTDIR is put before it)'
	@echo 'make deb     release build; Debian packages in $(DIST), looked at by lintian'
	@echo 'make package-test  the packages on a bare Debian 12: installed, run, upgraded, removed'
	@echo 'make release  checks that version, changelog and tag agree, then makes all packages'
	@echo 'make clean   remove the build, the demo unit and the lab (keeps .venv and its like)'

build:
	@Tools/setup runtime
	$(SWIFT) build $(CHECKS)

# The demo unit survives: a second demo finds every part current.
demo: build
	$(DEMO) $(NOAFW) flash --virtual monocle
	$(DEMO) $(NOAFW) verify --virtual monocle --deep

test test-full:
	@Tools/setup tests
	@Tools/mutants --check
	$(SWIFT) build --build-tests $(CHECKS)
	@Tools/test $(if $(filter test-full,$@),--full)

# Minutes: a build of its own, then the suites that each guard names.
mutants:
	@Tools/setup tests
	@$(if $(SEED),Tools/mutant-sample --seed $(SEED) $(if $(N),--count $(N)),Tools/mutants)

# A second or so for each world and processor (docs/testing.md).
storm:
	@Tools/setup tests
	$(SWIFT) build --build-tests $(CHECKS)
	@Tools/storm --runs $(or $(N),200) --seed $(or $(SEED),1) $(if $(FAULTS),--faults $(FAULTS))

# Debian's kernel and bluetoothd in a small virtual machine (docs/lab.md).
lab lab-full:
	@Tools/setup lab
	$(SWIFT) build $(CHECKS)
	.venv-lab/bin/python Tests/Lab/lab.py $(if $(filter lab-full,$@),--full)

# Minutes; SOAK_RUNS flashes and verifications in all.
SOAK_RUNS ?= 200
soak:
	@Tools/setup soak
	$(SWIFT) build $(CHECKS)
	@Tools/soak $(SOAK_RUNS)
	@Tools/soak --slow

# Recorded conversations with Nordic's bootloader, played to the virtual one.
traces: TRACES ?= Tests/Traces/nordic-bootloader.jsonl
# What a Frame's own firmware answered, played to the virtual one.
frame-traces: TRACES ?= Tests/Traces/frame-lua-session.jsonl Tests/Traces/frame-sequences.jsonl
traces frame-traces:
	@Tools/setup runtime
	$(SWIFT) build --product BootloaderTraces $(CHECKS)
	@status=0; for file in $(TRACES); do .build/debug/BootloaderTraces $$file || status=$$?; done; exit $$status

# FUZZ_INPUTS is for each reader; the first build takes 25 minutes of processor.
FUZZ_INPUTS ?= 200000
fuzz:
	@Tools/setup runtime
	@Tools/fuzz $(FUZZ_INPUTS)

bench:
	@Tools/setup runtime
	$(SWIFT) build $(RELEASE) --product noafw
	$(SWIFT) build $(RELEASE) --product LinkBench
	@Benchmarks/bundle
	@Benchmarks/links
	@python3 Benchmarks/dev_loop.py .build/release/noafw

fleet-bench:
	@Tools/setup runtime
	$(SWIFT) build $(RELEASE) --product FleetBench
	.build/release/FleetBench

docc: build
	@Tools/docc .build/docc-pages

program:
	@Tools/setup package
	NOAFW_COMMIT="$$(Tools/version commit)" $(SWIFT) build $(RELEASE) --product noafw

# Everything static, so that a CI image needs nothing; its flags are not those of the program, so it has a build of its own.
program-ci:
	@Tools/setup package
	NOAFW_COMMIT="$$(Tools/version commit)" NOAFW_ONE_FILE=1 $(SWIFT) build --scratch-path .build/ci $(RELEASE) --product noafw-ci \
	    -Xswiftc -static-executable -Xlinker -L.build/libzip -Xlinker -lz -Xlinker --icf=all

install: program
	@for part in noafw virtual; do Tools/stage $$part "$(abspath $(DESTDIR))" "$(PREFIX)"; done

dist: program program-ci
	@Tools/dist $(DIST)

deb: program
	@Tools/deb $(DIST)

# debootstrap needs root. PACKAGE_TEST=source does README's two commands instead: an hour on two cores.
package-test: dist deb
	@Tools/package-test $(DIST) $(PACKAGE_TEST)

release:
	@Tools/release
	@$(MAKE) --no-print-directory dist deb

# A test fails while the pages are not current.
schemas:
	@Tools/setup tests
	$(SWIFT) build --build-tests $(CHECKS)
	NOAFW_WRITE_DOCS=1 $(SWIFT) test --skip-build $(CHECKS) --filter SchemaTests

errors:
	@Tools/setup tests
	$(SWIFT) build --build-tests $(CHECKS)
	NOAFW_WRITE_DOCS=1 $(SWIFT) test --skip-build $(CHECKS) --filter ErrorCatalogueTests

docs docs-check: docc
	@Tools/setup docs
	NO_MKDOCS_2_WARNING=1 NOAFW="$(abspath $(NOAFW))" .venv-docs/bin/mkdocs build --quiet
	@.venv-docs/bin/python Tools/docs/check.py .build/site $(if $(filter docs-check,$@),--browser)

picture: build
	@Tools/setup docs
	.venv-docs/bin/python Tools/picture $(NOAFW) docs/picture.svg

clean:
	rm -rf .build .demo .lab
