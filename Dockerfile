# redcoll on MPICH from PyPI. Build and try this image:
#     docker build --tag redcoll .
#     docker run --rm --shm-size=2g redcoll mpiexec -n 4 redcoll info
FROM python:3.12-slim AS wheel
RUN apt-get update && apt-get install --yes --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /source

FROM python:3.12-slim
RUN --mount=type=bind,from=wheel,source=/wheels,target=/wheels \
    pip install --no-cache-dir "$(echo /wheels/redcoll-*.whl)[mpich]"
# The ranks already use all cores, so NumPy must not start threads.
ENV OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
RUN useradd --create-home user
USER user
WORKDIR /home/user
CMD ["redcoll", "info"]
