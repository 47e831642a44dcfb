"""Print derived quantities and projections that yt computes on a distributed grid."""

import numpy as np
import yt

yt.set_log_level("error")
yt.enable_parallelism()

rng = np.random.default_rng(22)
shape = (32, 32, 32)
data = {
    "density": (rng.random(shape), "g/cm**3"),
    "temperature": (1e4 * rng.random(shape), "K"),
}
dataset = yt.load_uniform_grid(data, shape, nprocs=8)
everything = dataset.all_data()
quantities = everything.quantities
results = {
    "extrema of density": quantities.extrema(("gas", "density")),
    "extrema of temperature": quantities.extrema(("gas", "temperature")),
    "total density": quantities.total_quantity([("stream", "density")]),
    "total mass": quantities.total_mass(),
    "weighted average": quantities.weighted_average_quantity(
        ("stream", "temperature"), ("stream", "density")
    ),
    "standard deviation": quantities.weighted_standard_deviation(
        ("stream", "temperature"), ("stream", "density")
    ),
    "largest density and its place": quantities.max_location(("stream", "density")),
    "smallest density and its place": quantities.min_location(("stream", "density")),
    "cells at the maximum": quantities.sample_at_max_field_values(
        ("stream", "density"), [("stream", "temperature")]
    ),
}
for axis in "xyz":
    projection = dataset.proj(("stream", "density"), axis)
    column = projection["stream", "density"]
    results[f"projection along {axis}"] = [column.size, column.min(), column.max(), column.sum()]

for name, values in results.items():
    numbers = [float(part) for value in np.atleast_1d(values) for part in np.ravel(value)]
    print(f"{name} = {' '.join(map(repr, numbers))}")
