import { mebibytes, median } from "./figures.ts";

/** Resident memory of one service over time. */
export interface Memory {
  name: string;
  samples: { minute: number; bytes: number }[];
  requests: number;
}

export const warmUpMinutes = 5;
const growth = 1.05;
const noise = 2 * 2 ** 20;

/** Whether memory grew after the warm-up: the last fifth of the samples beside the first. Needs 50 samples after it. */
export function verdict(memory: Memory): "flat" | "grows" | "too short" {
  const parts = fifths(memory);
  if (!parts) return "too short";
  return parts.last <= parts.first * growth + noise ? "flat" : "grows";
}

function fifths({ samples }: Memory): { first: number; last: number } | undefined {
  const after = samples.filter(({ minute }) => minute >= warmUpMinutes).map(({ bytes }) => bytes);
  if (after.length < 50) return undefined;
  const fifth = Math.floor(after.length / 5);
  return { first: median(after.slice(0, fifth)), last: median(after.slice(-fifth)) };
}

/** Memory as a chart of bars for a terminal, with the verdict. */
export function memoryText(memory: Memory): string {
  const { name, samples, requests } = memory;
  const rows = 24;
  const most = Math.max(...samples.map(({ bytes }) => bytes));
  const bars = Array.from({ length: rows }, (_, row) => {
    const part = samples.slice((row * samples.length) / rows, ((row + 1) * samples.length) / rows);
    if (part.length === 0) return [];
    const bytes = median(part.map((sample) => sample.bytes));
    const minute = part[0]!.minute.toFixed(1).padStart(5);
    return [`  ${minute} min ${mebibytes(bytes).padStart(8)} ${"█".repeat(Math.round((bytes / most) * 60))}`];
  });
  const parts = fifths(memory);
  const judged = parts ? `: ${mebibytes(parts.first)} in the first fifth, ${mebibytes(parts.last)} in the last` : "";
  return [`${name}, ${requests} requests: ${verdict(memory)}${judged}`, ...bars.flat()].join("\n");
}

const colours = ["#2563eb", "#c2410c"];

/** Memory as a line for each service, from nought, as SVG. */
export function memoryPicture(memories: readonly Memory[]): string {
  const [width, height, left, top] = [720, 300, 60, 20];
  const all = memories.flatMap(({ samples }) => samples);
  const [mostMinutes, mostBytes] = [
    Math.max(...all.map(({ minute }) => minute)),
    Math.max(...all.map(({ bytes }) => bytes)) * 1.1,
  ];
  const x = (minute: number) => (left + (minute / mostMinutes) * (width - left - 10)).toFixed(1);
  const y = (bytes: number) => (height - 30 - (bytes / mostBytes) * (height - 30 - top)).toFixed(1);
  const lines = memories.map(
    ({ samples }, at) =>
      `<polyline fill="none" stroke="${colours[at % colours.length]}" stroke-width="1.5" points="${samples
        .map(({ minute, bytes }) => `${x(minute)},${y(bytes)}`)
        .join(" ")}"/>`,
  );
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
<title>Resident memory over time</title>
${[...scale, warm, ...lines, ...names, end].join("\n")}
</svg>
`;
}
