"""The drawings of the documentation, as SVG files.

``python docs/drawings.py FOLDER`` writes them all; the build of the documentation does so itself.
"""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path

PES = 4
COLOURS = ("#4c78a8", "#e07b39", "#4f9d69", "#b05c8a")
"""One for each rank, and for the slice that it owns."""
INK, FAINT, PAPER, CARD = "#22303c", "#8a97a3", "#fdfcfa", "#ffffff"
FONT = "font-family='Helvetica, Arial, sans-serif'"
ARROW_TIP = (
    "<marker id='tip' viewBox='0 0 10 10' refX='9' refY='5' markerWidth='6' markerHeight='6' "
    f"orient='auto'><path d='M0 0 L10 5 L0 10 z' fill='{INK}'/></marker>"
)


class Drawing:
    """An SVG picture with its own background, so that it can be read on dark pages."""

    def __init__(self, width: float, height: float, title: str) -> None:
        box = f"viewBox='0 0 {width} {height}' width='{width}' height='{height}'"
        self._parts = [
            f"<svg xmlns='http://www.w3.org/2000/svg' {box} role='img' {FONT}>",
            f"<title>{escape(title)}</title>",
            f"<defs>{ARROW_TIP}</defs>",
        ]
        self.box(0.5, 0.5, width - 1, height - 1, fill=PAPER, line="#e3dfd8", radius=8)

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        fill: str = CARD,
        line: str = FAINT,
        radius: float = 4,
        opacity: float = 1,
    ) -> None:
        """A rectangle."""
        self._parts.append(
            f"<rect x='{x}' y='{y}' width='{width}' height='{height}' rx='{radius}' "
            f"fill='{fill}' fill-opacity='{opacity}' stroke='{line}'/>"
        )

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = 13,
        colour: str = INK,
        anchor: str = "middle",
        weight: str = "normal",
    ) -> None:
        """A line of text, ``y`` at half the height of its letters."""
        self._parts.append(
            f"<text x='{x}' y='{y}' dy='0.35em' font-size='{size}' fill='{colour}' "
            f"text-anchor='{anchor}' font-weight='{weight}'>{escape(text)}</text>"
        )

    def arrow(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        *,
        colour: str = INK,
        width: float = 1.5,
        opacity: float = 1,
        has_tip: bool = True,
        is_dashed: bool = False,
    ) -> None:
        """A straight arrow, or a line without tip."""
        tip = " marker-end='url(#tip)'" if has_tip else ""
        dashes = " stroke-dasharray='5 4'" if is_dashed else ""
        self._parts.append(
            f"<line x1='{x0}' y1='{y0}' x2='{x1}' y2='{y1}' stroke='{colour}' "
            f"stroke-width='{width}' opacity='{opacity}'{tip}{dashes}/>"
        )

    def finish(self) -> str:
        """The file's text."""
        return "\n".join([*self._parts, "</svg>", ""])


def layers() -> str:
    """Which package may import which."""
    drawing = Drawing(760, 494, "The layers of redcoll")
    left, width, height = 20, 530, 42
    rows = [
        (["redcoll_shmem", "redcoll.MPI", "redcoll_pvm"], "APIs: names, error codes"),
        (["collectives", "onesided", "arrays"], "reductions; put and get"),
        (["world", "team"], "the job, active sets; rounds"),
        (["internode"], "node leaders and rails"),
        (["memory", "kernels"], "shared memory, heap; loops"),
        (["liveness", "protocol"], "lost ranks, deadlines; headers"),
        (["topology", "ops", "datatypes", "activeset"], "tables; who is where"),
        (["config", "comm", "errors"], "settings; communicators"),
    ]
    y = 20
    for number, (names, meaning) in enumerate(rows):
        colour = COLOURS[1] if number == 0 else COLOURS[0]
        each = (width - 8 * (len(names) - 1)) / len(names)
        for place, name in enumerate(names):
            x = left + place * (each + 8)
            drawing.box(x, y, each, height, fill=colour, line=colour, opacity=0.16)
            drawing.text(x + each / 2, y + height / 2, name, weight="bold")
        drawing.text(left + width + 14, y + height / 2, meaning, size=11, anchor="start")
        y += height + (18 if number == 0 else 8)
    drawing.box(left, y + 4, width, height, fill=INK, line=INK, opacity=0.85)
    drawing.text(left + width / 2, y + 4 + height / 2, "MPI (mpi4py) and NumPy", colour="#ffffff")
    return drawing.finish()


