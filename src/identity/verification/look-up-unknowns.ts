import { type Kysely, sql } from "kysely";
import type { Log } from "../../runtime/log.ts";
import type { Tables } from "../../storage/tables.ts";
import type { IdentityOutcome, IdentityUpstream } from "../../upstreams/ports/identity-upstream.ts";
import type { AttemptOutcome } from "../ledger/attempt-outcome.ts";
import type { Row } from "../ledger/ledger.ts";
import { loggableError } from "./upstream-call.ts";

/** Younger ones may still be answered; older ones a source may have forgotten, as Duba itself forgets keys after 24 h. */
const youngest = 60_000;
const oldest = 23 * 60 * 60 * 1000;
const mostInARound = 20;
const patience = 10_000;

interface Parts {
  db: Kysely<Tables>;
  /** The live sources, of which those that can tell are asked. */
  upstreams: readonly IdentityUpstream[];
  /** Whether this process waits for the row's source anyway. */
  isAwaited: (reference: string) => boolean;
  deferOutcome: (row: Row, outcome: AttemptOutcome) => void;
  log: Log;
  now: () => number;
}

/**
 * One round: asks sources that can tell what became of verifications whose outcome is unknown, one after another, and
 * learns of those that found nobody or came to nothing. A record is left to a retry with the key, as only the caller
 * has the BVN and phone that it must be held against.
 */
export async function lookUpUnknowns({ db, upstreams, isAwaited, deferOutcome, log, now }: Parts, signal: AbortSignal) {
  const sources = upstreams.filter(({ lookUp }) => lookUp !== undefined);
  if (sources.length === 0) return;
  const rows = (await db
    .selectFrom("verification")
    .selectAll()
    .where("state", "=", "unknown")
    .where("mode", "=", "live")
    .where("started_at", "<", now() - youngest)
    .where("started_at", ">", now() - oldest)
    .where(
      "upstream",
      "in",
      sources.map(({ name }) => name),
    )
    // Those that stay unknown do not keep the others waiting.
    .orderBy(sql`random()`)
    .limit(mostInARound)
    .execute()) as Row[];
  for (const row of rows) {
    if (signal.aborted) return;
    if (isAwaited(row.reference)) continue;
    const source = sources.find(({ name }) => name === row.upstream)!;
    try {
      const ends = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
      const state = stateOf(await source.lookUp!({ reference: row.reference, signal: ends }));
      if (state) deferOutcome(row, { state, charge: null, sealed: null, at: now() });
    } catch (error) {
      log.warn(
        { upstream: source.name, reference: row.reference, ...loggableError(error) },
        "A look-up broke off with a fault",
      );
    }
  }
}

/** What an outcome says of a verification without its record; undefined if nothing. */
function stateOf({ kind }: IdentityOutcome): AttemptOutcome["state"] | undefined {
  if (kind === "unavailable") return "failed";
  return kind === "not_found" || kind === "phone_mismatch" ? kind : undefined;
}
