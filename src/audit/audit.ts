import type { Log } from "../runtime/log.ts";
import { reportingNewFailures } from "../runtime/reporting-new-failures.ts";
import type { Audit } from "../storage/audited.ts";
import { codeOf } from "../storage/errors.ts";
import type { Db } from "../storage/tables.ts";
import { AnchorKeeper } from "./anchor/keeper.ts";
import { append } from "./append.ts";
import { AuditTrailError, signFirstHead } from "./chain/head.ts";
import { signer } from "./chain/seal.ts";
import { sealEntries } from "./seal-batch.ts";

export interface AuditTrailParts {
  db: Db;
  /**
   * The key of the seals must be the same in every process and at every start on this store: another key cannot verify
   * earlier seals.
   */
  sealKey: Buffer;
  /** Path of the file with the newest head. */
  anchor: string;
  log: Log;
  /** The store's time, in milliseconds since 1970. */
  now?: () => number;
}

/**
 * `not_sealed`: new entries are not being sealed. `anchor`: the trail does not contain the head that its anchor names,
 * or one of them cannot be trusted.
 */
export type AuditAlarm = "not_sealed" | "anchor";

export interface AuditTrail {
  append: Audit;
  /** The current alarms; each needs an operator. */
  alarms(): AuditAlarm[];
  /** Seals the entries of all processes. Reports failures itself. */
  seal(): Promise<void>;
  /** Writes the newest head to the file. Reports failures itself. */
  anchor(): Promise<void>;
  /** Seals and anchors the remaining entries. */
  stop(): Promise<void>;
}

/** Opens the audit trail of a serving process: signs the head of a new store, and writes the newest head to a file. */
export async function openAuditTrail(parts: AuditTrailParts): Promise<AuditTrail> {
  const { db, sealKey, log, now = Date.now } = parts;
  // A seal states the time until which everything was sealed. Entries have the machine's time. If the machine's clock
  // or the store's clock jumps ahead, the earlier time counts.
  const sealTime = () => Math.min(Date.now(), now());
  const sign = signer(sealKey);
  await signFirstHead(db, sign);
  const keeper = new AnchorKeeper({ ...parts, path: parts.anchor, sign });
  await keeper.move();
  const reported = (done: string, work: () => Promise<void>) =>
    reportingNewFailures(work, reasonOf, (reason) =>
      log.error({ reason }, `The audit trail is not being ${done}; this is tried again`),
    );
  const seal = reported("sealed", () => sealEntries(db, sign, sealTime));
  const anchor = reported("anchored", () => keeper.move());
  return {
    append,
    alarms: () => [...(seal.isFailing() ? ["not_sealed" as const] : []), ...(keeper.alarm ? ["anchor" as const] : [])],
    seal: seal.run,
    anchor: anchor.run,
    async stop() {
      await seal.run();
      await anchor.run();
    },
  };
}

function reasonOf(error: unknown): string {
  return error instanceof AuditTrailError ? error.message : (codeOf(error) ?? String(error));
}
