import { allTables } from "../tables.ts";
import { table } from "./declared-table.ts";

export const storeTables = {
  baseline: table({ columns: allTables.baseline, retention: "lasts", backup: "none" }),
  fact: table({ columns: allTables.fact, retention: "lasts", backup: {} }),
  // Only increments matter, and a restore increments every counter.
  change_counter: table({ columns: allTables.change_counter, retention: "lasts", backup: "none" }),
  // Each start deletes the rows of processes that are dead by the database's clock.
  protection: table({ columns: allTables.protection, retention: "lasts", backup: "none" }),
};
