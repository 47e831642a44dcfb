"""
Compute the temperature of a plate, with the calls that a C program makes in OpenSHMEM.

    mpiexec -n 16 python examples/shmem/heat.py [ROWS COLUMNS STEPS]

The plate is divided into a grid of blocks, one for each PE. In every step each PE sends the edges
of its block to its neighbours, with a signal that follows the data. Then the PE waits for the edges
of its neighbours, and replaces each point by the mean of the four nearest points (Jacobi's method).
Every few steps a reduction by maximum finds the largest change on the plate. All PEs stop when the
largest change is small.

At the end, PE 0 computes the whole plate alone. Its result must equal the parallel result bit by
bit.
"""

import sys

import numpy as np

import redcoll_shmem as shmem

HOT = 100.0
"""Temperature of the upper edge. The other edges have temperature zero."""
TOLERANCE = 1e-3
CHECK_EVERY = 10

NORTH, SOUTH, WEST, EAST = range(4)
OPPOSITE = (SOUTH, NORTH, EAST, WEST)


def grid_of(n_pes: int) -> tuple[int, int]:
    """Return the rows and columns of the grid of PEs, which is as square as possible."""
    rows = int(n_pes**0.5)
    while n_pes % rows:
        rows -= 1
    return rows, n_pes // rows


def part(length: int, parts: int, number: int) -> tuple[int, int]:
    """Divide ``range(length)`` into nearly equal parts; return start and stop of one part."""
    return length * number // parts, length * (number + 1) // parts


