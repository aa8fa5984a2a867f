/** Everything a command may touch outside the service: handed in, so that tests run commands in process. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  environment: Record<string, string | undefined>;
  /** Read only for members given as `name=-`. */
  stdin: AsyncIterable<string | Uint8Array> & { isTTY?: boolean | undefined };
  /** Whether the screens behind `out` and `err` show colours; they do not unless said. */
  colours?: { out: boolean; err: boolean };
  /** Columns of the screen; 80 unless said. */
  width?: number | undefined;
}

/** A command line that was parsed and still cannot be used. */
export class UsageFault extends Error {
  readonly exitCode = 2;
}

/** Text without whole API keys and tokens: people paste them where an id belongs. */
export function withoutCredentials(text: string): string {
  return text.replace(/duba_(?:test|live|at)_[\w-]+/g, "duba_…");
}

/** Text without whole credentials and without runs of ten or more digits, which may be a BVN or a phone number. */
export function discreet(text: string): string {
  return withoutCredentials(text).replace(/\d(?:[ -]?\d){9,}/g, "…");
}
