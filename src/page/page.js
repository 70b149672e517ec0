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
  if (e && !e.closest("details")) open(e);
});
document.addEventListener("keydown", (event) => {
  const e = owner(event);
  if (event.key === "Enter" && e && !e.closest("details")) open(e);
});
