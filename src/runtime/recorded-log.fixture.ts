import { contextLogFields, type Log } from "./log.ts";

/** A line that was logged, with the fields around it. */
export interface RecordedLine {
  level: keyof Log;
  fields: Record<string, unknown>;
  message: string;
}

/** Keeps what was logged, for tests. */
export class RecordedLog implements Log {
  readonly lines: RecordedLine[] = [];
  readonly info = this.#keep("info");
  readonly warn = this.#keep("warn");
  readonly error = this.#keep("error");

  #keep(level: keyof Log): Log[typeof level] {
    return (fields, message) => void this.lines.push({ level, fields: { ...contextLogFields(), ...fields }, message });
  }
}
