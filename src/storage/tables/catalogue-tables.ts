import { catalogueRules } from "../retention/catalogue-rules.ts";
import { hourly } from "../retention/retention-rule.ts";
import { allTables } from "../tables.ts";
import { table } from "./declared-table.ts";

/** Revisions: a year and the month in which somebody asks about it. Milliseconds. */
const history = 400 * 24 * hourly;
/** Each row has whole lists. */
const page = 20;

export const catalogueTables = {
  catalogue_revision: table({
    columns: allTables.catalogue_revision,
    retention: ({ audit }) => catalogueRules({ audit, history }),
    backup: {},
  }),
  catalogue_draft: table({
    columns: allTables.catalogue_draft,
    retention: { with: "catalogue_revision" },
    backup: { page },
  }),
  catalogue_document: table({
    columns: allTables.catalogue_document,
    retention: { with: "catalogue_revision" },
    backup: { page },
  }),
  catalogue_price_list: table({
    columns: allTables.catalogue_price_list,
    retention: { with: "catalogue_revision" },
    backup: {},
  }),
  // A restored store starts a new history.
  catalogue_history: table({ columns: allTables.catalogue_history, retention: "lasts", backup: "none" }),
  catalogue_source: table({ columns: allTables.catalogue_source, retention: "lasts", backup: {} }),
  catalogue_mapping: table({ columns: allTables.catalogue_mapping, retention: "lasts", backup: {} }),
};
