import { warnedPercent } from "../../../declare/account-terms.ts";
import type { Shows } from "../../../declare/command/answer-schema.ts";
import { changeText, recordOf, type TimeTexts } from "../../../declare/command/answer-table.ts";
import { isRow, type Shape, shapeOf } from "../../../declare/command/projected.ts";
import { shortNaira } from "../../../declare/money.ts";
import { type Html, html } from "../../../http/pages/html.ts";
import { labelFor } from "../site-map.ts";
import { money } from "./cells.ts";

/** A large figure: its name, value, change and line. */
interface Figure {
  name: string;
  text: string;
  delta?: Html | string;
  line?: Html | string;
}

export function figureRow(figures: readonly Figure[]): Html {
  if (figures.length === 0) return html``;
  const drawn = figures.map(
    ({ name, text, delta = "", line = "" }) =>
      html`<div><dt>${name}</dt><dd>${money(text)}</dd>${delta === "" ? "" : html`<dd class="delta">${delta}</dd>`}${line}</div>`,
  );
  return html`<dl class="figures">${drawn}</dl>`;
}

/** Returns the members with large figures, and those of the period before. */
export function headlineNames({ properties = {} }: Shape): string[] {
  return Object.keys(properties).flatMap((name) => {
    const { headline } = shapeOf(properties[name]!);
    return headline ? [name, headline.before ?? []].flat() : [];
  });
}

/** Renders the members with a `headline` as large figures. `against`: the name of the period before. */
export function headlines(
  shape: Shape,
  row: Readonly<Record<string, unknown>>,
  times: TimeTexts,
  against: string,
): Figure[] {
  const members = recordOf(shape, row, times);
  return members.flatMap(({ name, label, text, value }) => {
    const { headline, meterOf } = shapeOf(shape.properties?.[name] ?? {});
    if (!headline) return [];
    const before = headline.before === undefined ? undefined : row[headline.before];
    const bound = meterOf === undefined ? undefined : row[meterOf];
    const isBound = typeof bound === "number" && bound > 0 && typeof value === "number";
    return [
      {
        name: label ?? labelFor(name),
        text,
        delta: isBound
          ? usedText(value, bound, shapeOf(shape.properties![meterOf!]!).shows)
          : difference(value, before, {
              better: headline.better,
              unit: shapeOf(shape.properties![name]!).unit,
              against: headline.against ?? against,
            }),
        line: isBound ? html`<dd>${meter(value, bound, label ?? labelFor(name))}</dd>` : "",
      },
    ];
  });
}

interface Against {
  better: "up" | "down" | undefined;
  unit: string | undefined;
  against: string;
}

/** Renders the change since the period before: in percent; of a share, in points. */
function difference(value: unknown, before: unknown, { better, unit, against }: Against): Html | string {
  if (typeof value !== "number" || typeof before !== "number" || (before === 0 && unit !== "%")) return "";
  const moved = unit === "%" ? value - before : (value / before - 1) * 100;
  const tone = moved === 0 || better === undefined ? "" : moved > 0 === (better === "up") ? "good" : "bad";
  return html`<b${tone === "" ? "" : html` class="${tone}"`}>${changeText(moved, unit === "%" ? "points" : "%")}</b> on ${against}`;
}

/** Formats a use such as "66 % of ₦900,000". */
export function usedText(value: number, bound: number, shows: Shows | undefined): string {
  const of = shows === "naira" ? shortNaira(bound) : bound.toLocaleString("en");
  return `${percentOf(value, bound)} % of ${of}`;
}

/** Renders the used part of a limit: amber from `warnedPercent`, red at the limit. */
export function meter(value: number, bound: number, name: string): Html {
  const percent = percentOf(value, bound);
  const tone = percent >= 100 ? "c4" : percent >= warnedPercent ? "c3" : "c1";
  return html`<svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" role="meter" aria-label="${name}" aria-valuenow="${percent}" aria-valuemin="0" aria-valuemax="100"><rect class="${tone}" width="${Math.min(percent, 100)}" height="6"/></svg>`;
}

/** Renders a row's value as a bar: its share of the largest value. The figure itself stands beside it. */
export function share(value: number, largest: number): Html {
  return html`<svg class="share" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="c1" width="${Math.max(0, percentOf(value, largest))}" height="6"/></svg>`;
}

function percentOf(value: number, bound: number): number {
  return Math.round((value / bound) * 100);
}

/** Returns the schema of an answer, or of its list's rows. */
export function rowShape(schema: unknown): Shape {
  const shape = schema as Shape;
  return isRow(shape) && shape.type === "array" ? shape.items! : shape;
}
