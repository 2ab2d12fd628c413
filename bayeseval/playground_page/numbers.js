/* The arithmetic of the page. Every function agrees with the Python package; tests compare them. */

const bayeseval = (() => {
  const { logBeta, betaQuantile, normalTail, normalQuantile } = distributions;

  /* ---- One rollout for each task ---- */

  const zOf = (ciProb) => normalQuantile((1 - ciProb) / 2);

  function wilsonInterval(passes, trials, ciProb = 0.95) {
    if (trials === 0) return { lower: 0, upper: 1 };
    const z = zOf(ciProb);
    const fails = trials - passes;
    const root = z * Math.sqrt(passes * fails / trials + z * z / 4);
    const total = trials + z * z;
    return {
      lower: passes * passes / trials / (passes + z * z / 2 + root),
      upper: fails === 0 ? 1 : (passes + z * z / 2 + root) / total,
    };
  }

  function clopperPearsonInterval(passes, trials, ciProb = 0.95) {
    const tail = (1 - ciProb) / 2;
    const fails = trials - passes;
    return {
      lower: passes > 0 ? betaQuantile(tail, passes, fails + 1) : 0,
      upper: fails > 0 ? 1 - betaQuantile(tail, fails, passes + 1) : 1,
    };
  }

  /** Equal-tailed interval of Beta(a, b). */
  function betaInterval(a, b, ciProb = 0.95) {
    const tail = (1 - ciProb) / 2;
    return { lower: betaQuantile(tail, a, b), upper: 1 - betaQuantile(tail, b, a) };
  }

  /* ---- Sample sizes ---- */

  function wilsonHalfWidth(rate, n, ciProb = 0.95) {
    const z = zOf(ciProb);
    return z * Math.sqrt(n * rate * (1 - rate) + z * z / 4) / (n + z * z);
  }

  const HALF_WIDTHS = {
    wilson: wilsonHalfWidth,
    clopper_pearson: (rate, n, ciProb) => half(clopperPearsonInterval(rate * n, n, ciProb)),
    wald: (rate, n, ciProb) => zOf(ciProb) * Math.sqrt(rate * (1 - rate) / n),
    posterior: (rate, n, ciProb) =>
      half(betaInterval(rate * n + 1, (1 - rate) * n + 1, ciProb)),
  };

  const half = ({ lower, upper }) => (upper - lower) / 2;

  function halfWidthAt(rate, n, method = "wilson", ciProb = 0.95) {
    return HALF_WIDTHS[method](rate, n, ciProb);
  }

  /** Smallest number of tasks from which on the half-width is met at exactly this rate. */
  function tasksForHalfWidth(rate, halfWidth, method = "wilson", ciProb = 0.95) {
    if (method === "wald" && (rate === 0 || rate === 1)) return 0;
    const meets = (n) => halfWidthAt(rate, n, method, ciProb) <= halfWidth;
    let high = Math.max(Math.floor((zOf(ciProb) / halfWidth) ** 2 * rate * (1 - rate)), 1);
    while (!(meets(high) && meets(2 * high) && meets(4 * high))) high *= 2;
    let low = 0;
    // The last size that misses, among sizes a percent or so apart, then by bisection.
    for (let n = 1; n < high; n = Math.max(n + 1, Math.floor(n * 1.02))) if (!meets(n)) low = n;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (meets(middle)) high = middle; else low = middle;
    }
    return high;
  }

  /** Tasks of each side that tell two pass rates apart; pooled variance. */
  function unpairedSize(rateFrom, rateTo, power = 0.8, alpha = 0.05) {
    const mean = (rateFrom + rateTo) / 2;
    const underEqual = Math.sqrt(2 * mean * (1 - mean));
    const underTrue = Math.sqrt(rateFrom * (1 - rateFrom) + rateTo * (1 - rateTo));
    const difference = Math.abs(rateFrom - rateTo);
    const z = normalQuantile(alpha / 2);
    const root = Math.max(z * underEqual + normalQuantile(1 - power) * underTrue, 0);
    const real = (root / difference) ** 2;
    const corrected = real / 4 * (1 + Math.sqrt(1 + 4 / (real * difference))) ** 2;
    return {
      tasks: Math.max(Math.ceil(real), 1),
      tasksReal: real,
      tasksCorrected: Math.max(Math.ceil(corrected), 1),
    };
  }

  /** Power to tell two pass rates apart with so many tasks a side: normal formula. */
  function unpairedPower(rateFrom, rateTo, tasks, alpha = 0.05) {
    const mean = (rateFrom + rateTo) / 2;
    const underTrue = Math.sqrt(rateFrom * (1 - rateFrom) + rateTo * (1 - rateTo));
    const z = normalQuantile(alpha / 2) * Math.sqrt(2 * mean * (1 - mean));
    const shift = Math.sqrt(tasks) * Math.abs(rateFrom - rateTo);
    return underTrue === 0 ? Number(shift >= z) : normalTail((z - shift) / underTrue);
  }

  /* ---- pass@k and pass^k ---- */

  /* The product of 1 - removed / (n - j) over j < factors, and 1 minus it, both as themselves. */
  function drawProduct(n, factors, removed) {
    let product = 1;
    let complement = 0;
    for (let j = 0; j < factors; j += 1) {
      const share = removed / (n - j);
      complement += product * share;
      product *= Math.max(1 - share, 0);
    }
    return { product, complement: Math.min(complement, 1) };
  }

  /** Unbiased pass@k = 1 - C(n - c, k) / C(n, k); null where k > n. */
  function passAtK(n, c, k) {
    if (k > n) return null;
    if (n - c < k) return 1;
    return drawProduct(n, Math.min(k, c), Math.max(k, c)).complement;
  }

  /** Unbiased pass^k = C(c, k) / C(n, k); null where k > n. */
  function passHatK(n, c, k) {
    if (k > n) return null;
    if (c < k) return 0;
    return drawProduct(n, Math.min(k, n - c), Math.max(k, n - c)).product;
  }

  /** Biased: the observed rate put into 1 - (1 - rate)^k; null without a rollout. */
  function pluginPassAtK(n, c, k) {
    return n === 0 ? null : atLeastOne(c / n, k);
  }

  /** Biased: the observed rate to the power k; null without a rollout. */
  function pluginPassHatK(n, c, k) {
    return n === 0 ? null : (c / n) ** k;
  }

  /** pass@k of a task whose rate is known. */
  function atLeastOne(rate, k) {
    return rate >= 1 ? 1 : -Math.expm1(k * Math.log1p(-rate));
  }

  /** Means over tasks of the unbiased pass@k and pass^k, for k = 1 to n. */
  function passCurve(n, passes) {
    const tasks = new Array(n + 1).fill(0);
    for (const c of passes) tasks[c] += 1;
    const curve = { passAtK: [], passHatK: [] };
    for (let k = 1; k <= n; k += 1) {
      let at = 0;
      let hat = 0;
      tasks.forEach((count, c) => {
        if (count === 0) return;
        at += count * passAtK(n, c, k);
        hat += count * passHatK(n, c, k);
      });
      curve.passAtK.push(passes.length ? at / passes.length : null);
      curve.passHatK.push(passes.length ? hat / passes.length : null);
    }
    return curve;
  }

  /* ---- Several rollouts of each task ---- */

  function designEffect(rollouts, icc) {
    return 1 + (rollouts - 1) * icc;
  }

  /** What a suite of so many tasks and rollouts tells of the pass rate of new tasks. */
  function clusteredDesign(rate, icc, tasks, rollouts, ciProb = 0.95) {
    const effect = designEffect(rollouts, icc);
    const nEff = tasks * rollouts / effect;
    return {
      designEffect: effect,
      nEff,
      se: Math.sqrt(rate * (1 - rate) / nEff),
      halfWidth: wilsonHalfWidth(rate, nEff, ciProb),
    };
  }

  function logChoose(n, k) {
    return k === 0 || k === n ? 0 : -Math.log(n + 1) - logBeta(n - k + 1, k + 1);
  }

  /** Probabilities of 0 to n passes where every rollout passes with this rate. */
  function binomialPmf(n, rate) {
    return betaBinomialPmf(n, rate, 0);
  }

  /** Probabilities of 0 to n passes of a task whose rate follows a Beta of this mean and ICC. */
  function betaBinomialPmf(n, mean, icc) {
    const steps = (base) => {
      // Logarithms of base times the product of base (1 - icc) + j icc over j = 1..s - 1.
      const logs = [0];
      for (let s = 1; s <= n; s += 1) {
        logs.push(s === 1 ? Math.log(base)
          : logs[s - 1] + Math.log(base * (1 - icc) + (s - 1) * icc));
      }
      return logs;
    };
    const up = steps(mean);
    const down = steps(1 - mean);
    let total = 0;
    for (let j = 1; j < n; j += 1) total += Math.log(1 - icc + j * icc);
    const pmf = [];
    for (let s = 0; s <= n; s += 1) {
      // Up to the ends one factor more is cancelled: (1 - icc), of passes and fails at once.
      const both = s > 0 && s < n ? Math.log1p(-icc) : 0;
      pmf.push(Math.exp(logChoose(n, s) + up[s] + down[n - s] + both - total));
    }
    return pmf;
  }

  /** The same for a leaked task: a rollout passes from memory, or else at the task's own rate. */
  function leakedPmf(n, mean, icc, recall) {
    const recalled = binomialPmf(n, recall);
    const pmf = new Array(n + 1).fill(0);
    recalled.forEach((probability, j) => {
      betaBinomialPmf(n - j, mean, icc).forEach((own, s) => {
        pmf[j + s] += probability * own;
      });
    });
    return pmf;
  }

  function expectation(pmf, values) {
    return pmf.reduce((sum, probability, c) => sum + probability * values[c], 0);
  }

  function variance(pmf, values) {
    const mean = expectation(pmf, values);
    return pmf.reduce((sum, probability, c) => sum + probability * (values[c] - mean) ** 2, 0);
  }

  /**
   * What a suite's score is expected to be on new tasks, and its standard deviation from run to
   * run: where the same tasks are rolled out anew, and where the tasks are drawn anew as well.
   */
  function seedToSeed({ mean, icc, recall }, suite, n, k, estimator) {
    const values = Array.from({ length: n + 1 }, (_, c) => estimator(n, c, k));
    const tasks = suite.leaked.length;
    const leaked = suite.leaked.filter(Boolean).length;
    const parts = [[tasks - leaked, betaBinomialPmf(n, mean, icc)]];
    if (leaked > 0) parts.push([leaked, leakedPmf(n, mean, icc, recall)]);
    const total = (of) => parts.reduce((sum, [count, pmf]) => sum + count * of(pmf, values), 0);
    const same = suite.rates.reduce(
      (sum, rate) => sum + variance(binomialPmf(n, rate), values), 0);
    return {
      expected: total(expectation) / tasks,
      sameTasks: Math.sqrt(same) / tasks,
      newTasks: Math.sqrt(total(variance)) / tasks,
    };
  }

  /* ---- The simulator ---- */

  /* Mixes whole numbers into one of 32 bits. */
  function hash(...numbers) {
    let h = 0x9e3779b9;
    for (const number of numbers) {
      h = Math.imul(h ^ (number | 0), 0x85ebca6b);
      h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
      h ^= h >>> 16;
    }
    return h >>> 0;
  }

  /** Uniform draws, strictly between 0 and 1; the same seed gives the same draws. */
  function uniformGenerator(...seed) {
    let state = hash(...seed);
    const word = () => {
      state = (state + 0x6d2b79f5) | 0;
      let t = Math.imul(state ^ (state >>> 15), state | 1);
      t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
      return (t ^ (t >>> 14)) >>> 0;
    };
    return () => (word() + 0.5) / 4294967296;
  }

  /** The rate at a quantile of tasks, whose rates follow a Beta of this mean and ICC. */
  function rateQuantile(u, mean, icc) {
    if (icc === 0 || mean === 0 || mean === 1) return mean;
    const kappa = (1 - icc) / icc;
    if (kappa < 1e-9) return Number(u > 1 - mean);
    return betaQuantile(u, mean * kappa, (1 - mean) * kappa);
  }

  /**
   * A suite of tasks, each rolled out n times. Every task has a stream of draws of its own, so
   * that a change of one input leaves the luck of all others as it was.
   */
  function simulateSuite({ tasks, n, mean, icc, leakedShare, recall, seed }) {
    const own = [];
    const order = [];
    for (let task = 0; task < tasks; task += 1) {
      const draw = uniformGenerator(seed, task, 1);
      own.push(rateQuantile(draw(), mean, icc));
      order.push([draw(), task]);
    }
    const leaked = new Array(tasks).fill(false);
    order.sort((one, other) => one[0] - other[0]);
    order.slice(0, Math.floor(leakedShare * tasks + 0.5)).forEach(([, task]) => {
      leaked[task] = true;
    });
    const rates = own.map((rate, task) => (leaked[task] ? rate + (1 - rate) * recall : rate));
    const grid = rates.map((rate, task) => {
      const draw = uniformGenerator(seed, task, 2);
      return Array.from({ length: n }, () => draw() < rate);
    });
    const passes = grid.map((row) => row.filter(Boolean).length);
    return { rates, leaked, grid, passes };
  }

  return {
    ...distributions, betaInterval, wilsonInterval, clopperPearsonInterval,
    halfWidthAt, wilsonHalfWidth, tasksForHalfWidth, unpairedSize, unpairedPower,
    passAtK, passHatK, pluginPassAtK, pluginPassHatK, atLeastOne, passCurve,
    designEffect, clusteredDesign, binomialPmf, betaBinomialPmf, leakedPmf, seedToSeed,
    uniformGenerator, rateQuantile, simulateSuite,
  };
})();
