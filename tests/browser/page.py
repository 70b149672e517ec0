#!/usr/bin/env python3
"""Opens the report pages of kernels in a headless Chromium, at two widths, light and dark, and checks in the page
that nothing sticks out, that pointing at a mark lights all that belong to it, that a click opens its card, that before
and after scroll together, that bindings are sorted, and that code comes first. Then it does the same for a module of many
functions, which has contents and is folded, and for the page of contents of a folder.

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
const functions = [...document.querySelectorAll("details.function")];
const links = [...document.querySelectorAll("nav a")];
if (functions.length > 1) {
  expect(links.length === functions.length, `${links.length} links lead to ${functions.length} functions`);
}
if (functions.length > 3) {
  expect(functions.every((f) => !f.open), "functions are not folded");
  const contents = document.querySelector("nav table");
  expect(contents.getBoundingClientRect().top < 400, "the contents are not at the top");
  links[links.length - 1].click();
  location.hash = links[links.length - 1].hash;
  dispatchEvent(new HashChangeEvent("hashchange"));
  expect(functions[functions.length - 1].open, "a link does not open its function");
  functions.forEach((f) => (f.open = true));
  scrollTo(0, 0);
}
for (const table of document.querySelectorAll("table.sortable")) {
  if (table.tBodies[0].rows.length < 2) continue;
  const value = (row) => row.cells[1].dataset.v ?? row.cells[1].textContent;
  const numbers = () => [...table.tBodies[0].rows].map(value).filter((v) => v !== "" && !Number.isNaN(Number(v))).map(Number);
  const head = table.querySelectorAll("th")[1];
  head.click();
  const down = numbers();
  expect(down.every((v, i) => i === 0 || v <= down[i - 1]), `a table is not sorted downwards: ${down}`);
  head.click();
  const up = numbers();
  expect(up.every((v, i) => i === 0 || v >= up[i - 1]), `a table is not sorted upwards: ${up}`);
}
for (const section of document.querySelectorAll(".cards")) {
  const saved = () => [...section.querySelectorAll(".card")].map((c) => Number(c.dataset.saved));
  const places = () => [...section.querySelectorAll(".card")].map((c) => Number(c.dataset.order));
  section.querySelector("[data-sort=saved]")?.click();
  expect(saved().every((v, i) => i === 0 || v <= saved()[i - 1]) || saved().length < 2, "bindings are not sorted");
  section.querySelector("[data-sort=order]")?.click();
  expect(places().every((v, i) => v === i), "bindings do not go back to their places");
}
const first = document.querySelector(".code");
if (first) {
  expect(first.getBoundingClientRect().top < 500 || functions.length > 3, "code does not come first");
  expect(document.querySelectorAll(".code .k, .code .t").length > 0, "code has no colours");
}
for (const sources of document.querySelectorAll(".sources")) {
  const [before, after] = sources.querySelectorAll(".code");
  const room = Math.min(before.scrollHeight - before.clientHeight, after.scrollHeight - after.clientHeight);
  if (room < 100) continue;
  before.scrollTop = before.scrollHeight;
  before.dispatchEvent(new Event("scroll"));
  expect(after.scrollTop > after.scrollHeight - after.clientHeight - 200, `after stays at ${after.scrollTop} of ${after.scrollHeight}`);
  window.SYNCED = true;
}
const marks = [...document.querySelectorAll("span.b[data-b]")];
const cards = [...document.querySelectorAll("details[data-b]")];
expect(cards.length > 0 || IS_INDEX, "there are no cards");
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
const synced = window.SYNCED ? ", scrolled together" : "";
document.title = faults.length === 0 ? "checked: fine" + synced : "checked: " + faults.join("; ");
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


def verdict_of(browser, page, size, scheme, *flags):
    """What the page says of itself; another title or none if it does not come to say anything. The time that Chromium
    gives a page is virtual, but on a machine with much other work it runs out before the frame is loaded: then it gets
    more."""
    verdict = ""
    for budget in [3_000, 12_000, 48_000]:
        try:
            dom = browse(browser, page, size, scheme, *flags, f"--virtual-time-budget={budget}", "--dump-dom")
        except subprocess.TimeoutExpired:
            continue
        verdict = dom.partition("<title>")[2].partition("</title>")[0]
        if verdict.startswith("checked"):
            break
    return verdict


def framed(page, size):
    """The page in a frame of the phone's width: a window of Chromium cannot be that narrow."""
    frame = page.with_suffix(".frame.html")
    frame.write_text(
        f'<body style="margin:0"><iframe src="{page.name}" style="border:0;width:{size[0]}px;height:{size[1]}px">'
        "</iframe><script>onload = () => { document.title = frames[0].document.title }</script>"
    )
    return frame


def many_functions(text):
    """A module with the first function of a program six times, each under a name of its own."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.strip().startswith("@T.prim_func"))
    head, body = lines[:start], lines[start:]
    again = [line for i in range(6) for line in [*(l.replace("def main(", f"def main{i}(") for l in body), ""]]
    return "\n".join([*head, *again]) + "\n"


def long_function():
    """A function that is longer than any window."""
    stores = [f"        A[i * 200 + {k}] = B[i * 200 + {k + 4096}] + T.float32({k})" for k in range(200)]
    head = ["@T.prim_func", 'def main(A: T.Buffer((4096,), "float32"), B: T.Buffer((8192,), "float32")):']
    return "\n".join([*head, "    for i in range(16):", *stores]) + "\n"


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
    synced = False
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        pages = []
        for program in args.programs:
            plain = folder / f"{program.stem}.html"
            subprocess.run([args.satir, "cse", program, "--report", plain, "-o", "/dev/null"], check=True)
            pages.append((plain, False))
        made = {"many_functions": many_functions(args.programs[0].read_text()), "long_function": long_function()}
        for name, text in made.items():
            module = folder / f"{name}.py"
            module.write_text(text)
            plain = folder / f"{name}.html"
            subprocess.run([args.satir, "cse", module, "--report", plain, "-o", "/dev/null"], check=True)
            pages.append((plain, False))
        plain = folder / "contents.html"
        subprocess.run([args.satir, "-q", "cse", *args.programs, "--report", plain, "-o", folder / "out"], check=True)
        pages.append((plain, True))
        for plain, is_index in pages:
            for size in WIDTHS:
                for scheme in SCHEMES:
                    name = f"{plain.stem}-{size[0]}-{scheme}"
                    page = folder / f"{name}.html"
                    check = CHECK.replace("SCHEME_IS_DARK", "true" if scheme == "dark" else "false")
                    check = check.replace("IS_INDEX", "true" if is_index else "false")
                    page.write_text(plain.read_text().replace("</body>", f"{check}</body>"))
                    shown = framed(page, size)
                    access = "--allow-file-access-from-files"
                    verdict = verdict_of(browser, shown, size, scheme, access)
                    print(f"{name}: {verdict or 'no verdict'}")
                    bad += not verdict.startswith("checked: fine")
                    synced |= "scrolled together" in verdict
                    if args.screenshots:
                        args.screenshots.mkdir(parents=True, exist_ok=True)
                        target = args.screenshots.resolve() / f"{name}.png"
                        browse(browser, shown, size, scheme, access, f"--screenshot={target}")
    if not synced:
        print("no page was long enough to be scrolled", file=sys.stderr)
        bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
