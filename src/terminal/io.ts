import type { Config } from "../config/read-config.ts";
import { settings } from "../config/settings.ts";
import { redactCredentials, redactNumbers } from "../runtime/redact.ts";
import type { TimeZone } from "../runtime/time-zone.ts";

/** Resolves to the exit code. Calls `ready` with the address of the operations, once the service runs. */
export type StartService = (config: Config, ready?: (url: string) => void) => Promise<number>;

/** The terminal and environment of a command. Tests pass their own, and run commands in process. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  environment: Record<string, string | undefined>;
  /** Read only for private members, for `name=-` of `duba call`, and for what a person types to confirm. */
  stdin: AsyncIterable<string | Uint8Array> & { isTTY?: boolean | undefined };
  /** Whether a person reads `out`. Default: no. */
  isTerminal?: boolean;
  /** Whether `out` and `err` show colours. Default: no. */
  colours?: { out: boolean; err: boolean };
  /** Starts the service. */
  serve?: StartService;
  /** Lowers the priority of this process, for long work. */
  giveWay?(): void;
  /** Milliseconds until progress is shown. Default: 1,000. */
  progressAfter?: number;
  /** Columns of the terminal. Default: 80. */
  width?: number | undefined;
}

/** Text without whole credentials and without long numbers. */
export function redact(text: string): string {
  return redactNumbers(redactCredentials(text));
}

/** The time zone of days; the default zone for an invalid setting, which `readConfig` reports. */
export function zoneIn({ DUBA_TIME_ZONE: name }: Io["environment"]): TimeZone {
  const { read, default: usual } = settings.timeZone;
  return read(name || usual) ?? read(usual)!;
}
