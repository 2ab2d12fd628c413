"use strict";
/* Distributions: the Beta and the normal, both tails, and their quantiles. */

const distributions = (() => {
  /* ---- Gamma and Beta functions ---- */

  /* Stirling's correction: log Gamma(x) - ((x - 1/2) log x - x + log(2 pi) / 2), for x >= 10. */
  function stirlingCorrection(x) {
    const y = 1 / (x * x);
    return (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))) / x;
  }

  function logGamma(x) {
    let shift = 0;
    while (x < 10) {
      shift -= Math.log(x);
      x += 1;
    }
    return shift + (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + stirlingCorrection(x);
  }

  /* log of x^a (1 - x)^b / B(a, b); differences of large logarithms are never formed. */
  function logBetaKernel(x, a, b) {
    if (x <= 0 || x >= 1) return -Infinity;
    const y = 1 - x;
    const s = a + b;
    if (Math.min(a, b) >= 10) {
      const away = x * b - y * a; // x s - a
      const left = a * logNearOne(away / a);
      const right = b * logNearOne(-away / b);
      const rest = stirlingCorrection(s) - stirlingCorrection(a) - stirlingCorrection(b);
      return left + right + 0.5 * (Math.log(a / s) + Math.log(b) - Math.log(2 * Math.PI)) + rest;
    }
    return a * Math.log(x) + b * Math.log1p(-x) - logBeta(a, b);
  }

  function logNearOne(d) {
    return Math.abs(d) < 0.5 ? Math.log1p(d) : Math.log(1 + d);
  }

  function logBeta(a, b) {
    const small = Math.min(a, b);
    const large = Math.max(a, b);
    if (large < 10) return logGamma(a) + logGamma(b) - logGamma(a + b);
    const s = a + b;
    const correction = stirlingCorrection(large) - stirlingCorrection(s);
    return logGamma(small) - (large - 0.5) * Math.log1p(small / large) - small * Math.log(s)
      + small + correction;
  }

  /* Continued fraction of the regularised incomplete beta function, by Lentz's method. */
  function betaFraction(x, a, b) {
    const tiny = 1e-300;
    const kept = (value) => (Math.abs(value) < tiny ? tiny : value);
    const most = 500 + 20 * Math.sqrt(Math.max(a, b));
    let c = 1;
    let d = 1 / kept(1 - (a + b) * x / (a + 1));
    let value = d;
    for (let m = 1; m <= most; m += 1) {
      const even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
      d = 1 / kept(1 + even * d);
      c = kept(1 + even / c);
      value *= d * c;
      const odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
      d = 1 / kept(1 + odd * d);
      c = kept(1 + odd / c);
      const step = d * c;
      value *= step;
      if (Math.abs(step - 1) < 1e-15) break;
    }
    return value;
  }

  /* Both tails of a Beta(a, b) at x: the smaller one is computed as itself. */
  function betaTails(x, a, b) {
    if (x <= 0) return { below: 0, above: 1 };
    if (x >= 1) return { below: 1, above: 0 };
    const kernel = Math.exp(logBetaKernel(x, a, b));
    if (x < (a + 1) / (a + b + 2)) {
      const below = Math.min(kernel * betaFraction(x, a, b) / a, 1);
      return { below, above: 1 - below };
    }
    const above = Math.min(kernel * betaFraction(1 - x, b, a) / b, 1);
    return { below: 1 - above, above };
  }

  /** Regularised incomplete beta function: Pr[p <= x] under Beta(a, b). */
  function betaCdf(x, a, b) {
    return betaTails(x, a, b).below;
  }

  /** Pr[p > x] under Beta(a, b). */
  function betaProbAbove(x, a, b) {
    return betaTails(x, a, b).above;
  }

  function betaPdf(x, a, b) {
    if (x <= 0) return a < 1 ? Infinity : a === 1 ? b : 0;
    if (x >= 1) return b < 1 ? Infinity : b === 1 ? a : 0;
    return Math.exp(logBetaKernel(x, a, b) - Math.log(x) - Math.log1p(-x));
  }

  /** Inverse of betaCdf: Newton's method, kept inside a bracket. */
  function betaQuantile(probability, a, b) {
    if (probability <= 0) return 0;
    if (probability >= 1) return 1;
    let low = 0;
    let high = 1;
    let x = a / (a + b);
    for (let step = 0; step < 400; step += 1) {
      const error = betaCdf(x, a, b) - probability;
      if (error === 0) return x;
      if (error < 0) low = x; else high = x;
      const density = betaPdf(x, a, b);
      const newton = x - error / density;
      const next = newton > low && newton < high && density > 0 ? newton : (low + high) / 2;
      // A bracket as narrow as numbers are, or a step that no digit shows.
      if (high - low < 1e-16 || Math.abs(next - x) <= 1e-16 * x) return next;
      x = next;
    }
    return x;
  }

  /* ---- The normal distribution ---- */

  /** Probability above z under the standard normal distribution. */
  function normalTail(z) {
    if (z < 0) return 1 - normalTail(-z);
    const density = Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI);
    if (z < 3) {
      let term = z;
      let sum = z;
      for (let n = 1; term > 1e-17 * sum && n < 200; n += 1) {
        term *= z * z / (2 * n + 1);
        sum += term;
      }
      return 0.5 - density * sum;
    }
    let fraction = z;
    for (let n = 120; n >= 1; n -= 1) fraction = z + n / fraction;
    return density / fraction;
  }

  /** The z that leaves the probability `tail` above it. */
  function normalQuantile(tail) {
    if (tail > 0.5) return -normalQuantile(1 - tail);
    if (tail === 0.5) return 0;
    let z = Math.sqrt(-2 * Math.log(2 * tail));
    for (let step = 0; step < 100; step += 1) {
      const above = normalTail(z);
      const density = Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI);
      // Newton's method on the logarithm, which is nearly a parabola.
      const change = Math.log(above / tail) * above / density;
      z += change;
      if (Math.abs(change) < 1e-15 * (1 + z)) break;
    }
    return z;
  }

  return {
    logGamma, logBeta, betaCdf, betaProbAbove, betaPdf, betaQuantile, normalTail, normalQuantile,
  };
})();