class Block:
    """A PE's part of the plate, with memory to exchange edges with the neighbours."""

    def __init__(self, rows: int, columns: int) -> None:
        self.pe, n_pes = shmem.shmem_my_pe(), shmem.shmem_n_pes()
        down, across = grid_of(n_pes)
        row, column = divmod(self.pe, across)
        self.top, self.bottom = part(rows, down, row)
        self.left, self.right = part(columns, across, column)
        self.neighbours = (
            self.pe - across if row > 0 else None,
            self.pe + across if row < down - 1 else None,
            self.pe - 1 if column > 0 else None,
            self.pe + 1 if column < across - 1 else None,
        )
        # The frame around the block holds, on each side, a halo or the edge of the plate.
        self.now = np.zeros((self.bottom - self.top + 2, self.right - self.left + 2))
        if row == 0:
            self.now[0] = HOT
        self.next = self.now.copy()
        # Each side has two mailboxes, and the steps use them alternately, because a neighbour may
        # be one step ahead. All mailboxes have the length of the longest edge, because symmetric
        # arrays have the same size on all PEs.
        longest = max(-(-rows // down), -(-columns // across))
        self.mail = shmem.shmem_malloc(2 * 4 * longest * 8).view("d").reshape(2, 4, longest)
        self.signals = shmem.shmem_calloc(4, 8).view(np.uint64)
        self.step = 0

    def edges(self) -> tuple[np.ndarray, ...]:
        """Return the outermost points of the block on each side, as contiguous arrays."""
        inner = self.now[1:-1, 1:-1]
        sides = (inner[0], inner[-1], inner[:, 0], inner[:, -1])
        return tuple(np.ascontiguousarray(side) for side in sides)

    def halos(self) -> tuple[np.ndarray, ...]:
        """Return the part of the frame on each side."""
        now = self.now
        return now[0, 1:-1], now[-1, 1:-1], now[1:-1, 0], now[1:-1, -1]

    def exchange(self) -> None:
        """Send the edges to the neighbours, and receive the edges of the neighbours."""
        mail = self.mail[self.step % 2]
        self.step += 1
        known = [(side, pe) for side, pe in enumerate(self.neighbours) if pe is not None]
        edges, halos = self.edges(), self.halos()
        for side, pe in known:
            there = OPPOSITE[side]
            shmem.shmem_double_put_signal(
                mail[there],
                edges[side],
                edges[side].size,
                self.signals[there:],
                self.step,
                shmem.SHMEM_SIGNAL_SET,
                pe,
            )
        for side, _ in known:
            shmem.shmem_signal_wait_until(self.signals[side:], shmem.SHMEM_CMP_GE, self.step)
            halos[side][:] = mail[side, : halos[side].size]

    def relax(self) -> float:
        """Make a step of Jacobi's method; return the largest change in the block."""
        now, after = self.now, self.next
        after[1:-1, 1:-1] = 0.25 * (
            (now[:-2, 1:-1] + now[2:, 1:-1]) + (now[1:-1, :-2] + now[1:-1, 2:])
        )
        change = float(np.max(np.abs(after[1:-1, 1:-1] - now[1:-1, 1:-1]), initial=0.0))
        # Copy the frame, because the next step reads it.
        after[0], after[-1], after[:, 0], after[:, -1] = now[0], now[-1], now[:, 0], now[:, -1]
        self.now, self.next = after, now
        return change

    def free(self) -> None:
        """Free the symmetric memory, in the same order on all PEs."""
        shmem.shmem_free(self.signals)
        shmem.shmem_free(self.mail)


def solve(block: Block, most_steps: int) -> float:
    """Make steps until the largest change on the plate is small; return this change."""
    n_pes = shmem.shmem_n_pes()
    mine, largest = shmem.zeros(1), shmem.zeros(1)
    work = shmem.zeros(shmem.SHMEM_REDUCE_MIN_WRKDATA_SIZE)
    sync = shmem.full(shmem.SHMEM_REDUCE_SYNC_SIZE, shmem.SHMEM_SYNC_VALUE, "l")
    for step in range(1, most_steps + 1):
        block.exchange()
        mine[0] = block.relax()
        if step % CHECK_EVERY == 0 or step == most_steps:
            shmem.shmem_double_max_to_all(largest, mine, 1, 0, 0, n_pes, work, sync)
            if largest[0] < TOLERANCE:
                break
            # Wait until all PEs have read `largest`, because the next reduction overwrites it.
            shmem.shmem_barrier_all()
    result = float(largest[0])
    shmem.shmem_barrier_all()
    for array in (sync, work, largest, mine):
        shmem.shmem_free(array)
    return result


def gather(block: Block, rows: int, columns: int) -> np.ndarray:
    """Put the blocks of all PEs together on PE 0; return the whole plate there."""
    plate = shmem.zeros((rows, columns))
    for row in range(block.top, block.bottom):
        points = np.ascontiguousarray(block.now[1 + row - block.top, 1:-1])
        shmem.shmem_double_put(plate[row, block.left : block.right], points, points.size, 0)
    shmem.shmem_barrier_all()
    result = plate.copy()
    shmem.shmem_free(plate)
    return result


def alone(rows: int, columns: int, steps: int) -> np.ndarray:
    """Compute the whole plate on this PE alone; return it after ``steps`` steps."""
    now = np.zeros((rows + 2, columns + 2))
    now[0] = HOT
    for _ in range(steps):
        after = now.copy()
        after[1:-1, 1:-1] = 0.25 * (
            (now[:-2, 1:-1] + now[2:, 1:-1]) + (now[1:-1, :-2] + now[1:-1, 2:])
        )
        now = after
    return now[1:-1, 1:-1]


def main() -> None:
    """Compute the plate on all PEs, and compare it with the result of one PE."""
    given = [int(word) for word in sys.argv[1:]]
    rows, columns, most_steps = given or (60, 80, 400)
    shmem.shmem_init()
    if min(rows, columns) < max(grid_of(shmem.shmem_n_pes())):
        raise SystemExit(f"{rows} x {columns} points are too few for {shmem.shmem_n_pes()} PEs")
    block = Block(rows, columns)
    change = solve(block, most_steps)
    plate = gather(block, rows, columns)
    if block.pe == 0:
        if plate.tobytes() != alone(rows, columns, block.step).tobytes():
            raise SystemExit("the plate is not as one PE alone computes it")
        down, across = grid_of(shmem.shmem_n_pes())
        print(
            f"heat: {rows} x {columns} points on {down} x {across} PEs, {block.step} steps, "
            f"last change {change:.4f}, mean {plate.mean():.3f}: as computed by one PE"
        )
    block.free()
    shmem.shmem_finalize()


if __name__ == "__main__":
    main()
