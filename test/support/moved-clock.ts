import { DatabaseSync } from "node:sqlite";
import pg from "pg";

/**
 * Moves the clocks of this process, its threads and its stores by `DUBA_TEST_CLOCK_AHEAD` milliseconds. Child processes
 * inherit the variable.
 */

const ahead = Number(process.env.DUBA_TEST_CLOCK_AHEAD ?? 0);
const { now } = Date;

Date.now = () => now() + ahead;
globalThis.Date = new Proxy(Date, {
  construct: (date, parts, target) => Reflect.construct(date, parts.length === 0 ? [Date.now()] : parts, target),
});

const moved = (statement: string) =>
  statement
    .replaceAll("unixepoch('subsec')", `(unixepoch('subsec') + ${ahead / 1000})`)
    // Leaves `pg_catalog.clock_timestamp()` alone: tests that move the clock themselves write it like that.
    .replaceAll(/(?<!\.)clock_timestamp\(\)/g, `(clock_timestamp() + interval '${ahead} milliseconds')`);

const { prepare } = DatabaseSync.prototype;
DatabaseSync.prototype.prepare = function (statement, ...rest) {
  return prepare.call(this, moved(statement), ...rest);
};

type Asked = string | { text?: string };
const client = pg.Client.prototype as unknown as { query(asked: Asked, ...rest: unknown[]): unknown };
const { query } = client;
client.query = function (asked, ...rest) {
  const text = typeof asked === "string" ? asked : asked.text;
  if (text === undefined || !text.includes("clock_timestamp()")) return query.call(this, asked, ...rest);
  return query.call(this, typeof asked === "string" ? moved(text) : { ...asked, text: moved(text) }, ...rest);
};
