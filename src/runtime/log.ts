/** Where the service tells its operator what happens. Fields hold codes, ids and counts: never a secret, nothing personal. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Drops every line. */
export const silent: Log = { info() {}, warn() {}, error() {} };