def header() -> str:
    """The cache line that a rank publishes in every round."""
    drawing = Drawing(760, 128, "A header: one cache line of 64 bytes")
    fields = ["sequence", "signature", "count", "extra", "source at", "target at", "status"]
    width, x, y = 88, 28, 26
    for number, name in enumerate([*fields, "payload"]):
        colour = COLOURS[1] if number == 0 else COLOURS[2] if number == 7 else COLOURS[0]
        drawing.box(x, y, width, 40, fill=colour, line=colour, opacity=0.18, radius=0)
        drawing.text(x + width / 2, y + 20, name, weight="bold" if number == 0 else "normal")
        drawing.text(x, y + 52, str(8 * number), size=10, colour=FAINT)
        x += width
    drawing.text(x, y + 52, "64 bytes", size=10, colour=FAINT)
    drawing.text(
        72, 104, "written last: publishes the rest", size=11, anchor="start", colour=COLOURS[1]
    )
    drawing.text(732, 104, "a vector of up to 8 bytes", size=11, anchor="end", colour=COLOURS[2])
    return drawing.finish()


def _step(drawing: Drawing, y: float, number: int, *lines: str) -> None:
    drawing.text(24, y, str(number), size=17, weight="bold", anchor="start", colour=COLOURS[1])
    for place, line in enumerate(lines):
        drawing.text(46, y + 17 * place, line, size=12, anchor="start")


def small() -> str:
    """A short vector: one round, every rank reduces all."""
    drawing = Drawing(760, 350, "Short vectors: one round")
    columns = [256 + 141 * pe for pe in range(PES)]
    _step(drawing, 40, 1, "copy the source into", "the own eager buffer,", "then write number n")
    _step(drawing, 176, 2, "poll all headers", "until they have n")
    _step(drawing, 266, 3, "reduce all buffers in", "rank order into the", "own target")
    drawing.box(188, 88, 554, 56, fill="#f1ede5", line="#d8d2c6")
    for pe, x in enumerate(columns):
        colour = COLOURS[pe]
        for other in columns:
            drawing.arrow(
                other + 38, 134, x, 184, colour=colour, width=1, opacity=0.6, has_tip=False
            )
        drawing.box(x - 44, 28, 88, 26, fill=colour, line=colour, opacity=0.2)
        drawing.text(x, 41, f"source {pe}", size=12)
        drawing.arrow(x - 18, 56, x - 18, 97)
        drawing.box(x - 56, 99, 76, 34, fill=colour, line=colour, opacity=0.35)
        drawing.text(x - 18, 116, f"x{pe}", weight="bold")
        drawing.box(x + 20, 99, 36, 34, fill=CARD, line=colour)
        drawing.text(x + 38, 116, "n", weight="bold", colour=COLOURS[1])
        drawing.box(x - 44, 184, 88, 26, fill=PAPER, line=colour)
        drawing.text(x, 197, f"rank {pe} waits", size=12)
        drawing.text(x, 264, "((x0 op x1) op x2) op x3", size=11)
        drawing.arrow(x, 274, x, 298)
        drawing.box(x - 44, 301, 88, 28, fill=colour, line=colour, opacity=0.2)
        drawing.text(x, 315, f"target {pe}", size=12)
    drawing.arrow(24, 226, 742, 226, colour=FAINT, is_dashed=True, has_tip=False)
    drawing.text(742, 238, "the only synchronisation", size=11, anchor="end", colour=FAINT)
    return drawing.finish()


def _vectors(drawing: Drawing, x: float, y: float, name: str, *, is_named_left: bool) -> None:
    """The ranks' vectors, one below the other, in slices; that of rank 1 stands out."""
    for pe in range(PES):
        top = y + 40 * pe
        if is_named_left:
            drawing.text(x - 10, top + 14, f"{name} {pe}", size=12, anchor="end")
        else:
            drawing.text(x + 46 * PES + 10, top + 14, f"{name} {pe}", size=12, anchor="start")
        for owner, colour in enumerate(COLOURS):
            opacity = 0.45 if owner == 1 else 0.1
            drawing.box(
                x + 46 * owner, top, 46, 28, fill=colour, line=colour, radius=0, opacity=opacity
            )


