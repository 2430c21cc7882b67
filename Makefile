# Beleg: `make run` is all a person needs; `make help` lists the rest.
PYTHON ?= python3
ARGS ?=
TOGETHER = --numprocesses auto --maxprocesses 4 --dist loadfile
CHECKS = "ruff check --output-format concise ." "ruff format --check --output-format concise ." "mypy" "mypy install.py installer" "lint-imports"

.DEFAULT_GOAL := help
.PHONY: help run check test test-quantize constraints clean

help: ## this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

run: ## set up what is missing, then start Beleg
	@$(PYTHON) install.py
	@.venv/bin/beleg up

check: ## style, types, who may import whom
	@$(PYTHON) install.py --dev
	@failed=; for check in $(CHECKS); do \
	    echo "$$check"; .venv/bin/$$check || failed="$$failed\n  $$check"; \
	done; \
	if [ "$$failed" ]; then printf "\nThese found something, see above:$$failed\n"; exit 1; fi

test: ## all tests; one of them: make test ARGS="tests/setup -k torch"
	@$(PYTHON) install.py --dev --system
	@.venv/bin/python -m pytest $(TOGETHER) $(ARGS)

test-quantize: ## every quantizing method for real (fetches 1 GB of tools once)
	@$(PYTHON) install.py --dev --system
	@.venv/bin/python -m pytest -m quantize tests/models/quantize $(ARGS)

constraints: ## resolve all versions anew and pin them
	@$(PYTHON) install.py --renew-constraints

clean: ## remove the environment and caches; data/ and the models stay
	rm -rf .venv build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
