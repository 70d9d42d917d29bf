# The few verbs of this repository. Every one may be run again at any time.
SHELL := /bin/bash
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

STACK ?= local
VENV := .venv
PYTHON := $(VENV)/bin/python
# Bump with the lock file: it resolves and installs from it.
UV := 0.13.9
PACKAGES := busybox-static python3-venv ca-certificates systemd-container mmdebstrap iproute2 procps curl

.PHONY: help setup tools up preview down status verify drill test check format golden lock bench clean image

help: ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# A mirror that is slow, or away for a moment, fails no first run; these reach the pip of tests too.
export PIP_RETRIES ?= 10
export PIP_DEFAULT_TIMEOUT ?= 60
export UV_HTTP_RETRIES ?= 10
export UV_HTTP_TIMEOUT ?= 120

APT := DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600

# Again for five minutes: apt waits for dpkg's lock and not for that of the package lists, which a fresh machine's own
# update holds; and an update that missed a list ends well, so that only the installation tells.
define install
	for pause in 5 10 20 40 80 160 ""; do \
		if $(APT) update && $(APT) install -y --no-install-recommends $(1); then break; fi; \
		if [ -z "$$pause" ]; then exit 1; fi; \
		echo "apt failed, trying again in $$pause s" >&2; sleep "$$pause"; \
	done
endef

setup: $(VENV)/installed ## the Python environment and the host's packages
	@exec 9>.setup.lock; flock 9; \
	have=$$(dpkg-query -W -f='$${Package} $${db:Status-Status}\n' $(PACKAGES) 2>/dev/null | sed -n 's/ installed$$//p' | sort); \
	need=$$(comm -23 <(printf '%s\n' $(PACKAGES) | sort) <(echo "$$have")); \
	if [ -n "$$need" ]; then \
		if [ "$$(id -u)" != 0 ]; then echo "these packages are missing: $$(echo $$need); run this as root, or install them" >&2; exit 1; fi; \
		echo "installing $$(echo $$need)"; \
		$(call install,$$need); \
	fi

# Under a lock, and looked at again inside it: two first runs at once make one environment.
$(VENV)/installed: requirements.lock components/pyproject.toml
	@exec 9>.setup.lock; flock 9; set -e; \
	if [ $@ -nt requirements.lock ] && [ $@ -nt components/pyproject.toml ]; then exit 0; fi; \
	if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then \
		if [ "$$(id -u)" != 0 ]; then echo "python3-venv is missing; run this as root, or install it" >&2; exit 1; fi; \
		$(call install,python3 python3-venv); \
	fi; \
	echo "making the Python environment"; \
	python3 -m venv $(VENV); \
	$(VENV)/bin/pip install -q uv==$(UV); \
	VIRTUAL_ENV=$(VENV) $(VENV)/bin/uv pip sync -q --require-hashes requirements.lock; \
	VIRTUAL_ENV=$(VENV) $(VENV)/bin/uv pip install -q --no-deps --editable components; \
	touch $@

tools: setup ## find or build the programs regions need (twenty minutes on two cores, once per machine)
	@$(PYTHON) -m toolchain ensure all

up: setup ## make the region of STACK (a name in stacks/, or a file)
	@$(PYTHON) -m ops up $(STACK)

preview: $(VENV)/installed ## what up would do to STACK, on any cloud, judged by the policy pack (POLICY: its configuration)
	@$(PYTHON) -m ops preview $(STACK) $(if $(POLICY),--policy $(POLICY))

down: setup ## remove the region of STACK, whatever state it is in
	@$(PYTHON) -m ops down $(STACK)

status: setup ## members, API servers and nodes of STACK
	@$(PYTHON) -m ops status $(STACK)

verify: setup ## assert what a region promises, on the running STACK
	@$(PYTHON) -m ops verify $(STACK)

drill: setup ## kill an API server and an etcd member of STACK, and time the gaps
	@$(PYTHON) -m ops drill $(STACK)

image: setup ## fill FOLDER with what the image of the Azure STACK is built from
	@$(if $(FOLDER),,$(error FOLDER is missing: make image STACK=<stack on Azure> FOLDER=<folder to fill>))
	@$(PYTHON) -m ops.image $(STACK) $(FOLDER)

format: $(VENV)/installed ## format the code
	@$(VENV)/bin/ruff format -q . && $(VENV)/bin/ruff check -q --fix .

check: $(VENV)/installed ## format, lint, types, layers and pure tests
	@$(VENV)/bin/ruff format --check -q .
	@$(VENV)/bin/ruff check -q .
	@$(VENV)/bin/mypy
	@$(VENV)/bin/lint-imports
	@$(VENV)/bin/pytest -m "not tools and not engine and not region"

test: setup ## everything: check, the real programs, the real engine, real machines
	@$(MAKE) --no-print-directory check
	@$(MAKE) --no-print-directory tools
	@$(VENV)/bin/pytest -m "tools or engine or region"

golden: $(VENV)/installed ## write the generated files anew: the schema of stack files, docs/sysctl.md, docs/rules.md
	@$(PYTHON) -m ops.schema
	@$(PYTHON) -m ops.sysctls
	@$(PYTHON) -m ops.rules

bench: setup ## benchmarks, each a ratio against a baseline in the same run
	@$(PYTHON) -m benchmarks

lock: $(VENV)/installed ## resolve pyproject.toml into requirements.lock
	@$(VENV)/bin/uv pip compile -q --group dev pyproject.toml --generate-hashes --no-header --no-emit-index-url --no-emit-find-links \
		--no-emit-package kilonode -o requirements.lock

clean: ## remove the environment and what tests leave in the clone
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