def large() -> str:
    """A long vector in symmetric arrays: two rounds, slices reduced in place."""
    drawing = Drawing(760, 300, "Long symmetric arrays: two rounds")
    drawing.text(182, 26, "round 1", weight="bold", colour=COLOURS[1])
    drawing.text(182, 44, "all sources final, all targets ready", size=12)
    drawing.text(578, 26, "round 2", weight="bold", colour=COLOURS[1])
    drawing.text(578, 44, "all targets complete, all sources free", size=12)
    _vectors(drawing, 90, 76, "source", is_named_left=True)
    _vectors(drawing, 486, 76, "target", is_named_left=False)
    drawing.box(326, 126, 108, 48, fill=COLOURS[1], line=COLOURS[1], opacity=0.3)
    drawing.text(380, 142, "rank 1 reduces", weight="bold")
    drawing.text(380, 160, "its slice", size=12)
    for pe in range(PES):
        y, middle = 90 + 40 * pe, 150 + 8 * (pe - 1.5)
        drawing.arrow(276, y, 324, middle, width=1.2)
        drawing.arrow(435, middle, 483, y, width=1.2)
    drawing.text(
        380, 252, "Each rank does so with its own slice: every source byte is read once,", size=12
    )
    drawing.text(380, 272, "every target byte is written once, and in place works too.", size=12)
    return drawing.finish()


def staged() -> str:
    """Long ordinary arrays: chunks pass through staging, one round for each."""
    drawing = Drawing(760, 300, "Long ordinary arrays: a pipeline")
    chunks, left, width = 4, 190, 110
    rows = [
        ("stage", "the others' slices", -24, 52),
        ("reduce", "the own slice", 40, 44),
        ("copy out", "the others' slices", 150, 52),
    ]
    for number, (name, meaning, _, _) in enumerate(rows):
        y = 70 + 58 * number
        drawing.text(20, y + 12, name, anchor="start", weight="bold")
        drawing.text(20, y + 30, meaning, size=11, anchor="start", colour=FAINT)
    for step in range(chunks + 1):
        x = left + width * step + 34
        drawing.arrow(x, 44, x, 240, colour=COLOURS[1], has_tip=False, is_dashed=True)
        drawing.text(x, 30, f"round {step + 1}", size=12, colour=COLOURS[1], weight="bold")
    for chunk in range(chunks):
        colour = COLOURS[chunk % 2 * 2]
        for number, (_, _, start, length) in enumerate(rows):
            x = left + width * chunk + start
            drawing.box(x, 70 + 58 * number, length, 40, fill=colour, line=colour, opacity=0.3)
            drawing.text(x + length / 2, 90 + 58 * number, str(chunk), weight="bold")
    drawing.text(
        380,
        262,
        "Between two rounds a rank reduces its slice of chunk c, copies out chunk c - 1 "
        "and stages chunk c + 1.",
        size=12,
    )
    drawing.text(
        380,
        281,
        "Two colours, two sets of buffers: each is used again two chunks later.",
        size=11,
        colour=FAINT,
    )
    return drawing.finish()


ANSWERS = (
    ("MAX, and rank 1 has a NaN", "3, 3, nan, 3", "3, 3, 3, 3", "nan on all ranks"),
    ("order=F array into order=C", "elements permuted", "elements permuted", "[i, j] to [i, j]"),
    ("one rank calls MAX, others SUM", "a wrong number", "different numbers", "error on all ranks"),
    ("one rank exits early", "hangs", "hangs", "error names the rank"),
    ("one rank is late", "waits silently", "waits silently", "names the rank"),
)
"""A call, and what comes of it with mpi4py on MPICH, with mpi4py on Open MPI, and with redcoll."""
WRONG, RIGHT = "#b2182b", "#1a7f4b"


def answers() -> str:
    """What the same call gives with mpi4py and with redcoll."""
    drawing = Drawing(760, 286, "The same call, different answers: 4 ranks on one node")
    left, width = 250, 160
    heads = ("mpi4py, MPICH", "mpi4py, Open MPI", "redcoll")
    for column, head in enumerate(heads):
        drawing.text(left + 168 * column + width / 2, 28, head, weight="bold")
    for row, (call, *outcomes) in enumerate(ANSWERS):
        y = 48 + 46 * row
        drawing.text(18, y + 19, call, anchor="start", size=12.5)
        for column, outcome in enumerate(outcomes):
            colour, sign = (RIGHT, "\u2713") if column == 2 else (WRONG, "\u2717")
            x = left + 168 * column
            drawing.box(x, y, width, 38, fill=colour, line=colour, opacity=0.14)
            drawing.text(x + width / 2, y + 19, f"{sign} {outcome}", size=12)
    return drawing.finish()


DRAWINGS = {
    "answers": answers,
    "layers": layers,
    "header": header,
    "small": small,
    "large": large,
    "staged": staged,
}


def write(folder: Path) -> None:
    """Write all drawings; files that would not change keep their times."""
    folder.mkdir(exist_ok=True)
    for name, draw in DRAWINGS.items():
        path = folder / f"{name}.svg"
        text = draw()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
