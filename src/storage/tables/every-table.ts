import type { RetentionRule } from "../retention/retention-rule.ts";
import type { Tables } from "../tables.ts";
import { accessTables } from "./access-tables.ts";
import { auditTables } from "./audit-tables.ts";
import { catalogueTables } from "./catalogue-tables.ts";
import { consoleTables } from "./console-tables.ts";
import { type DeclaredTable, rulesIn, type Terms } from "./declared-table.ts";
import { eventTables } from "./event-tables.ts";
import { ledgerTables } from "./ledger-tables.ts";
import { requestTables } from "./request-tables.ts";
import { storeTables } from "./store-tables.ts";

/** Every table by name. Retention follows this order. */
export const everyTable: Readonly<Record<keyof Tables, DeclaredTable>> = {
  ...ledgerTables,
  ...auditTables,
  ...catalogueTables,
  ...eventTables,
  ...requestTables,
  ...accessTables,
  ...consoleTables,
  ...storeTables,
};

/** Returns the retention rules of all tables, including tables of features that this build lacks. */
export function everyRule(terms: Terms): readonly RetentionRule[] {
  return rulesIn(everyTable, terms);
}
