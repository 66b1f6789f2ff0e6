// A system that is drawn as a whole: the page has all of it.
const steps = { out: data.notes.map(() => []), in: data.notes.map(() => []) };
for (const [from, label, to] of data.transitions) {
  steps.out[from].push({ label: data.labels[label], state: to });
  steps.in[to].push({ label: data.labels[label], state: from });
}
const drawn = new Map([...el("picture").querySelectorAll("g[data-node]")].map((g) => [Number(g.dataset.node), g]));
const mark = (name, states) => {
  for (const g of drawn.values()) g.classList.remove(name);
  for (const state of states) drawn.get(state)?.classList.add(name);
};

function go(state) {
  mark("here", [state]);
  reveal(drawn.get(state));
  el("state").textContent = `State ${state}`;
  describe(data.notes[state]);
  for (const [id, arrow] of [["out", "→"], ["in", "←"]])
    el(id).replaceChildren(...steps[id][state].map((s) =>
      item(`${s.label} ${arrow} ${s.state}`, s.label === "tau", () => go(s.state))));
}

// All states that the text fits: by number, by words of the note, by the label of a step from them.
function search() {
  const text = el("text").value.trim();
  const fits = (state) => text !== "" && (String(state) === text
    || (data.notes[state] || "").includes(text) || steps.out[state].some((s) => s.label.includes(text)));
  const found = [...drawn.keys()].filter(fits);
  mark("found", found);
  const words = (state) => {
    const labels = steps.out[state].map((s) => s.label).filter((l) => l.includes(text));
    return `${state}: ${[...labels, (data.notes[state] || "").split("\n")[0]].join(" ")}`;
  };
  el("found").replaceChildren(...found.slice(0, 200).map((state) => item(words(state), false, () => go(state))));
  more(el("found"), 200, found.length);
  el("message").textContent = text === "" ? "" : `${found.length} found`;
}

for (const [state, g] of drawn) g.onclick = () => go(state);
el("search").onsubmit = (e) => { e.preventDefault(); search(); };
el("text").oninput = search;
el("fit").onclick = fit;
movable(el("picture"));
fit();
go(data.initial);
