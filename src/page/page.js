"use strict";
const all = (id) => document.querySelectorAll(`[data-b="${id}"]`);
const owner = (event) => event.target.closest("[data-b]");
let hot = null;
function light(id) {
  if (id === hot) return;
  if (hot !== null) all(hot).forEach((e) => e.classList.remove("hot"));
  hot = id;
  if (hot !== null) all(hot).forEach((e) => e.classList.add("hot"));
}
for (const kind of ["mouseover", "focusin"]) {
  document.addEventListener(kind, (event) => {
    const e = owner(event);
    light(e ? e.dataset.b : null);
  });
}
function open(e) {
  const card = document.querySelector(`details[data-b="${e.dataset.b}"]`);
  if (!card) return;
  card.open = true;
  card.scrollIntoView({ behavior: "smooth", block: "nearest" });
}
document.addEventListener("click", (event) => {
  const e = owner(event);
  if (e && !e.closest("details[data-b]")) open(e);
});
document.addEventListener("keydown", (event) => {
  const e = owner(event);
  if (event.key === "Enter" && e && !e.closest("details[data-b]")) open(e);
});

// A function that is folded opens when something leads to it.
function reveal() {
  const target = document.getElementById(location.hash.slice(1));
  if (target && target.matches("details.function")) {
    target.open = true;
    target.scrollIntoView();
  }
}
addEventListener("hashchange", reveal);
reveal();
document.querySelectorAll("a[href^='#']").forEach((a) => a.addEventListener("click", () => setTimeout(reveal)));
document.querySelectorAll("[data-fold]").forEach((button) =>
  button.addEventListener("click", () => {
    const fold = button.dataset.fold === "close";
    document.querySelectorAll("details.function").forEach((e) => (e.open = !fold));
  }),
);

// Before and after scroll together: lines that belong together lie side by side, between them it goes in proportion.
const sync = document.getElementById("sync");
function pairs(from, to) {
  const mates = new Map();
  to.querySelectorAll("[data-r]").forEach((e) => mates.set(e.dataset.r, e.offsetTop));
  const points = [[0, 0]];
  from.querySelectorAll("[data-r]").forEach((e) => points.push([e.offsetTop, mates.get(e.dataset.r) ?? 0]));
  points.push([from.scrollHeight, to.scrollHeight]);
  return points;
}
document.querySelectorAll(".sources").forEach((section) => {
  const panes = [...section.querySelectorAll(".code")];
  let expected = null;
  panes.forEach((from, i) => {
    const to = panes[1 - i];
    from.addEventListener("scroll", () => {
      if (!sync || !sync.checked || !to) return;
      if (expected !== null && expected.pane === from && Math.abs(expected.top - from.scrollTop) < 2) {
        expected = null;
        return;
      }
      const points = pairs(from, to);
      let at = 1;
      while (at < points.length - 1 && points[at][0] <= from.scrollTop) at += 1;
      const [[a, b], [c, d]] = [points[at - 1], points[at]];
      const top = b + (c > a ? ((from.scrollTop - a) / (c - a)) * (d - b) : 0);
      to.scrollTop = top;
      to.scrollLeft = from.scrollLeft;
      expected = { pane: to, top: to.scrollTop };
    });
  });
});

// Tables and cards are sorted by what is clicked.
function compare(a, b) {
  const [x, y] = [Number(a), Number(b)];
  return Number.isNaN(x) || Number.isNaN(y) ? String(a).localeCompare(String(b)) : x - y;
}
document.querySelectorAll("table.sortable").forEach((table) => {
  const heads = [...table.querySelectorAll("th")];
  heads.forEach((th, i) => {
    th.tabIndex = 0;
    const sort = () => {
      const down = th.getAttribute("aria-sort") !== "descending" && (i > 0 || th.getAttribute("aria-sort") === "ascending");
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      th.setAttribute("aria-sort", down ? "descending" : "ascending");
      const value = (row) => row.cells[i]?.dataset.v ?? row.cells[i]?.textContent ?? "";
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => compare(value(a), value(b)) * (down ? -1 : 1));
      table.tBodies[0].append(...rows);
    };
    th.addEventListener("click", sort);
    th.addEventListener("keydown", (event) => event.key === "Enter" && sort());
  });
});
document.querySelectorAll("[data-sort]").forEach((button) =>
  button.addEventListener("click", () => {
    const section = button.closest(".cards");
    const key = button.dataset.sort;
    section.querySelectorAll("[data-sort]").forEach((e) => e.setAttribute("aria-pressed", String(e === button)));
    const cards = [...section.querySelectorAll(".card")];
    const up = key === "order" || key === "name";
    cards.sort((a, b) => compare(a.dataset[key], b.dataset[key]) * (up ? 1 : -1));
    section.append(...cards);
  }),
);
