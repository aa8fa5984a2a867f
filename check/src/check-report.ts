import type { Result } from "./run-points.ts";

interface Sums {
  seconds: number;
  waited: number;
  holds: number;
  broken: number;
  left_out: number;
}

const titles = { interface: "The documented interface", duba: "What Duba promises beyond it" };
const marks = { holds: "ok      ", broken: "WRONG   ", left_out: "left out" };

/** The results as lines for people: each problem with its reasons, its request and its response. */
export function reportOf(results: readonly Result[]): string[] {
  const width = Math.max(0, ...results.map(({ id }) => id.length));
  const byPart = Map.groupBy(results, ({ part }) => part);
  return [...byPart].flatMap(([part, inside], at) => [
    ...(at === 0 ? [] : [""]),
    titles[part],
    "",
    ...inside.flatMap((result) => linesOf(result, width)),
  ]);
}

function linesOf({ id, sentence, outcome, why, exchanges }: Result, width: number): string[] {
  const line = `  ${marks[outcome]}  ${id.padEnd(width)}  ${outcome === "left_out" ? why.join(" ") : sentence}`;
  if (outcome !== "broken") return [line];
  return [
    line,
    ...why.map((reason) => `              ${reason}`),
    ...exchanges.flatMap(({ request, answer }) => ["", ...quoted("> ", request), ...quoted("< ", answer)]),
    "",
  ];
}

function quoted(mark: string, text: string): string[] {
  return text.split("\n").map((line) => `              ${mark}${line}`.trimEnd());
}

export function summaryOf({ seconds, waited, holds, broken, left_out }: Sums): string {
  const outcome =
    broken === 0
      ? `All ${holds} points hold`
      : `${broken} of ${broken + holds} points ${broken === 1 ? "does" : "do"} not hold`;
  const rest = left_out === 0 ? "" : `, ${left_out} ${left_out === 1 ? "is" : "are"} left out`;
  const pause = waited === 0 ? "" : `, of which ${waited} s waiting for the limits of the server`;
  return `${outcome}${rest} (${seconds} s${pause}).`;
}
