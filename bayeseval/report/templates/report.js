"use strict";
(function () {
  const byId = (id) => document.getElementById(id);
  const tables = JSON.parse(byId("tables").textContent);

  // Sliders: every number was computed and written before; they only choose.
  const bar = byId("bar"), k = byId("k"), chosen = byId("chosen");
  const names = {
    new_tasks: "pass rate, new tasks", suite: "pass rate, this suite",
    next_run: "pass rate, next run"
  };
  function row(name, found, at) {
    const line = document.createElement("tr"), head = document.createElement("th");
    head.scope = "row";
    head.textContent = name;
    line.append(head);
    for (const text of [found.answer, found.above[at]]) {
      const cell = document.createElement("td");
      cell.className = "number";
      cell.textContent = text;
      line.append(cell);
    }
    return line;
  }
  function choose() {
    const at = Number(bar.value), step = Number(k.value), attempts = tables.ks[step];
    byId("bar-value").textContent = tables.bars[at];
    byId("k-value").textContent = String(attempts);
    bar.setAttribute("aria-valuetext", tables.bars[at]);
    k.setAttribute("aria-valuetext", "k = " + attempts);
    byId("above-head").textContent = "Pr[> " + tables.bars[at] + "]";
    const lines = Object.keys(names).filter((name) => tables.rate[name])
      .map((name) => row(names[name], tables.rate[name], at));
    lines.push(row("pass@" + attempts + ", new tasks", tables.at[step], at));
    lines.push(row("pass^" + attempts + ", new tasks", tables.hat[step], at));
    chosen.replaceChildren(...lines);
  }
  bar.addEventListener("input", choose);
  k.addEventListener("input", choose);
  choose();
  byId("controls").hidden = false;

  // Tasks: sorted by any column, searched by name.
  const table = byId("task-table"), body = table.tBodies[0], rows = Array.from(body.rows);
  const heads = Array.from(table.tHead.rows[0].cells), search = byId("search");
  const number = (text) => {
    const found = parseFloat(text.replaceAll(",", ""));
    return Number.isNaN(found) ? -Infinity : found;
  };
  function sort(column) {
    const head = heads[column], names = column === 0;
    const up = head.getAttribute("aria-sort") === (names ? "ascending" : "descending") ? names ? -1 : 1 : names ? 1 : -1;
    const keys = new Map(rows.map((line) => {
      const text = line.cells[column].textContent;
      return [line, names ? text : number(text)];
    }));
    const compare = new Intl.Collator(undefined, { numeric: true }).compare;
    rows.sort((a, b) => up * (names ? compare(keys.get(a), keys.get(b)) : keys.get(a) - keys.get(b)));
    body.replaceChildren(...rows);
    heads.forEach((each) => each.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up > 0 ? "ascending" : "descending");
  }
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    button.addEventListener("click", () => sort(column));
    head.replaceChildren(button);
  });
  function find() {
    const wanted = search.value.trim().toLowerCase();
    let shown = 0;
    for (const line of rows) {
      line.hidden = !line.cells[0].textContent.toLowerCase().includes(wanted);
      shown += line.hidden ? 0 : 1;
    }
    byId("found").textContent = wanted ? shown + " of " + rows.length + " tasks" : "";
  }
  search.addEventListener("input", find);
  byId("task-tools").hidden = false;
})();
