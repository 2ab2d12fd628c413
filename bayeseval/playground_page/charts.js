/* Drawings: each function returns markup of an SVG, as wide as the place it is for. */

const charts = (() => {
  const escape = (text) => String(text).replace(/[&<>"]/g,
    (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);

  const digits = (value) => Number(value.toFixed(2));

  /* Round numbers between low and high, about so many. */
  function ticks(low, high, about) {
    const raw = (high - low) / about;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= raw);
    const found = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i += 1) {
      found.push(Number((i * step).toPrecision(12)));
    }
    return found;
  }

  /* Whole numbers from 1 to most, about so many, the first among them. */
  function wholeTicks(most, about) {
    const inner = ticks(0, most, Math.min(about, most)).filter(
      (each) => Number.isInteger(each) && each > 1);
    return [1, ...inner];
  }

  /**
   * A chart of two axes.
   *
   * x and y: { low, high, ticks, format, label }. layers: functions of the scales, which return
   * markup; they are drawn in their order.
   */
  function plane(width, height, description, x, y, layers) {
    const left = y.ticks.length ? 46 : 8;
    const box = { left, right: width - 14, top: 22, bottom: height - 40 };
    const sx = (value) => digits(
      box.left + (value - x.low) / (x.high - x.low || 1) * (box.right - box.left));
    const sy = (value) => digits(
      box.bottom - (value - y.low) / (y.high - y.low || 1) * (box.bottom - box.top));
    const marks = [];
    for (const tick of y.ticks) {
      marks.push(`<path class="gridline" d="M${box.left} ${sy(tick)}H${box.right}"/>`,
        `<text class="quiet" x="${box.left - 6}" y="${sy(tick) + 4}" text-anchor="end">${escape(y.format(tick))}</text>`);
    }
    marks.push(`<path class="axis" d="M${box.left} ${box.bottom}H${box.right}"/>`);
    for (const tick of x.ticks) {
      marks.push(`<path class="axis" d="M${sx(tick)} ${box.bottom}v4"/>`,
        `<text class="quiet" x="${sx(tick)}" y="${box.bottom + 18}" text-anchor="${anchorAt(sx(tick), 22, width)}">${escape(x.format(tick))}</text>`);
    }
    marks.push(`<text class="quiet" x="${(box.left + box.right) / 2}" y="${height - 4}" text-anchor="middle">${escape(x.label)}</text>`);
    const drawn = layers.map((layer) => layer({ sx, sy, box })).join("");
    return svg(width, height, description, marks.join("") + drawn);
  }

  /* Where a text is held, so that neither edge cuts it off; half is half of its width. */
  const anchorAt = (x, half, width) => (
    x < half ? "start" : x > width - half ? "end" : "middle");

  function svg(width, height, description, content) {
    return `<svg viewBox="0 0 ${digits(width)} ${digits(height)}" role="img" aria-label="${escape(description)}">${content}</svg>`;
  }

  const path = (points, { sx, sy }) => points
    .map(([px, py], at) => `${at ? "L" : "M"}${sx(px)} ${sy(py)}`).join("");

  const line = (points, kind, dashed = false) => (scales) =>
    `<path class="line ${kind}${dashed ? " dashed" : ""}" d="${path(points, scales)}"/>`;

  /* Dots: full for all tasks, hollow for some. */
  const dots = (points, kind, hollow = false) => ({ sx, sy }) => points
    .map(([px, py]) => `<circle class="${hollow ? `paper ${kind}` : `${kind}-fill`}" cx="${sx(px)}" cy="${sy(py)}" r="${hollow ? 3 : 3.5}"${hollow ? ' stroke-width="1.75"' : ""}/>`)
    .join("");

  const area = (points, kind) => (scales) => {
    if (points.length < 2) return "";
    const base = scales.sy(0);
    const first = scales.sx(points[0][0]);
    const last = scales.sx(points[points.length - 1][0]);
    return `<path class="${kind}" d="M${first} ${base}L${path(points, scales).slice(1)}L${last} ${base}Z"/>`;
  };

  /* A line from top to bottom, named above the plot, where no curve runs. */
  const upright = (at, kind, label) => ({ sx, box }) => {
    const x = sx(at);
    const anchor = anchorAt(x, 40, box.right + 14);
    return `<path class="${kind}" fill="none" stroke-width="1.5" stroke-dasharray="5 3" d="M${x} ${box.top - 4}V${box.bottom}"/>`
      + `<text x="${x}" y="${box.top - 9}" text-anchor="${anchor}">${escape(label)}</text>`;
  };

  const level = (at, kind) => ({ sy, box }) =>
    `<path class="${kind}" fill="none" stroke-width="2" stroke-dasharray="2 4" d="M${box.left} ${sy(at)}H${box.right}"/>`;

  /* An interval, lying above the axis by some points. */
  const whiskers = (lower, upper, middle, rise, kind) => ({ sx, box }) => {
    const y = box.bottom - rise;
    return `<path class="${kind}" fill="none" stroke-width="2" d="M${sx(lower)} ${y}H${sx(upper)}M${sx(lower)} ${y - 4}v8M${sx(upper)} ${y - 4}v8"/>`
      + `<circle class="paper ${kind}" stroke-width="2" cx="${sx(middle)}" cy="${y}" r="3.5"/>`;
  };

  /* Samples for a legend. */
  const sample = {
    line: (kind, dashed = false) => key(`<path class="line ${kind}${dashed ? " dashed" : ""}" d="M0 7H28"/>`),
    level: (kind) => key(`<path class="${kind}" fill="none" stroke-width="2" stroke-dasharray="2 4" d="M0 7H28"/>`),
    dotted: (kind, hollow) => key(`<path class="line ${kind}${hollow ? " dashed" : ""}" d="M0 7H28"/>`
      + `<circle class="${hollow ? `paper ${kind}` : `${kind}-fill`}" cx="14" cy="7" r="3.5"${hollow ? ' stroke-width="1.75"' : ""}/>`),
    area: (kind) => key(`<path class="${kind}" d="M0 1H28V13H0Z"/>`),
    passed: () => key('<path class="passed" d="M8 1H20V13H8Z"/>'),
    failed: () => key('<path class="failed" d="M8.5 1.5H19.5V12.5H8.5Z"/>'),
    leaked: () => key('<path class="leaked" d="M8 13L14 2L20 13Z"/>'),
    interval: (kind) => key(`<path class="${kind}" fill="none" stroke-width="2" d="M1 7H27M1 3v8M27 3v8"/>`),
  };

  function key(content) {
    return `<svg viewBox="0 0 28 14" aria-hidden="true">${content}</svg>`;
  }

  const rectangle = (x, y, wide, tall) =>
    `M${digits(x)} ${digits(y)}h${digits(wide)}v${digits(tall)}h${-digits(wide)}Z`;

  function legend(entries) {
    return `<ul class="legend">${entries.map(([mark, text]) => `<li>${mark}${escape(text)}</li>`).join("")}</ul>`;
  }

  /**
   * The sampling grid: a row for each task, a square for each rollout, and a bar at its right.
   *
   * rows: { task, leaked, outcomes, value }.
   */
  function grid(width, rows, { kind, label, description }) {
    const n = rows[0].outcomes.length;
    const left = 44;
    const most = width > 560 ? 0.6 : 0.5;
    const cell = Math.max(Math.min(16, (width - left - 16) * most / n), 3);
    const pitch = rows.length > 120 ? 9 : rows.length > 60 ? 11 : 15;
    // Squares, or upright where there are many rollouts; too narrow for a frame, a stroke.
    const [wide, tall] = [0.78 * cell, 0.78 * Math.min(pitch, 16)];
    const framed = cell >= 6;
    const top = 24;
    const track = { from: left + n * cell + 14, to: width - 4 };
    const passed = [];
    const failed = [];
    const extra = [];
    // A label for every row would be crowded where rows are low.
    const every = pitch >= 11 ? 1 : 2;
    rows.forEach((row, at) => {
      const middle = top + at * pitch + pitch / 2;
      const y = middle - tall / 2;
      if (at % every === 0) {
        extra.push(`<text class="quiet" x="${left - 18}" y="${digits(middle + 4)}" text-anchor="end" style="font-size:${Math.min(pitch - 1, 12)}px">${row.task}</text>`);
      }
      if (row.leaked) {
        extra.push(`<path class="leaked" d="M${left - 13} ${digits(middle + 4)}l4.5 -8l4.5 8Z"/>`);
      }
      row.outcomes.forEach((outcome, rollout) => {
        const x = left + rollout * cell + (cell - wide) / 2;
        if (outcome) {
          passed.push(rectangle(x, y, wide, tall));
        } else if (framed) {
          failed.push(rectangle(x + 0.5, y + 0.5, wide - 1, tall - 1));
        } else {
          failed.push(`M${digits(x)} ${digits(middle)}h${digits(wide)}`);
        }
      });
      const full = track.to - track.from;
      extra.push(`<path class="track" d="${rectangle(track.from, middle - 1, full, 2)}"/>`);
      if (row.value > 0) {
        extra.push(`<path class="${kind}-fill" d="${rectangle(track.from, y, full * row.value, tall)}"/>`);
      }
    });
    const heads = `<text class="quiet" x="${left}" y="14">rollouts</text>`
      + `<text class="quiet" x="${digits(track.from)}" y="14">${escape(label)}</text>`
      + `<text class="quiet" x="${left - 18}" y="14" text-anchor="end">task</text>`;
    return svg(width, top + rows.length * pitch + 4, description, heads + extra.join("")
      + `<path class="failed" d="${failed.join("")}"/><path class="passed" d="${passed.join("")}"/>`);
  }

  return {
    ticks, wholeTicks, plane, line, dots, area, upright, level, whiskers, sample, legend, grid,
    escape,
  };
})();
