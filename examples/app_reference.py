"""Compute the results of app.py with NumPy in one process, for comparison.

All sums are left folds over blocks of images. If each block has the images of one PE of app.py, the
sums must have the same bits as app.py's reductions. With one block of all images, NumPy alone
computes each sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass
class Analysis:
    """All results for images of 64 pixels and k clusters."""

    mean: Array
    deviation: Array
    darkest: Array
    brightest: Array
    centres: Array
    """The mean image of each cluster, with the shape (k, 64)."""
    inertia: Array
    """The sum of the squared distances to the centres, for each iteration."""
    distance: Array
    """The squared distance from each centre to the farthest image of its cluster."""
    oddest: Array
    """The numbers of these farthest images."""
    table: Array
    """The number of images by cluster and digit, with the shape (k, 10)."""
    even_mean: Array
    """The mean image of blocks 0, 2, 4 and so on."""


def squared_distances(images: Array, centres: Array) -> Array:
    """Return the squared distance of each image i to each centre k, as element (i, k)."""
    return ((images[:, np.newaxis] - centres) ** 2).sum(axis=2)


def analyse(blocks: Sequence[Array], digits: Array, centres: Array) -> Analysis:
    """Return all results. K-means starts with the given centres."""
    images = np.concatenate(blocks)
    starts = np.cumsum([len(block) for block in blocks])[:-1]

    def fold_sums(values: Array) -> Array:
        """Sum each block, then add the sums in the order of the blocks."""
        return reduce(np.add, [part.sum(axis=0) for part in np.split(values, starts)])

    mean = fold_sums(images) / len(images)
    variance = fold_sums((images - mean) ** 2) / len(images)

    labels = np.full(len(images), -1)
    inertia = []
    while True:
        distances = squared_distances(images, centres)
        nearest = distances.argmin(axis=1)
        inertia.append(fold_sums(distances.min(axis=1)))
        if (nearest == labels).all():
            break
        labels = nearest
        centres = np.array([images[labels == k].mean(axis=0) for k in range(len(centres))])

    own = np.where(labels[:, np.newaxis] == np.arange(len(centres)), distances, -1.0)
    table = np.zeros((len(centres), 10), np.int64)
    np.add.at(table, (labels, digits), 1)
    even = blocks[::2]
    even_sum = reduce(np.add, [block.sum(axis=0) for block in even])
    return Analysis(
        mean=mean,
        deviation=np.sqrt(variance),
        darkest=images.min(axis=0),
        brightest=images.max(axis=0),
        centres=centres,
        inertia=np.array(inertia),
        distance=own.max(axis=0),
        oddest=own.argmax(axis=0),
        table=table,
        even_mean=even_sum / sum(map(len, even)),
    )
