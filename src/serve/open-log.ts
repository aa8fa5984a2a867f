import { type Logger, pino } from "pino";
import { surroundingLogFields } from "../runtime/log.ts";

/** Logs to standard output: lines for people if that is a terminal, else a JSON object a line. `fields` are in each. */
export async function openLog(level: string, fields: object | null = null): Promise<Logger> {
  const options = { level, base: fields, mixin: surroundingLogFields };
  if (!process.stdout.isTTY) return pino(options);
  const { default: pretty } = await import("pino-pretty");
  return pino(options, pretty({ sync: true, singleLine: true, translateTime: "SYS:HH:MM:ss.l" }));
}
