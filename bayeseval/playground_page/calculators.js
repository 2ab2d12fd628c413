/* The calculators: each reads its form, computes, and shows. */

(() => {
  const {
    $, bare, percent, points, whole, plain, signed, probability, show, Mistake, field, require,
    ciProb, levelText, levelOption,
  } = page;
  const b = bayeseval;

  function figure(id, title, drawn, entries) {
    $(id).innerHTML = `<figcaption>${charts.escape(title)}</figcaption>${drawn}`
      + (entries.length ? charts.legend(entries) : "");
  }

  const widthOf = (id, most = 640) => Math.min(Math.max($(id).clientWidth, 260), most);
  const rateAxis = (low, high, label, about = 5) => (
    { low, high, ticks: charts.ticks(low, high, about), format: (v) => `${plain(100 * v)} %`, label });
  const noAxis = (high) => ({ low: 0, high, ticks: [] });
  const kAxis = (most, width) => (
    { low: 1, high: Math.max(most, 2), ticks: charts.wholeTicks(most, width < 400 ? 5 : 10), format: plain, label: "k" });

  /* ---- (a) One pass rate ---- */

  const PRIORS = { uniform: [1, 1], jeffreys: [0.5, 0.5] };
  let trialsBefore = 100;

  /* Keeps the share of passes when the number of tasks is changed. */
  function keepRate() {
    const trials = $("rate-trials").valueAsNumber;
    if (!Number.isInteger(trials) || trials < 1) return;
    const passes = $("rate-passes").valueAsNumber;
    if ($("rate-keep").checked && Number.isInteger(passes) && passes <= trialsBefore) {
      $("rate-passes").value = Math.round(passes / trialsBefore * trials);
    }
    trialsBefore = trials;
  }

  function rate() {
    const chosen = $("rate-prior").value;
    $("rate-own").hidden = chosen !== "own";
    const trials = field("rate-trials");
    const passes = field("rate-passes");
    require(passes <= trials, "rate-passes",
      `Passes: at most n = ${whole(trials)}; got ${whole(passes)}.`);
    const bar = field("rate-bar");
    const [alpha, beta] = PRIORS[chosen] ?? [field("rate-alpha"), field("rate-beta")];
    const [a, c] = [alpha + passes, beta + trials - passes];
    const posterior = b.betaInterval(a, c, ciProb());
    const wilson = b.wilsonInterval(passes, trials, ciProb());
    const mean = a / (a + c);
    const above = b.betaProbAbove(bar, a, c);
    show("rate-mean", mean, percent);
    show("rate-lower", posterior.lower, bare);
    show("rate-upper", posterior.upper, percent);
    show("rate-half", (posterior.upper - posterior.lower) / 2, points);
    show("rate-raw", passes / trials, percent);
    show("rate-wilson-lower", wilson.lower, bare);
    show("rate-wilson-upper", wilson.upper, percent);
    show("rate-wilson-half", (wilson.upper - wilson.lower) / 2, points);
    show("rate-above", above, probability);
    show("rate-below", b.betaCdf(bar, a, c), probability);
    $("rate-posterior").textContent = `Beta(${plain(a)}, ${plain(c)})`;
    $("rate-answer").textContent = `${whole(passes)} of ${whole(trials)} passed: the rate is `
      + `${percent(mean)} (${levelText()} CrI ${bare(posterior.lower)}-${percent(posterior.upper)}), `
      + `and exceeds ${plain(100 * bar)} % with probability ${probability(above)}.`;
    const prior = chosen === "own" ? ` --prior ${plain(alpha)},${plain(beta)}`
      : chosen === "jeffreys" ? " --prior jeffreys" : "";
    $("rate-command").textContent =
      `bayeseval rate ${passes}/${trials} --above ${plain(bar)}${prior}${levelOption()}`;
    drawRate(a, c, bar, posterior, wilson, passes / trials);
  }

  function drawRate(a, c, bar, posterior, wilson, raw) {
    const far = [1e-5, 1 - 1e-5].map((u) => b.betaQuantile(u, a, c));
    const [left, right] = [Math.min(far[0], wilson.lower, bar), Math.max(far[1], wilson.upper, bar)];
    const margin = 0.06 * (right - left);
    const [low, high] = [Math.max(left - margin, 0), Math.min(right + margin, 1)];
    const between = (from, to) => Array.from({ length: 201 }, (_, i) => from + (to - from) * i / 200);
    // Dense where the posterior is, which may be a needle far from the bar.
    const at = [...between(low, high), ...between(...far)].sort((one, other) => one - other);
    // At the ends of the scale the density may be infinite.
    const inside = at.filter((x) => x > 0 && x < 1 && Number.isFinite(b.betaPdf(x, a, c)));
    const curve = inside.map((x) => [x, b.betaPdf(x, a, c)]);
    const edge = 0.01 * (high - low);
    const middle = curve.filter(([x]) => x >= low + edge && x <= high - edge);
    const peak = Math.max(...(middle.length ? middle : curve).map(([, y]) => y));
    const seen = curve.map(([x, y]) => [x, Math.min(y, peak * 1.05)]);
    const shaded = [[Math.max(bar, inside[0]), Math.min(b.betaPdf(Math.max(bar, inside[0]), a, c), peak * 1.05)],
      ...seen.filter(([x]) => x > bar)];
    const width = widthOf("rate-chart");
    const drawn = charts.plane(width, 250,
      `Posterior curve of the pass rate, from ${percent(low)} to ${percent(high)}. The part above the bar of ${percent(bar)} is shaded. Beneath it the intervals of the posterior and of Wilson.`,
      rateAxis(low, high, "pass rate p", width < 400 ? 4 : 7), { ...noAxis(peak * 1.08), low: -peak * 0.3 },
      [
        bar < inside[inside.length - 1] ? charts.area(shaded, "posterior-fill") : () => "",
        charts.line(seen, "posterior"),
        charts.upright(bar, "bar", `bar ${plain(100 * bar)} %`),
        charts.whiskers(posterior.lower, posterior.upper, a / (a + c), 28, "posterior"),
        charts.whiskers(wilson.lower, wilson.upper, raw, 12, "baseline"),
      ]);
    figure("rate-chart", "What is known of the rate", drawn, [
      [charts.sample.line("posterior"), "posterior"],
      [charts.sample.area("posterior-fill"), "Pr[p > bar]"],
      [charts.sample.interval("posterior"), `${levelText()} Beta interval`],
      [charts.sample.interval("baseline"), `${levelText()} Wilson interval`],
    ]);
  }

  /* ---- (b) How many tasks ---- */

  function size() {
    const expected = field("size-rate");
    const halfWidth = field("size-half");
    for (const method of ["wilson", "clopper_pearson", "wald", "posterior"]) {
      const tasks = b.tasksForHalfWidth(expected, halfWidth, method, ciProb());
      show(`size-${method}`, tasks, whole);
      show(`size-${method}-half`, tasks ? b.halfWidthAt(expected, tasks, method, ciProb()) : 0, points);
    }
    const tasks = Number($("size-wilson").dataset.value);
    $("size-answer").textContent = `${whole(tasks)} ${tasks === 1 ? "task" : "tasks"} give `
      + `${plain(100 * expected)} % ± ${plain(100 * halfWidth)} points (${levelText()} Wilson).`;
    $("size-command").textContent = "bayeseval plan width "
      + `--rate ${plain(expected)} --half-width ${plain(halfWidth)}${levelOption()}`;
  }

  function power() {
    const [from, to] = [field("power-from"), field("power-to")];
    require(from !== to, "power-to", "The two pass rates must differ.");
    const [wanted, alpha] = [field("power-power"), field("power-alpha")];
    require(wanted > alpha / 2, "power-power",
      `Power: above alpha / 2 = ${plain(alpha / 2)}, which luck alone reaches.`);
    const found = b.unpairedSize(from, to, wanted, alpha);
    show("power-tasks", found.tasks, whole);
    show("power-corrected", found.tasksCorrected, whole);
    show("power-reached", b.unpairedPower(from, to, found.tasks, alpha), probability);
    $("power-answer").textContent = `${whole(found.tasks)} tasks of each system tell `
      + `${plain(100 * from)} % from ${plain(100 * to)} % with a power of ${plain(100 * wanted)} % `
      + `(two-sided alpha ${plain(alpha)}).`;
    $("power-command").textContent = `bayeseval plan power --from ${plain(from)} --to ${plain(to)}`
      + `${wanted === 0.8 ? "" : ` --power ${plain(wanted)}`}`
      + `${alpha === 0.05 ? "" : ` --alpha ${plain(alpha)}`}`;
  }

  /* ---- (c) pass@k and pass^k ---- */

  function passk() {
    const [p, k] = [field("passk-rate"), field("passk-k")];
    const [at, hat] = [b.atLeastOne(p, k), p ** k];
    show("passk-at", at, percent);
    show("passk-hat", hat, percent);
    $("passk-answer").textContent = `A task that passes ${plain(100 * p)} % of its rollouts: `
      + `pass@${k}\u00a0=\u00a0${percent(at)}, pass^${k}\u00a0=\u00a0${percent(hat)}.`;
    const most = Math.max(10, k);
    const step = Math.max(1, Math.round(most / 100));
    const ks = Array.from({ length: Math.floor((most - 1) / step) + 1 }, (_, i) => 1 + i * step);
    const width = widthOf("passk-chart");
    const drawn = charts.plane(width, 230,
      `Curves over k from 1 to ${most}: pass@k rises to ${percent(b.atLeastOne(p, most))}, pass^k falls to ${percent(p ** most)}.`,
      kAxis(most, width), rateAxis(0, 1, ""), [
        charts.line(ks.map((each) => [each, b.atLeastOne(p, each)]), "at"),
        charts.line(ks.map((each) => [each, p ** each]), "hat"),
        charts.upright(k, "bar", `k = ${k}`),
        charts.dots([[k, at]], "at"), charts.dots([[k, hat]], "hat"),
      ]);
    figure("passk-chart", "At least one, or all", drawn, [
      [charts.sample.line("at"), "pass@k"], [charts.sample.line("hat"), "pass^k"]]);
  }

  function counts() {
    const [n, c, k] = [field("counts-n"), field("counts-c"), field("counts-k")];
    require(c <= n, "counts-c", `Passes c: at most n = ${whole(n)}; got ${whole(c)}.`);
    const values = {
      at: b.passAtK(n, c, k), hat: b.passHatK(n, c, k),
      "plugin-at": b.pluginPassAtK(n, c, k), "plugin-hat": b.pluginPassHatK(n, c, k),
    };
    for (const [name, value] of Object.entries(values)) show(`counts-${name}`, value, percent);
    $("counts-answer").textContent = values.at === null
      ? `UNKNOWN: k = ${k} exceeds the ${n} rollouts of the task, beyond which nothing was seen.`
      : `pass@${k} of ${c} passes in ${n}: ${percent(values.at)} unbiased, `
        + `${percent(values["plugin-at"])} plugged in.`;
    $("counts-command").textContent =
      `be.pass_at_k(${n}, ${c}, ${k}), be.pass_hat_k(${n}, ${c}, ${k})`;
    const most = Math.min(n, 200);
    const ks = Array.from({ length: most }, (_, i) => i + 1);
    const width = widthOf("counts-chart");
    const of = (estimator) => ks.map((each) => [each, estimator(n, c, each)]);
    const drawn = charts.plane(width, 230,
      `pass@k and pass^k over k from 1 to ${most}, unbiased and plug-in. They start together and part as k grows.`,
      kAxis(most, width), rateAxis(0, 1, ""), [
        charts.line(of(b.pluginPassAtK), "at", true), charts.line(of(b.pluginPassHatK), "hat", true),
        charts.line(of(b.passAtK), "at"), charts.line(of(b.passHatK), "hat"),
        k <= most ? charts.upright(k, "bar", `k = ${k}`) : () => "",
      ]);
    figure("counts-chart", "Unbiased and plug-in", drawn, [
      [charts.sample.line("at"), "pass@k"], [charts.sample.line("at", true), "pass@k, plug-in"],
      [charts.sample.line("hat"), "pass^k"], [charts.sample.line("hat", true), "pass^k, plug-in"]]);
  }

  /* ---- (d) The sampling grid ---- */

  const ESTIMATORS = { rate: [b.passHatK, () => 1], at: [b.passAtK, (k) => k], hat: [b.passHatK, (k) => k] };

  function sampling() {
    const model = {
      tasks: field("sampling-tasks"), n: field("sampling-n"), mean: field("sampling-mean"),
      icc: field("sampling-icc"), leakedShare: field("sampling-leaked"),
      recall: field("sampling-recall"), seed: field("sampling-seed"),
    };
    const k = field("sampling-k");
    const { n } = model;
    require(k <= n, "sampling-k", `k: at most the ${n} rollouts of each task; got ${k}.`);
    const suite = b.simulateSuite(model);
    const cleanPasses = suite.passes.filter((_, task) => !suite.leaked[task]);
    const curves = { all: b.passCurve(n, suite.passes), clean: b.passCurve(n, cleanPasses) };
    document.querySelectorAll("#sampling .at-k").forEach((e) => { e.textContent = `pass@${k}`; });
    document.querySelectorAll("#sampling .hat-k").forEach((e) => { e.textContent = `pass^${k}`; });

    for (const [column, [estimator, kOf]] of Object.entries(ESTIMATORS)) {
      const name = column === "at" ? "passAtK" : "passHatK";
      const [all, clean] = [curves.all, curves.clean].map((curve) => curve[name][kOf(k) - 1]);
      const moved = b.seedToSeed(model, suite, n, kOf(k), estimator);
      show(`sampling-all-${column}`, all, percent);
      show(`sampling-clean-${column}`, clean, percent);
      show(`sampling-inflation-${column}`, clean === null ? null : all - clean, signed);
      show(`sampling-expected-${column}`, moved.expected, percent);
      show(`sampling-same-${column}`, moved.sameTasks, points);
      show(`sampling-new-${column}`, moved.newTasks, points);
    }
    const number = (id) => Number($(id).dataset.value);
    const leaked = suite.leaked.filter(Boolean).length;
    $("sampling-answer").textContent =
      `Seed ${model.seed}: pass@${k}\u00a0=\u00a0${percent(number("sampling-all-at"))}, `
      + `pass^${k}\u00a0=\u00a0${percent(number("sampling-all-hat"))}. `
      + (leaked === 0 ? "No task leaked."
        : leaked === model.tasks ? "Every task leaked."
          : `${leaked} leaked ${leaked === 1 ? "task adds" : "tasks add"} ${signed(number("sampling-inflation-at"))} `
            + `and ${signed(number("sampling-inflation-hat"))} points.`);
    $("sampling-command").textContent = `bayeseval simulate -o suite.csv --tasks ${model.tasks} `
      + `--rollouts ${n} --mean ${plain(model.mean)} --icc ${plain(model.icc)}`
      + `${leaked ? ` --leaked-share ${plain(model.leakedShare)} --recall ${plain(model.recall)}` : ""}`
      + ` --seed ${model.seed}`;
    drawSuite(model, suite, k);
    drawCurve("sampling-at", "at", "passAtK", "pass@k", curves, n, k, leaked);
    drawCurve("sampling-hat", "hat", "passHatK", "pass^k", curves, n, k, leaked);
  }

  function drawSuite(model, suite, k) {
    const { n } = model;
    const kind = $("sampling-bars").value;
    const estimator = ESTIMATORS[kind][0];
    const rows = suite.grid.map((outcomes, task) => ({
      task: task + 1, leaked: suite.leaked[task], outcomes, passes: suite.passes[task],
      rate: suite.rates[task], value: estimator(n, suite.passes[task], k),
    }));
    if ($("sampling-order").value === "passes") {
      rows.sort((one, other) => other.passes - one.passes || one.task - other.task);
    }
    const name = `${kind === "at" ? "pass@" : "pass^"}${k}`;
    const total = suite.passes.reduce((sum, passes) => sum + passes, 0);
    const drawn = charts.grid(widthOf("sampling-grid", 760), rows, {
      kind, label: name,
      description: `${model.tasks} tasks of ${n} rollouts: ${total} of ${model.tasks * n} passed. `
        + `A bar at each row shows its ${name}. The same numbers are in the table below.`,
    });
    figure("sampling-grid", "Every rollout of this run", drawn, [
      [charts.sample.passed(), "passed"], [charts.sample.failed(), "failed"],
      [charts.sample.area(`${kind}-fill`), `${name} of the task, 0-100 %`],
      ...(suite.leaked.some(Boolean) ? [[charts.sample.leaked(), "leaked task"]] : []),
    ]);
    $("sampling-rows").innerHTML = rows.map((row) => `<tr><th scope="row">${row.task}</th>`
      + `<td>${row.leaked ? "yes" : "no"}</td><td>${row.passes} of ${n}</td>`
      + `<td>${percent(row.rate)}</td><td>${percent(b.passAtK(n, row.passes, k))}</td>`
      + `<td>${percent(b.passHatK(n, row.passes, k))}</td></tr>`).join("");
  }

  function drawCurve(id, kind, values, name, curves, n, k, leaked) {
    const pairs = (curve) => curve[values].map((value, at) => [at + 1, value]);
    const all = pairs(curves.all);
    const clean = leaked > 0 && curves.clean[values][0] !== null ? pairs(curves.clean) : [];
    const width = widthOf(id);
    const ends = `from ${percent(all[0][1])} at k = 1 to ${percent(all[n - 1][1])} at k = ${n}`;
    const drawn = charts.plane(width, 220,
      `${name} over k, all tasks: ${ends}.${clean.length ? ` Clean tasks: from ${percent(clean[0][1])} to ${percent(clean[n - 1][1])}.` : ""}`,
      kAxis(n, width), rateAxis(0, 1, ""), [
        charts.upright(k, "bar", `k = ${k}`),
        charts.line(clean, kind, true), charts.line(all, kind),
        n <= 25 ? charts.dots(clean, kind, true) : () => "",
        n <= 25 ? charts.dots(all, kind) : () => "",
      ]);
    figure(id, `${name} over k`, drawn, [
      [charts.sample.dotted(kind, false), "all tasks"],
      ...(clean.length ? [[charts.sample.dotted(kind, true), "clean tasks"]] : [])]);
  }

  /* ---- (e) Tasks x rollouts ---- */

  function width() {
    const [expected, icc] = [field("width-rate"), field("width-icc")];
    const [tasks, rollouts] = [field("width-tasks"), field("width-rollouts")];
    const of = (m, r) => b.clusteredDesign(expected, icc, m, r, ciProb());
    const found = of(tasks, rollouts);
    show("width-half", found.halfWidth, points);
    show("width-se", found.se, points);
    show("width-effect", found.designEffect, (value) => value.toFixed(2));
    show("width-neff", found.nEff, (value) => (value < 100 ? value.toFixed(1) : whole(value)));
    show("width-naive", b.wilsonHalfWidth(expected, tasks * rollouts, ciProb()), points);
    for (const m of [50, 100, 200, 400, 800]) {
      for (const r of [1, 2, 4, 8, 16]) {
        show(`width-${m}-${r}`, of(m, r).halfWidth, points);
        $(`width-${m}-${r}`).classList.toggle("here", m === tasks && r === rollouts);
      }
    }
    $("width-answer").textContent = `${whole(tasks)} ${tasks === 1 ? "task" : "tasks"} × `
      + `${whole(rollouts)} ${rollouts === 1 ? "rollout" : "rollouts"}: ${plain(100 * expected)} % ± `
      + `${points(found.halfWidth)} points (${levelText()} Wilson, ICC ${plain(icc)}), worth `
      + `${$("width-neff").textContent} independent rollouts.`;
    $("width-command").textContent = `bayeseval plan clustered --rate ${plain(expected)} --icc `
      + `${plain(icc)} --tasks ${tasks} --rollouts ${rollouts}${levelOption()}`;
    const most = Math.max(16, Math.min(rollouts, 400));
    const rs = Array.from({ length: most }, (_, i) => i + 1);
    const floor = icc > 0 ? b.wilsonHalfWidth(expected, tasks / icc, ciProb()) : 0;
    const top = 1.08 * of(tasks, 1).halfWidth;
    const place = widthOf("width-chart");
    const drawn = charts.plane(place, 230,
      `Half-width over rollouts of each of ${tasks} tasks: ${points(of(tasks, 1).halfWidth)} points with 1, ${points(found.halfWidth)} with ${rollouts}. It never falls below ${points(floor)}.`,
      { ...kAxis(most, place), label: "rollouts of each task" },
      { low: 0, high: top, ticks: charts.ticks(0, 100 * top, 5).map((t) => t / 100), format: (v) => plain(100 * v), label: "" },
      [
        icc > 0 ? charts.level(floor, "baseline") : () => "",
        charts.line(rs.map((r) => [r, b.wilsonHalfWidth(expected, tasks * r, ciProb())]), "baseline", true),
        charts.line(rs.map((r) => [r, of(tasks, r).halfWidth]), "posterior"),
        rollouts <= most ? charts.dots([[rollouts, found.halfWidth]], "hat") : () => "",
      ]);
    figure("width-chart", `Half-width with ${whole(tasks)} tasks, ± points`, drawn, [
      [charts.sample.line("posterior"), `ICC ${plain(icc)}`],
      [charts.sample.line("baseline", true), "if rollouts were independent"],
      ...(icc > 0 ? [[charts.sample.level("baseline"), "limit, however often each task runs"]] : []),
    ]);
  }

  /* ---- Wiring ---- */

  const calculators = [
    ["rate-passes", rate], ["size-rate", size], ["power-from", power], ["passk-rate", passk],
    ["counts-n", counts], ["sampling-tasks", sampling], ["width-rate", width],
  ].map(([id, compute]) => ({ form: $(id).form, compute }));

  function update({ form, compute }) {
    const problem = form.querySelector(".problem");
    const results = form.parentElement.querySelector(".results");
    form.querySelectorAll("[aria-invalid]").forEach((input) => {
      input.removeAttribute("aria-invalid");
      input.removeAttribute("aria-describedby");
    });
    try {
      compute();
      problem.textContent = "";
    } catch (error) {
      if (!(error instanceof Mistake)) throw error;
      problem.id = `${error.input.id}-problem`;
      problem.textContent = error.message;
      error.input.setAttribute("aria-invalid", "true");
      error.input.setAttribute("aria-describedby", problem.id);
    }
    // Old numbers stay where they are, but must not be taken for the new ones.
    results.classList.toggle("stale", problem.textContent !== "");
    form.querySelectorAll("input[data-for]").forEach((slider) => {
      const number = $(slider.dataset.for);
      if (document.activeElement !== slider && !Number.isNaN(number.valueAsNumber)) {
        slider.value = number.value;
      }
    });
  }

  /* A slider cannot say more passes than there are tasks, nor a k beyond the rollouts. */
  function fitSliders() {
    const tie = (id, most) => {
      const slider = document.querySelector(`input[data-for="${id}"]`);
      if (Number.isInteger(most) && most > 0) slider.max = most;
    };
    tie("rate-passes", $("rate-trials").valueAsNumber);
    tie("counts-c", $("counts-n").valueAsNumber);
    tie("counts-k", $("counts-n").valueAsNumber);
    tie("sampling-k", $("sampling-n").valueAsNumber);
  }

  for (const calculator of calculators) {
    calculator.form.addEventListener("submit", (event) => event.preventDefault());
    calculator.form.addEventListener("input", (event) => {
      const { target } = event;
      if (target.dataset.for) $(target.dataset.for).value = target.value;
      if (target.id === "rate-trials" || target.dataset.for === "rate-trials") keepRate();
      fitSliders();
      update(calculator);
    });
  }
  const updateAll = () => calculators.forEach(update);
  $("level").addEventListener("change", updateAll);
  $("sampling-new").addEventListener("click", () => {
    const seed = $("sampling-seed");
    seed.value = Number.isInteger(seed.valueAsNumber) ? (seed.valueAsNumber + 1) % 1000000000 : 1;
    update(calculators.find(({ compute }) => compute === sampling));
  });

  /* Drawings are as wide as their place; a new width draws them again. */
  let drawnFor = document.documentElement.clientWidth;
  window.addEventListener("resize", () => {
    const now = document.documentElement.clientWidth;
    if (now !== drawnFor) {
      drawnFor = now;
      updateAll();
    }
  });

  fitSliders();
  updateAll();
})();
