import type { Log } from "./log.ts";

/** Keeps what was logged, for tests. */
export class RecordedLog implements Log {
  readonly lines: { level: keyof Log; fields: Record<string, unknown>; message: string }[] = [];
  readonly info = this.#keep("info");
  readonly warn = this.#keep("warn");
  readonly error = this.#keep("error");

  #keep(level: keyof Log): Log[typeof level] {
    return (fields, message) => void this.lines.push({ level, fields: { ...fields }, message });
  }
}
