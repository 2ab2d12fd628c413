/* Fields and numbers: read what was typed, and show what was computed. */

const page = (() => {
  const $ = (id) => document.getElementById(id);

  /* ---- Numbers for people; the same rules as in the package ---- */

  function decimalsNearEdge(share) {
    const edge = Math.min(share, 1 - share);
    // Closer than six decimals of a per cent show, it is the edge for a reader.
    if (edge < 5e-9 || edge >= 0.0005) return 1;
    return Math.min(Math.max(1, Math.ceil(-Math.log10(edge) - 1e-9) - 2), 6);
  }

  const bare = (share) => (100 * share).toFixed(decimalsNearEdge(Math.abs(share)));
  // No line breaks between a number and its sign.
  const percent = (share) => `${bare(share)}\u00a0%`;
  const points = (share) => (100 * share).toFixed(2);
  const whole = (count) => count.toLocaleString("en-US", { maximumFractionDigits: 0 });
  const plain = (value) => String(Number(value.toPrecision(10)));

  function signed(difference) {
    const text = (100 * difference).toFixed(1);
    return Number(text) > 0 ? `+${text}` : Number(text) < 0 ? text.replace("-", "−") : "+0.0";
  }

  function probability(value) {
    if (value === 0 || value === 1 || (value >= 0.001 && value <= 0.999)) return value.toFixed(3);
    if (value < 0.001) return value.toExponential(1);
    const digits = Math.min(Math.max(4, Math.ceil(-Math.log10(1 - value)) + 1), 12);
    return (Math.floor(value * 10 ** digits) / 10 ** digits).toFixed(digits);
  }

  /* Shows a number, and keeps it unrounded for whoever wants it. */
  function show(id, value, format) {
    const place = $(id);
    if (value === null || Number.isNaN(value)) {
      place.textContent = "–";
      delete place.dataset.value;
    } else {
      place.textContent = format(value);
      place.dataset.value = String(value);
    }
  }

  /* ---- Fields ---- */

  class Mistake extends Error {
    constructor(input, message) {
      super(message);
      this.input = input;
    }
  }

  function field(id) {
    const input = $(id);
    const value = input.valueAsNumber;
    const { label } = input.dataset;
    const [min, max] = [Number(input.min), Number(input.max)];
    if (Number.isNaN(value)) throw new Mistake(input, `${label}: write a number.`);
    if ("whole" in input.dataset && !Number.isInteger(value)) {
      throw new Mistake(input, `${label}: write a whole number; got ${plain(value)}.`);
    }
    if (value < min || value > max) {
      const hint = max === 1 && value > 1 && value <= 100 ? " (a percentage? divide it by 100)" : "";
      throw new Mistake(input,
        `${label}: from ${min.toLocaleString("en-US", { maximumFractionDigits: 8 })} to ${whole(max) === "0" || max < 10 ? max : whole(max)}; got ${plain(value)}${hint}.`);
    }
    return value;
  }

  function require(holds, id, message) {
    if (!holds) throw new Mistake($(id), message);
  }

  const ciProb = () => Number($("level").value);
  const levelText = () => `${plain(100 * ciProb())}\u00a0%`;
  // The level is the default of the commands where it is 95 %.
  const levelOption = () => (ciProb() === 0.95 ? "" : ` --ci-prob ${ciProb()}`);

  return {
    $, bare, percent, points, whole, plain, signed, probability, show, Mistake, field, require,
    ciProb, levelText, levelOption,
  };
})();
