"""Compute statistics and clusters of scikit-learn's handwritten digits on all PEs.

    mpiexec -n 16 python examples/app.py [build/demo.png]

The 1797 images are distributed over any number of PEs. SHMEM reductions combine sums, minima,
maxima and counts. A MAXLOC reduction of redcoll's native API finds the image of each cluster that
is farthest from the cluster's centre. The program compares all results with NumPy's results in one
process, and draws a picture of its own results.

The program needs scikit-learn and matplotlib: pip install 'redcoll[examples]'
"""

from __future__ import annotations

import sys

import numpy as np
from app_reference import Analysis, Array, analyse, squared_distances
from sklearn.datasets import load_digits

import redcoll
import redcoll_shmem as shmem

PICTURE = sys.argv[1] if len(sys.argv) > 1 else "build/demo.png"
TOLERANCE = 1e-12
"""The allowed relative difference from results that NumPy computes in another order."""

shmem.shmem_init()
me = shmem.shmem_my_pe()
n_pes = shmem.shmem_n_pes()
everyone = 0, 0, n_pes  # PE_start, logPE_stride, PE_size
even_pes = 0, 1, (n_pes + 1) // 2

images, digits = load_digits(return_X_y=True)
n_images, n_pixels = images.shape
n_clusters = 10
blocks = np.array_split(images, n_pes)
first = sum(map(len, blocks[:me]))
mine = blocks[me]

# The work arrays are large enough for all reductions below. With redcoll, each call can use the
# same arrays as the call before. For other SHMEM libraries, a program may need two sets of arrays,
# which it uses alternately.
p_work = shmem.empty(n_clusters * n_pixels // 2 + 1)
p_work_long = p_work.view("l")
p_sync = shmem.full(shmem.SHMEM_REDUCE_SYNC_SIZE, shmem.SHMEM_SYNC_VALUE, "l")


def statistics() -> tuple[Array, Array, Array, Array]:
    """Return mean, standard deviation, minimum and maximum of each pixel."""
    part, total = shmem.empty(n_pixels), shmem.empty(n_pixels)
    darkest, brightest = shmem.empty(n_pixels), shmem.empty(n_pixels)

    part[:] = mine.sum(axis=0)
    shmem.shmem_double_sum_to_all(total, part, n_pixels, *everyone, p_work, p_sync)
    mean = total / n_images
    part[:] = ((mine - mean) ** 2).sum(axis=0)
    shmem.shmem_double_sum_to_all(total, part, n_pixels, *everyone, p_work, p_sync)
    part[:] = mine.min(axis=0, initial=np.inf)
    shmem.shmem_double_min_to_all(darkest, part, n_pixels, *everyone, p_work, p_sync)
    part[:] = mine.max(axis=0, initial=-np.inf)
    shmem.shmem_double_max_to_all(brightest, part, n_pixels, *everyone, p_work, p_sync)
    return mean, np.sqrt(total / n_images), darkest, brightest


def k_means(centres: Array) -> tuple[Array, Array, Array]:
    """Return the centres, the labels of this PE's images, and the inertia of each iteration."""
    part, total = shmem.empty(centres.shape), shmem.empty(centres.shape)
    counts = shmem.empty(n_clusters, "l")
    changed = shmem.empty(1, "l")
    spread = shmem.empty(1)
    labels = np.full(len(mine), -1)
    inertia = []
    while True:
        distances = squared_distances(mine, centres)
        nearest = distances.argmin(axis=1)
        spread[:] = distances.min(axis=1).sum()
        shmem.shmem_double_sum_to_all(spread, spread, 1, *everyone, p_work, p_sync)
        inertia.append(spread[0])
        changed[:] = np.count_nonzero(nearest != labels)
        shmem.shmem_long_sum_to_all(changed, changed, 1, *everyone, p_work_long, p_sync)
        if changed[0] == 0:
            return centres, labels, np.array(inertia)
        labels = nearest
        for k in range(n_clusters):
            part[k] = mine[labels == k].sum(axis=0)
        shmem.shmem_double_sum_to_all(total, part, part.size, *everyone, p_work, p_sync)
        counts[:] = np.bincount(labels, minlength=n_clusters)
        shmem.shmem_long_sum_to_all(counts, counts, n_clusters, *everyone, p_work_long, p_sync)
        centres = total / counts[:, np.newaxis]


def farthest(centres: Array, labels: Array) -> tuple[Array, Array]:
    """For each cluster, return the squared distance and the index of its farthest image."""
    pairs = redcoll.empty(n_clusters, redcoll.pair_dtype(np.float64))
    pairs[:] = -1.0, n_images
    for i, distance in enumerate(squared_distances(mine, centres)):
        k = labels[i]
        if distance[k] > pairs["value"][k]:
            pairs[k] = distance[k], first + i
    redcoll.allreduce(pairs, pairs, redcoll.MAXLOC)
    return pairs["value"].copy(), pairs["index"].copy()


def clusters_by_digit(labels: Array) -> Array:
    """Return how many images of each digit are in each cluster."""
    table = shmem.zeros((n_clusters, 10), "l")
    np.add.at(table, (labels, digits[first : first + len(mine)]), 1)
    shmem.shmem_long_sum_to_all(table, table, table.size, *everyone, p_work_long, p_sync)
    return table


def mean_of_even_pes() -> Array:
    """Return the mean of the images of even PEs. Odd PEs take no part, and return zeros."""
    sums = shmem.zeros(n_pixels + 1)
    shmem.shmem_barrier_all()  # afterwards only the even PEs use the work arrays
    if me % 2 == 0:
        sums[:] = [*mine.sum(axis=0), len(mine)]
        shmem.shmem_double_sum_to_all(sums, sums, sums.size, *even_pes, p_work, p_sync)
        sums /= sums[-1]
    return sums[:-1]


def check(result: Analysis) -> None:
    """End the program unless all results equal NumPy's results.

    The results must have the same bits as NumPy's left fold over the blocks in the order of the
    PEs. The results must agree with NumPy's results on all images at once, within the tolerance.
    """
    exact = analyse(blocks, digits, images[:n_clusters])
    plain = analyse([images], digits, images[:n_clusters])
    plain.even_mean = np.concatenate(blocks[::2]).mean(axis=0)
    if me % 2:
        exact.even_mean = plain.even_mean = np.zeros(n_pixels)
    for name, value in vars(result).items():
        if value.tobytes() != getattr(exact, name).tobytes():
            sys.exit(f"demo: {name} on PE {me} differs from NumPy's left fold in PE order")
        if not np.allclose(value, getattr(plain, name), rtol=TOLERANCE, atol=0):
            sys.exit(f"demo: {name} on PE {me} differs from NumPy's on all images at once")


mean, deviation, darkest, brightest = statistics()
centres, labels, inertia = k_means(images[:n_clusters])
distance, oddest = farthest(centres, labels)
result = Analysis(
    mean=mean,
    deviation=deviation,
    darkest=darkest,
    brightest=brightest,
    centres=centres,
    inertia=inertia,
    distance=distance,
    oddest=oddest,
    table=clusters_by_digit(labels),
    even_mean=mean_of_even_pes(),
)
check(result)
# If a PE found a difference, it has exited, and this barrier raises PeerLostError.
shmem.shmem_barrier_all()
if me == 0:
    from app_picture import draw

    draw(result, images, digits, n_pes, PICTURE)
    print(f"PEs: {n_pes}, images: {n_images}, clusters: {n_clusters}, iterations: {len(inertia)}")
    print(f"picture: {PICTURE}")
    print("demo: all results equal NumPy's")
shmem.shmem_finalize()
