SWIFT ?= swift
# One set of flags for every verb, so that none of them rebuilds what another has built.
CHECKS = --explicit-target-dependency-import-check error -Xswiftc -warnings-as-errors
NOAFW = .build/debug/noafw
DEMO = NOAFW_STATE_DIR="$(CURDIR)/.demo"

SHELL = /bin/bash
.SHELLFLAGS = -o pipefail -ec

.DEFAULT_GOAL := help
.PHONY: bench help build demo test fuzz clean

help:
	@echo 'make demo    install what is missing, build, flash a virtual Monocle and prove it'
	@echo 'make test    install what is missing, build, run all tests'
	@echo 'make fuzz    feed the readers of packages and images with more than a million inputs'
	@echo 'make build   install what is missing, build'
	@echo 'make bench   release build; noafw bundle beside zip and sha256sum'
	@echo 'make clean   remove the build and the demo unit (keeps .venv and .venv-nrfutil)'

build:
	@Tools/setup runtime
	$(SWIFT) build $(CHECKS)

# The demo unit survives: a second demo finds every part current.
demo: build
	$(DEMO) $(NOAFW) flash --virtual monocle
	$(DEMO) $(NOAFW) verify --virtual monocle --deep

test:
	@Tools/setup tests
	$(SWIFT) build --build-tests $(CHECKS)
	# One test at a time: many play a unit whose interpreter wants a processor to itself.
	$(SWIFT) test --skip-build --no-parallel $(CHECKS) 2>&1 | tee .build/test.log || \
		{ echo; echo 'What failed:'; grep -F '✘' .build/test.log; exit 1; }

# A few minutes; FUZZ_INPUTS is for each reader.
FUZZ_INPUTS ?= 200000
fuzz:
	@Tools/setup runtime
	@Tools/fuzz $(FUZZ_INPUTS)

bench:
	@Tools/setup runtime
	$(SWIFT) build -c release --product noafw
	@Benchmarks/bundle

clean:
	rm -rf .build .demo
