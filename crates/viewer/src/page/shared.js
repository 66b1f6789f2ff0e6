"use strict";
// What the served page and the page in one file have in common: lists, and a picture to move.
const el = (id) => document.getElementById(id);
const zoom = { x: 10, y: 10, scale: 1 };

function item(text, silent, action) {
  const li = document.createElement("li");
  const button = document.createElement("button");
  button.textContent = text;
  if (silent) button.className = "tau";
  button.onclick = action;
  li.append(button);
  return li;
}
function more(list, shown, all) {
  if (all <= shown) return;
  const li = document.createElement("li");
  li.className = "more";
  li.textContent = `and ${all - shown} more`;
  list.append(li);
}

// What is written about a state, line by line: values with their names, and what became unknown on the way to it.
function describe(note) {
  el("note").replaceChildren(...(note || "").split("\n").map((text) => {
    const line = document.createElement("div");
    const [name, value] = text.split(" -> ", 2);
    if (text.startsWith("unknown now: ")) {
      line.className = "lost";
      line.textContent = text.slice("unknown now: ".length);
    } else if (value !== undefined) {
      line.className = "value";
      line.append(Object.assign(document.createElement("span"), { textContent: name }), ` = ${text.slice(name.length + 4)}`);
    } else {
      line.textContent = text;
    }
    return line;
  }));
}

function place() {
  const svg = el("picture").querySelector("svg");
  if (svg) svg.style.transform = `translate(${zoom.x}px, ${zoom.y}px) scale(${zoom.scale})`;
}
// All of the picture, as far as it can still be read.
function fit() {
  const svg = el("picture").querySelector("svg");
  const box = el("picture").getBoundingClientRect();
  const [width, height] = [svg.width.baseVal.value, svg.height.baseVal.value];
  zoom.scale = Math.min(1.5, Math.max(0.4, Math.min((box.width - 20) / width, (box.height - 20) / height)));
  zoom.x = Math.max(10, (box.width - width * zoom.scale) / 2);
  zoom.y = 10;
  place();
}
// Moves the picture until a node can be seen.
function reveal(node) {
  if (!node) return;
  const [box, at] = [el("picture").getBoundingClientRect(), node.getBoundingClientRect()];
  if (at.left < box.left || at.right > box.right) zoom.x += (box.left + box.right - at.left - at.right) / 2;
  if (at.top < box.top || at.bottom > box.bottom) zoom.y += (box.top + box.bottom - at.top - at.bottom) / 2;
  place();
}

function movable(picture) {
  let from = null;
  picture.onpointerdown = (e) => { from = { x: e.clientX - zoom.x, y: e.clientY - zoom.y }; };
  picture.onpointermove = (e) => {
    if (!from || e.buttons === 0) return;
    zoom.x = e.clientX - from.x;
    zoom.y = e.clientY - from.y;
    place();
  };
  picture.onpointerup = () => { from = null; };
  picture.addEventListener("wheel", (e) => {
    e.preventDefault();
    const box = picture.getBoundingClientRect();
    const [x, y] = [e.clientX - box.left, e.clientY - box.top];
    const factor = Math.exp(-e.deltaY / 500);
    zoom.x = x - (x - zoom.x) * factor;
    zoom.y = y - (y - zoom.y) * factor;
    zoom.scale *= factor;
    place();
  }, { passive: false });
}
