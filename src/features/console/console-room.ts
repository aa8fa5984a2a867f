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

/** What the pages of the console need. */
export interface ConsoleRoom extends Omit<Core, "consoleOrigin"> {
  whole: SiteMap;
  /** What the operations of integrators are called, by their ids. */
  operations: ReadonlyMap<string, string>;
  /** Apart from the store that serves integrators, so that a long table does not delay them. */
  store: Store;
  reports: ReportStore;
  audit: Audit;
  /** Keyed hashes under the key ring. */
  signer: (use: SigningUse) => Promise<Sign>;
  /** Such as `http://localhost:8090`. */
  origin: () => string;
  /** Counts and sums have what happened until now, once this resolves. It never rejects, and waits a second at most. */
  caughtUp: () => Promise<unknown>;
  readings: SharedReadings;
  /** The records that people opened last, by the hash of their session. */
  opened: Recent<readonly OpenedRecord[]>;
  /** Current problems of the audit trail. */
  auditAlarms: () => readonly string[];
}

/** A request of somebody who is signed in. */
export interface PageRequest extends ConsoleRoom, SignedIn {
  /** The part of the site that the person may use. */
  site: SiteMap;
  say: Say;
  /** Writes times as pages do: see `TimeZone.shortOf`. */
  times: TimeTexts;
  /** What the form did that led the person to this page. */
  landed?: Landed;
  /** Names of the accounts, people and keys in the answers read so far. */
  names: Map<string, string>;
}

/** What an answer says beside its tables. */
export type Said = Extract<Part, string | { text: unknown } | { note: unknown } | { problem: unknown }>;

/** What a deed did, in a line or two above the page of what it was about. */
export interface Landing {
  /** The page. */
  address: string;
  says: readonly Said[];
  /** Members of the record that it changed, as people read them. */
  changes: readonly { what: string; before: string; after: string }[];
}

/** A landing as its page draws it, with what only this response holds. */
export interface Landed extends Landing {
  secret?: { name: string; value: string };
}
