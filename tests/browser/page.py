#!/usr/bin/env python3
"""Opens the report pages of kernels in a headless Chromium, at two widths, light and dark, and checks in the page
that nothing sticks out, that pointing at a mark lights all that belong to it, and that a click opens its card.

    tests/browser/page.py --satir target/release/satir examples/kernels/unrolled_copy.py ...

Exits with 1 if a check fails, with 3 if there is no Chromium. `--screenshots FOLDER` keeps a picture of each page."""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

WIDTHS = [(390, 844), (1280, 900)]
SCHEMES = ["light", "dark"]

# Runs after the page's own script and leaves its verdict in the title.
CHECK = """
<script>
{
const faults = [];
const expect = (yes, what) => { if (!yes) faults.push(what); };
const root = document.documentElement;
expect(root.scrollWidth <= window.innerWidth, `the page is ${root.scrollWidth} wide, the window ${window.innerWidth}`);
const marks = [...document.querySelectorAll("span.b[data-b]")];
const cards = [...document.querySelectorAll("details[data-b]")];
expect(cards.length > 0, "there are no cards");
for (const card of cards) {
  const own = marks.filter((m) => m.dataset.b === card.dataset.b);
  expect(own.length > 0, `nothing is marked for ${card.dataset.b}`);
  if (own.length === 0) continue;
  own[0].dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
  expect(own.every((m) => m.classList.contains("hot")), `pointing at ${card.dataset.b} does not light all its marks`);
  expect(marks.every((m) => own.includes(m) || !m.classList.contains("hot")), "others are lit too");
  own[0].click();
  expect(card.open, `a click does not open the card of ${card.dataset.b}`);
}
const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
expect(dark === SCHEME_IS_DARK, `the colour scheme is ${dark ? "dark" : "light"}`);
const [fg, bg] = [getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor];
const light = (c) => c.match(/[0-9.]+/g).slice(0, 3).map(Number).reduce((a, b) => a + b);
expect((light(bg) < light(fg)) === dark, `text ${fg} on ${bg}`);
document.title = faults.length === 0 ? "checked: fine" : "checked: " + faults.join("; ");
}
</script>
"""


def find_browser():
    for name in ["chromium", "chromium-browser", "google-chrome"]:
        if shutil.which(name):
            return name
    return None


def browse(browser, page, size, scheme, *action):
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={size[0]},{size[1]}"]
    if scheme == "dark":
        flags.append("--blink-settings=preferredColorScheme=0")
    else:
        flags.append("--blink-settings=preferredColorScheme=1")
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, *flags, f"--user-data-dir={profile}", *action, page.as_uri()]
        return subprocess.run(command, capture_output=True, text=True, timeout=120).stdout


def framed(page, size):
    """The page in a frame of the phone's width: a window of Chromium cannot be that narrow."""
    frame = page.with_suffix(".frame.html")
    frame.write_text(
        f'<body style="margin:0"><iframe src="{page.name}" style="border:0;width:{size[0]}px;height:{size[1]}px">'
        "</iframe><script>onload = () => { document.title = frames[0].document.title }</script>"
    )
    return frame


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--satir", required=True, type=Path)
    parser.add_argument("--screenshots", type=Path)
    parser.add_argument("programs", nargs="+", type=Path)
    args = parser.parse_args()
    browser = find_browser()
    if browser is None:
        print("there is no Chromium", file=sys.stderr)
        return 3
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for program in args.programs:
            plain = Path(folder) / f"{program.stem}.html"
            subprocess.run([args.satir, "cse", program, "--report", plain, "-o", "/dev/null"], check=True)
            for size in WIDTHS:
                for scheme in SCHEMES:
                    name = f"{program.stem}-{size[0]}-{scheme}"
                    page = Path(folder) / f"{name}.html"
                    check = CHECK.replace("SCHEME_IS_DARK", "true" if scheme == "dark" else "false")
                    page.write_text(plain.read_text().replace("</body>", f"{check}</body>"))
                    shown = framed(page, size)
                    access = "--allow-file-access-from-files"
                    dom = browse(browser, shown, size, scheme, access, "--virtual-time-budget=3000", "--dump-dom")
                    verdict = dom.partition("<title>")[2].partition("</title>")[0]
                    print(f"{name}: {verdict or 'no verdict'}")
                    bad += verdict != "checked: fine"
                    if args.screenshots:
                        args.screenshots.mkdir(parents=True, exist_ok=True)
                        target = args.screenshots.resolve() / f"{name}.png"
                        browse(browser, shown, size, scheme, access, f"--screenshot={target}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
