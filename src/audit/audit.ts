import type { Kysely } from "kysely";
import { every, reportingNewFailures } from "../runtime/every.ts";
import type { Log } from "../runtime/log.ts";
import type { Audit } from "../storage/audited.ts";
import { codeOf } from "../storage/errors.ts";
import type { Tables } from "../storage/tables.ts";
import { AnchorKeeper } from "./anchor/keeper.ts";
import { append } from "./append.ts";
import { AuditTrailFault, signFirstHead } from "./chain/head.ts";
import { signer } from "./chain/seal.ts";
import { sealEntries } from "./seal-batch.ts";

const sealEvery = 1000;
const anchorEvery = 60_000;

export interface AuditTrailParts {
  db: Kysely<Tables>;
  /** Must be the same in every process and at every start on this store: another key cannot verify earlier seals. */
  sealKey: Buffer;
  /** Path of the file with the newest head. */
  anchor: string;
  /** Whether the log gets the newest head too. */
  logAnchor?: boolean;
  log: Log;
}

/** `not_sealed`: new entries are not being sealed. `anchor`: the trail does not contain the head that its anchor names. */
export type AuditAlarm = "not_sealed" | "anchor";

export interface AuditTrail {
  append: Audit;
  /** The current alarms; each needs an operator. */
  alarms(): AuditAlarm[];
  /** Stops the periodic work, then seals and anchors the remaining entries. */
  stop(): Promise<void>;
}

/**
 * Opens the audit trail of a serving process. It signs the head of a new store, seals the entries of all processes each
 * second, and writes the newest head to a file each minute.
 */
export async function openAuditTrail(parts: AuditTrailParts): Promise<AuditTrail> {
  const { db, sealKey, log } = parts;
  const sign = signer(sealKey);
  await signFirstHead(db, sign);
  const keeper = new AnchorKeeper({ ...parts, path: parts.anchor, sign });
  await keeper.move();
  const reported = (done: string, work: () => Promise<void>) =>
    reportingNewFailures(work, reasonOf, (reason) =>
      log.error({ reason }, `The audit trail is not being ${done}; this is tried again`),
    );
  const seal = reported("sealed", () => sealEntries(db, sign));
  const anchor = reported("anchored", () => keeper.move());
  const sealing = every(sealEvery, seal.run);
  const anchoring = every(anchorEvery, anchor.run);
  return {
    append,
    alarms: () => [...(seal.isFailing() ? ["not_sealed" as const] : []), ...(keeper.alarm ? ["anchor" as const] : [])],
    async stop() {
      await anchoring.stop();
      await sealing.stop();
      await seal.run();
      await anchor.run();
    },
  };
}

function reasonOf(error: unknown): string {
  return error instanceof AuditTrailFault ? error.message : (codeOf(error) ?? String(error));
}
