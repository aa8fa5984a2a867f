import type { Generated, Kysely } from "kysely";
import type { Role } from "../declare/command.ts";
import type { EventType } from "../declare/event.ts";
import type { Mode } from "../declare/operation.ts";
import type { SoldListName } from "../lists/index.ts";
import { baselineTables } from "./migrations/0001_tables.ts";
import { outcomeSumColumns } from "./migrations/0002_tables.ts";
import { foundAgainColumns } from "./migrations/0003_tables.ts";
import { stateSumColumns } from "./migrations/0004_tables.ts";
import { endpointMakerColumns } from "./migrations/0005_tables.ts";
import { unheardChargeColumns } from "./migrations/0006_tables.ts";
import { accountAddressColumns } from "./migrations/0008_tables.ts";
import { responseStatusColumns } from "./migrations/0009_tables.ts";
import { useSumTables } from "./migrations/0010_tables.ts";

/** All tables with the columns of all migrations. */
export const allTables = {
  ...baselineTables,
  account: { ...baselineTables.account, ...accountAddressColumns.account },
  verification: { ...baselineTables.verification, ...foundAgainColumns.verification },
  verification_attempt: {
    ...baselineTables.verification_attempt,
    ...responseStatusColumns.verification_attempt,
  },
  api_request: { ...baselineTables.api_request, ...foundAgainColumns.api_request },
  verification_sum: {
    ...baselineTables.verification_sum,
    ...outcomeSumColumns.verification_sum,
    ...stateSumColumns.verification_sum,
  },
  ...useSumTables,
  verification_journal: { ...baselineTables.verification_journal, ...outcomeSumColumns.verification_journal },
  event_endpoint: { ...baselineTables.event_endpoint, ...endpointMakerColumns.event_endpoint },
  charging_process: { ...baselineTables.charging_process, ...unheardChargeColumns.charging_process },
} as const;

type AllTables = typeof allTables;

type ValueOf<Kind extends string> = Kind extends `${infer Present}?`
  ? ValueOf<Present> | null
  : Kind extends "serial key"
    ? Generated<number>
    : Kind extends `text${string}`
      ? string
      : Kind extends "flag"
        ? 0 | 1
        : number;

/** Columns whose type is narrower than their kind. */
interface Narrowed {
  catalogue_draft: { state: "held" | "scheduled" | "published" | "rejected" };
  catalogue_mapping: {
    list: SoldListName;
    state: "proposed" | "unclear" | "approved" | "never";
  };
  change_counter: { name: "access" | "catalogue" | "routes" | "event" };
  event: { type: EventType; mode: Mode | null };
  event_endpoint: { mode: Mode | null };
  event_delivery: { state: "waiting" | "delivered" | "dead" };
  audit_head: { id: 1 };
  person: { role: Role };
  sent_form: { role: Role };
}

type RowOf<Name extends keyof AllTables> = {
  -readonly [Column in keyof AllTables[Name]]: ValueOf<AllTables[Name][Column] & string>;
} & (Name extends keyof Narrowed ? Narrowed[Name] : unknown);

/** The rows of every table, as both engines return them. */
export type Tables = { [Name in keyof AllTables]: RowOf<Name> };

/** A store, or a transaction in it. */
export type Db = Kysely<Tables>;

export type AccountRow = Tables["account"];
export type ApiKeyRow = Tables["api_key"];
/** A draft without its content. */
export type CatalogueDraftRow = Omit<Tables["catalogue_draft"], "content">;
export type CatalogueRevisionRow = Tables["catalogue_revision"];
export type CatalogueSourceRow = Tables["catalogue_source"];
export type VerificationRow = Tables["verification"];
export type EventRow = Tables["event"];
export type EventEndpointRow = Tables["event_endpoint"];
export type RecordKeyRow = Tables["record_key"];
export type AuditEntryRow = Tables["audit_entry"];
export type PersonRow = Tables["person"];
