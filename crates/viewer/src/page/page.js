"use strict";
// The page keeps which states are shown and where the walker is; the server knows the rest.
const view = { system: "model", shown: new Set(), current: 0, past: [], way: null, at: 0, info: null };

async function ask(path, parameters = {}) {
  const answer = await fetch(path + "?" + new URLSearchParams(parameters));
  const json = (answer.headers.get("Content-Type") || "").startsWith("application/json");
  const data = json ? await answer.json() : await answer.text();
  if (!answer.ok) throw new Error(data.error || "the request failed");
  return data;
}
const here = (more) => ({ system: view.system, ...more });
const summary = () => view.info.systems.find((s) => s.name === view.system);

function tell(text) { el("message").textContent = text; }
function guarded(action) {
  return async (...args) => {
    tell("");
    try { await action(...args); } catch (error) { tell(error.message); }
  };
}

async function draw() {
  const states = [...view.shown].join(",");
  const way = view.way ? [view.way.start, ...view.way.steps.map((s) => s.state)].slice(0, 400) : [];
  const svg = await ask("draw", here({ states, current: view.current, way: way.join(",") }));
  el("picture").innerHTML = svg;
  for (const node of el("picture").querySelectorAll("g[data-node]")) {
    const state = Number(node.dataset.node);
    node.onclick = guarded(() => go(state));
    node.ondblclick = guarded(() => unfold(state));
  }
  place();
}

async function details() {
  const state = await ask("state", here({ id: view.current }));
  el("state").textContent = `State ${state.id}`;
  describe(state.note);
  const source = el("source");
  source.replaceChildren();
  if (state.source) {
    const code = document.createElement("div");
    code.className = "code";
    const head = document.createElement("div");
    head.className = "place";
    head.textContent = `${state.source.file}:${state.source.line}`;
    code.append(head);
    state.source.lines.forEach((text, n) => {
      const line = document.createElement("div");
      const number = state.source.first + n;
      line.textContent = String(number).padStart(4) + "  " + text;
      if (number === state.source.line) line.className = "here";
      code.append(line);
    });
    source.append(code);
  }
  const fill = (id, steps, count, arrow) => {
    const list = el(id);
    list.replaceChildren(...steps.map((s) =>
      item(`${s.label} ${arrow} ${s.state}`, s.label === "tau", guarded(() => go(s.state, true)))));
    more(list, steps.length, count);
  };
  fill("out", state.out, state.out_count, "→");
  fill("in", state.in, state.in_count, "←");
  el("back").disabled = view.past.length === 0;
  el("random").disabled = state.out.length === 0;
  return state;
}

function show(states) {
  for (const state of states) {
    if (view.shown.size >= view.info.most) {
      tell(`only ${view.info.most} states are drawn; 'Only this' starts anew`);
      return;
    }
    view.shown.add(state);
  }
}

async function go(state, remember = true) {
  if (remember && state !== view.current) view.past.push(view.current);
  view.current = state;
  show([state]);
  await Promise.all([draw(), details()]);
}

async function unfold(state) {
  const data = await ask("state", here({ id: state }));
  show(data.out.map((s) => s.state));
  await go(state);
}

async function restart() {
  view.shown.clear();
  view.past = [];
  view.way = null;
  el("player").hidden = true;
  zoom.x = zoom.y = 10;
  zoom.scale = 1;
  const start = summary().initial;
  view.current = start;
  await unfold(start);
}

function describe() {
  const { states, transitions } = summary();
  el("size").textContent = `${states.toLocaleString("en")} states, ${transitions.toLocaleString("en")} transitions`;
}

function fillSystems() {
  const select = el("system");
  const names = ["model", ...view.info.reductions];
  select.replaceChildren(...names.map((name) => {
    const option = document.createElement("option");
    const known = view.info.systems.find((s) => s.name === name);
    option.value = name;
    option.textContent = name === "model" ? "the model" : `reduced: ${name}` + (known ? ` (${known.states})` : "");
    option.selected = name === view.system;
    return option;
  }));
}

async function choose(name) {
  if (!view.info.systems.some((s) => s.name === name)) {
    tell("reducing…");
    view.info = await ask("reduce", { to: name });
    tell("");
  }
  view.system = name;
  fillSystems();
  describe();
  el("found").replaceChildren();
  await restart();
}

async function follow(way) {
  if (!way) throw new Error("there is no way to it from the start");
  view.way = way;
  view.shown.clear();
  view.past = [];
  show([way.start, ...way.steps.map((s) => s.state)]);
  el("player").hidden = false;
  const list = el("steps");
  const first = item(`start: ${way.start}`, false, guarded(() => jump(0)));
  const rest = way.steps.slice(0, 1000).map((s, n) =>
    item(`${s.label} → ${s.state}`, s.label === "tau", guarded(() => jump(n + 1))));
  list.replaceChildren(first, ...rest);
  more(list, rest.length, way.steps.length);
  await jump(0);
}

async function jump(to) {
  const { way } = view;
  view.at = Math.max(0, Math.min(to, way.steps.length));
  [...el("steps").children].forEach((li, n) => li.classList.toggle("now", n === view.at));
  el("steps").children[view.at]?.scrollIntoView({ block: "nearest" });
  el("first").disabled = el("previous").disabled = view.at === 0;
  el("next").disabled = el("last").disabled = view.at === way.steps.length;
  await go(view.at === 0 ? way.start : way.steps[view.at - 1].state);
}

async function search() {
  const text = el("text").value.trim();
  const found = await ask("search", here({ text }));
  const list = el("found");
  const labels = found.labels.map((label) =>
    item(`first ${label}`, label === "tau", guarded(async () => follow(await ask("way", here({ label }))))));
  const states = found.states.map(({ state, note }) =>
    item(`${state}: ${(note || "").split("\n").join(" ")}`, false,
      guarded(async () => follow(await ask("way", here({ to: state }))))));
  list.replaceChildren(...labels, ...states);
  if (list.children.length === 0) tell("nothing found");
}

async function begin() {
  view.info = await ask("info");
  el("name").textContent = view.info.name;
  document.title = `${view.info.name} – cwolf view`;
  fillSystems();
  describe();
  await restart();
  if (view.info.run) await follow(view.info.run);
  fit();
}

el("system").onchange = guarded(() => choose(el("system").value));
el("search").onsubmit = (e) => { e.preventDefault(); guarded(search)(); };
el("home").onclick = guarded(restart);
el("unfold").onclick = guarded(() => unfold(view.current));
el("back").onclick = guarded(() => go(view.past.pop(), false));
el("random").onclick = guarded(async () => {
  const { out } = await ask("state", here({ id: view.current }));
  await go(out[Math.floor(Math.random() * out.length)].state);
});
el("only").onclick = guarded(() => { view.shown.clear(); return go(view.current, false); });
el("fit").onclick = fit;
el("first").onclick = guarded(() => jump(0));
el("previous").onclick = guarded(() => jump(view.at - 1));
el("next").onclick = guarded(() => jump(view.at + 1));
el("last").onclick = guarded(() => jump(Infinity));
el("forget").onclick = guarded(() => { view.way = null; el("player").hidden = true; return draw(); });
el("picture").onkeydown = (e) => {
  const keys = { ArrowRight: "next", ArrowLeft: "previous", u: "unfold", b: "back", r: "random", f: "fit" };
  if (keys[e.key]) el(keys[e.key]).click();
};
movable(el("picture"));
guarded(begin)();
