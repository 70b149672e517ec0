"""Plots as SVG, without any library: the same numbers give the same bytes."""

import math

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 860, 360, 64, 46, 40, 16
COLOURS = ["#b3b3b3", "#e08a1e", "#1f77b4", "#2c8a4b", "#a03070"]

# In milliseconds: processor time of a short process may read as none, for which a logarithmic axis has no place.
SHORTEST = 0.1


def escape(text):
    """Text inside SVG."""
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def ticks(low, high):
    """Powers of ten, and 2 and 5 times them where there are few decades."""
    steps = [1, 2, 5] if math.log10(high / low) < 3 else [1]
    values = [m * 10.0**e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1) for m in steps]
    return [v for v in values if low <= v <= high]


def plain(value):
    """A tick's label."""
    return f"{value:.10f}".rstrip("0").rstrip(".")


class Plot:
    """Points over two axes; each axis is logarithmic or counts."""

    def __init__(self, title, x_label, y_label, x, y, log_x):
        self.x, self.y, self.log_x = x, y, log_x
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
            f'<text x="{LEFT}" y="18" font-size="14">{escape(title)}</text>',
            f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 8}" text-anchor="middle">{escape(x_label)}</text>',
            f'<text transform="translate(14 {(TOP + HEIGHT - BOTTOM) / 2:.0f}) rotate(-90)" text-anchor="middle">{escape(y_label)}</text>',
        ]
        for value in ticks(*y):
            at = self.at_y(value)
            self.parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>')
            self.parts.append(f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{plain(value)}</text>')
        for value in ticks(*x) if log_x else []:
            at = self.at_x(value)
            self.parts.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" stroke="#ddd"/>')
            self.parts.append(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{plain(value)}</text>')
        self.series = 0

    def at_x(self, value):
        low, high = self.x
        share = math.log(value / low) / math.log(high / low) if self.log_x else (value - low) / max(high - low, 1)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def at_y(self, value):
        low, high = self.y
        value = min(max(value, low), high)
        return HEIGHT - BOTTOM - math.log(value / low) / math.log(high / low) * (HEIGHT - BOTTOM - TOP)

    def points(self, name, points):
        """One series of (x, y, title)."""
        colour = COLOURS[self.series % len(COLOURS)]
        at = WIDTH - RIGHT - 250 * (self.series + 1)
        self.parts.append(f'<circle cx="{at}" cy="29" r="4" fill="{colour}"/><text x="{at + 8}" y="33">{escape(name)}</text>')
        for x, y, title in points:
            self.parts.append(
                f'<circle cx="{self.at_x(x):.1f}" cy="{self.at_y(y):.1f}" r="2.5" fill="{colour}" fill-opacity="0.75">'
                f"<title>{escape(title)}</title></circle>"
            )
        self.series += 1

    def level(self, value):
        """A line at a height that means something."""
        at = self.at_y(value)
        self.parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="#444" stroke-dasharray="4 3"/>')

    def text(self):
        return "\n".join([*self.parts, "</svg>"]) + "\n"


def quality(title, y_label, series, y):
    """Ratios of programs, each series sorted by the first: series is (name, {program: ratio})."""
    names = sorted(series[0][1], key=lambda name: (series[0][1][name], name))
    plot = Plot(title, f"{len(names)} programs, by satir's ratio", y_label, (0, len(names)), y, log_x=False)
    plot.level(1.0)
    for title, ratios in reversed(series):
        plot.points(title, [(k, ratios[n], f"{n}: {ratios[n]:.3f}") for k, n in enumerate(names) if n in ratios])
    return plot.text()


def times(title, series):
    """Milliseconds over size: series is (name, [(size, seconds, program)])."""
    sizes = [p[0] for _, points in series for p in points]
    milliseconds = [max(p[1] * 1e3, SHORTEST) for _, points in series for p in points]
    x = (max(min(sizes) * 0.8, 1), max(sizes) * 1.2)
    y = (min(milliseconds) * 0.8, max(milliseconds) * 1.2)
    plot = Plot(title, "bytes of the program", "milliseconds", x, y, log_x=True)
    for name, points in series:
        plot.points(name, [(size, max(t * 1e3, SHORTEST), f"{program}: {t * 1e3:.1f} ms") for size, t, program in points])
    return plot.text()
