import { styleText } from "node:util";
import { type Logger, pino } from "pino";
import { contextLogFields } from "../runtime/log.ts";

/**
 * Opens the log on standard output: readable lines if that is a terminal, else one JSON object per line. Each line has
 * `fields`.
 */
export function openLog(level: string, fields: object | null = null): Logger {
  const options = { level, base: fields, mixin: contextLogFields };
  if (!process.stdout.isTTY) return pino(options);
  return pino(options, { write: (line) => void process.stdout.write(lineForPeople(JSON.parse(line))) });
}

const colours = { debug: "blue", info: "green", warn: "yellow", error: "red", fatal: "red" } as const;

/** Formats a line such as `14:02:07.123 WARN  the message {"vendor":"peer"}`. */
export function lineForPeople({
  time,
  level,
  msg = "",
  ...rest
}: {
  time: number;
  level: number;
  msg?: string;
}): string {
  const name = pino.levels.labels[level] ?? String(level);
  const shown = name.toUpperCase().padEnd(5);
  const clock = new Date(time).toTimeString().slice(0, 8);
  const colour = colours[name as keyof typeof colours];
  const facts = Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : "";
  return `${clock}.${String(time % 1000).padStart(3, "0")} ${colour ? styleText(colour, shown) : shown} ${msg}${facts}\n`;
}
