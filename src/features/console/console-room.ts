import type { Sign, SigningUse } from "../../audit/chain/seal.ts";
import type { Core } from "../../commands/context.ts";
import type { Part } from "../../declare/command/answer-schema.ts";
import type { TimeTexts } from "../../declare/command/answer-table.ts";
import type { Recent } from "../../runtime/recent.ts";
import type { Audit } from "../../storage/audited.ts";
import type { ReportStore } from "../../storage/reports.ts";
import type { Store } from "../../storage/store.ts";
import type { SignedIn } from "./console-request.ts";
import type { SharedReadings } from "./shared-readings.ts";
import type { SiteMap } from "./site-map.ts";
import type { OpenedRecord } from "./view/frame.ts";
import type { Say } from "./view/words.ts";

/** The dependencies of the console's pages. */
export interface ConsoleRoom extends Omit<Core, "consoleOrigin"> {
  whole: SiteMap;
  /** Summaries of the API's operations, by id. */
  operations: ReadonlyMap<string, string>;
  /** A separate connection, so that long tables do not delay integrators. */
  store: Store;
  reports: ReportStore;
  audit: Audit;
  /** Returns a keyed hash function of the key ring. */
  signer: (use: SigningUse) => Promise<Sign>;
  /** The console's origin, such as `http://localhost:8090`. */
  origin: () => string;
  /** Resolves when counts and sums are up to date, or after a second. Never rejects. */
  caughtUp: () => Promise<unknown>;
  readings: SharedReadings;
  /** The records that a person opened last, by session hash. */
  opened: Recent<readonly OpenedRecord[]>;
  /** Problems of the audit trail, if there are any. */
  auditAlarms: () => readonly string[];
}

/** A request of a signed-in person. */
export interface PageRequest extends ConsoleRoom, SignedIn {
  /** The part of the site that the person's role may use. */
  site: SiteMap;
  say: Say;
  /** Formats times as on pages: see `TimeZone.shortOf`. */
  times: TimeTexts;
  /** The result of the form that led to this page. */
  landed?: Landed;
  /** Names of the API's operations, and of the accounts, people and keys in the answers read so far. */
  names: Map<string, string>;
}

/** The parts of an answer that are sentences. */
export type Said = Extract<Part, string | { text: unknown } | { note: unknown } | { problem: unknown }>;

/** The result of a form: one or two lines above the page of the changed record. */
export interface Landing {
  /** The address of the page to which the form leads. */
  address: string;
  says: readonly Said[];
  /** Changed members of the record, as text for people. */
  changes: readonly { what: string; before: string; after: string }[];
}

/** A landing with a secret that only this response contains. */
export interface Landed extends Landing {
  secret?: { name: string; value: string };
}
