import { mebibytes, median } from "./figures.ts";

/** Memory of one service over time. */
export interface Memory {
  name: string;
  /** Resident. */
  samples: Sample[];
  /** Resident memory after a full garbage collection. The first sample is from the end of the warm-up. */
  held: Sample[];
  requests: number;
  /** How many of them were not answered 200. */
  failed: number;
}

export interface Sample {
  minute: number;
  bytes: number;
}

export const warmUpMinutes = 5;
const growth = 1.05;
const noise = 2 * 2 ** 20;

/**
 * Whether the service's memory grows after the warm-up. Resident memory rises for minutes and falls at a collection, so
 * only samples after a full collection count.
 */
export function verdict({ held }: Memory): "flat" | "grows" | "too short" {
  if (held.length < 3) return "too short";
  return held.at(-1)!.bytes <= held[0]!.bytes * growth + noise ? "flat" : "grows";
}

/** Memory as a chart of bars for a terminal, with the verdict. */
export function memoryText(memory: Memory): string {
  const { name, samples, held, requests, failed } = memory;
  const rows = 24;
  const most = Math.max(...samples.map(({ bytes }) => bytes));
  const bars = Array.from({ length: rows }, (_, row) => {
    const part = samples.slice((row * samples.length) / rows, ((row + 1) * samples.length) / rows);
    if (part.length === 0) return [];
    const bytes = median(part.map((sample) => sample.bytes));
    const minute = part[0]!.minute.toFixed(1).padStart(5);
    return [`  ${minute} min ${mebibytes(bytes).padStart(8)} ${"█".repeat(Math.round((bytes / most) * 60))}`];
  });
  const after = samples.filter(({ minute }) => minute >= warmUpMinutes).map(({ bytes }) => bytes);
  const range =
    after.length > 0 ? `; resident ${mebibytes(Math.min(...after))} to ${mebibytes(Math.max(...after))}` : "";
  const lows = held.map(({ minute, bytes }) => `${mebibytes(bytes)} at ${minute.toFixed(0)} min`).join(", ");
  return [
    `${name}, ${requests} requests, ${failed} of them failed: ${verdict(memory)}`,
    `  After a collection: ${lows}${range}.`,
    ...bars.flat(),
  ].join("\n");
}

const colours = ["#2563eb", "#c2410c"];

/** Draws memory as SVG: a line from zero for each service, with a dot after each collection that the bench ran. */
export function memoryPicture(memories: readonly Memory[]): string {
  const [width, height, left, top] = [720, 300, 60, 20];
  const all = memories.flatMap(({ samples }) => samples);
  const [mostMinutes, mostBytes] = [
    Math.max(...all.map(({ minute }) => minute)),
    Math.max(...all.map(({ bytes }) => bytes)) * 1.1,
  ];
  const x = (minute: number) => (left + (minute / mostMinutes) * (width - left - 10)).toFixed(1);
  const y = (bytes: number) => (height - 30 - (bytes / mostBytes) * (height - 30 - top)).toFixed(1);
  const lines = memories.flatMap(({ samples, held }, at) => {
    const colour = colours[at % colours.length];
    const points = samples.map(({ minute, bytes }) => `${x(minute)},${y(bytes)}`).join(" ");
    const dots = held.map(({ minute, bytes }) => `<circle cx="${x(minute)}" cy="${y(bytes)}" r="3" fill="${colour}"/>`);
    return [`<polyline fill="none" stroke="${colour}" stroke-width="1.5" points="${points}"/>`, ...dots];
  });
  const names = memories.map(
    ({ name }, at) =>
      `<text x="${left + 10}" y="${top + 14 * at}" fill="${colours[at % colours.length]}">${name}</text>`,
  );
  const heights = [0, 0.5, 1].map((share) => (share * mostBytes) / 1.1);
  const scale = heights.map(
    (bytes) =>
      `<path d="M${left} ${y(bytes)}H${width - 10}" stroke="#8884"/><text x="4" y="${y(bytes)}" fill="#888">${mebibytes(bytes)}</text>`,
  );
  const warm = `<path d="M${x(Math.min(warmUpMinutes, mostMinutes))} ${top}V${height - 30}" stroke="#888" stroke-dasharray="4"/>`;
  const end = `<text x="${width - 70}" y="${height - 8}" fill="#888">${mostMinutes.toFixed(0)} min</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<title>Resident memory over time; the dots are right after a collection of garbage</title>
${[...scale, warm, ...lines, ...names, end].join("\n")}
</svg>
`;
}
