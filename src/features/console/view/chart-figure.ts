import type { Chart, Series } from "../../../declare/command/chart.ts";
import { type Html, html } from "../../../http/pages/html.ts";
import { msText } from "../counters/charts.ts";

const [wide, high] = [300, 100];

/** Renders a chart as SVG, which needs no script, with its sums in words. `clockOf`: formats times of the axis. */
export function chartFigure({ title, kind, unit, times, series }: Chart, clockOf: (at: number) => string): Html {
  const shown = series.filter(({ values }) => values.some((value) => value));
  if (shown.length === 0) return html``;
  const most = roundUp(
    Math.max(...(kind === "bars" ? stacked(shown) : shown.flatMap(({ values }) => values.map(Number)))),
  );
  const key = shown.map(
    ({ name, tone, sum }) =>
      html`<span><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="${tone}" width="10" height="10" rx="2"/></svg><b>${sum}</b> ${name}</span>`,
  );
  const grid = [0, 25, 50, 75].map((y) => html`<line class="grid" x1="0" x2="${wide}" y1="${y}" y2="${y}"/>`);
  const drawn = kind === "bars" ? bars(shown, most) : shown.map((each) => line(each, most));
  const marks = [0, 1 / 3, 2 / 3, 1].map((part) => times[Math.round(part * (times.length - 1))]!);
  const bound = unit === "ms" ? msText(most) : most.toLocaleString("en");
  return html`<figure class="chart"><figcaption>${title}<span class="key">${key}</span></figcaption>
<div class="room"><svg class="plot" viewBox="0 0 ${wide} ${high}" preserveAspectRatio="none" aria-hidden="true">${grid}${drawn}</svg><span aria-hidden="true">${bound}</span></div>
<div class="axis" aria-hidden="true">${marks.map((at) => html`<span>${clockOf(at)}</span>`)}</div></figure>`;
}

/** Renders a small line without axes. Null: no measurement. */
export function sparkline(values: readonly (number | null)[]): Html {
  const known = values.filter((value) => value !== null);
  const [least, most] = [Math.min(0, ...known), Math.max(0, ...known)];
  if (least === most || known.length < 2) return html``;
  const across = (place: number) => round((place / (values.length - 1)) * 100);
  const path = values
    .flatMap((value, place) =>
      value === null ? [] : `${across(place)} ${round(27 - ((value - least) / (most - least)) * 24)}`,
    )
    .join("L");
  const ends = [values.findIndex((value) => value !== null), values.findLastIndex((value) => value !== null)];
  return html`<svg viewBox="0 0 100 28" preserveAspectRatio="none" aria-hidden="true"><path class="area c1" d="M${path}L${across(ends[1]!)} 28L${across(ends[0]!)} 28Z"/><path class="line" d="M${path}"/></svg>`;
}

/** Returns the heights of the stacked bars. */
function stacked(series: readonly Series[]): number[] {
  return series[0]!.values.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
}

function bars(series: readonly Series[], most: number): Html[] {
  const step = wide / series[0]!.values.length;
  const base = series[0]!.values.map(() => high);
  return series.map(({ tone, values }) => {
    const path = values.map((value, at) => {
      if (!value) return "";
      const height = (value / most) * high;
      base[at]! -= height;
      return `M${round(at * step + step * 0.14)} ${round(base[at]!)}h${round(step * 0.72)}v${round(height)}h-${round(step * 0.72)}z`;
    });
    return html`<path class="${tone}" d="${path.join("")}"/>`;
  });
}

/** Renders a line with gaps where nothing was measured. A value without neighbours is a dash. */
function line({ tone, values }: Series, most: number): Html {
  const step = wide / (values.length - 1);
  const isAt = (at: number) => (values[at] ?? null) !== null;
  const path = values.map((value, at) => {
    if (value === null) return "";
    const y = round(high - (value / most) * high);
    if (isAt(at - 1)) return `L${round(at * step)} ${y}`;
    if (isAt(at + 1)) return `M${round(at * step)} ${y}`;
    return `M${round(Math.min(Math.max(at * step - step / 2, 0), wide - step))} ${y}h${round(step)}`;
  });
  return html`<path class="line${tone === "c2" ? " dash" : ""}" d="${path.join("")}"/>`;
}

/** Rounds up to 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
  const ten = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return [1, 2, 5, 10].map((each) => each * ten).find((each) => each >= value)!;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
