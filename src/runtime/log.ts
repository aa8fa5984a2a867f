import { AsyncLocalStorage } from "node:async_hooks";

/** The service's log. Fields hold codes, ids and counts, never secrets or personal data. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Drops every line. */
export const silent: Log = { info() {}, warn() {}, error() {} };

export type LogFields = Record<string, unknown>;

const context = new AsyncLocalStorage<LogFields>();

/**
 * Runs `work` with the arguments `given`. Each log line of `work`, also after a wait, has these fields and those around
 * them. Fields that `addLogFields` adds meanwhile are in `fields` afterwards.
 */
export function withLogFields<Given extends unknown[], Result>(
  fields: LogFields,
  work: (...given: Given) => Result,
  ...given: Given
): Result {
  const around = context.getStore();
  if (around) Object.assign(fields, { ...around, ...fields });
  return context.run(fields, work, ...given);
}

/** Adds fields to all further lines of the innermost `withLogFields`; does nothing outside one. */
export function addLogFields(fields: LogFields): void {
  Object.assign(context.getStore() ?? {}, fields);
}

/** Returns a copy of the fields that every line logged here carries in addition to its own. */
export function contextLogFields(): LogFields {
  return { ...context.getStore() };
}
