import { DatabaseSync } from "node:sqlite";
import pg from "pg";

/**
 * Moves the clock of a process, of its threads and of its stores by `DUBA_TEST_CLOCK_AHEAD` milliseconds. The
 * environment hands it on to the processes that tests start.
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
    // A test that plays a clock of its own names the schema.
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
