/** The service's log. Fields hold codes, ids and counts, never secrets or personal data. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Drops every line. */
export const silent: Log = { info() {}, warn() {}, error() {} };
