import type { CatalogueSourceRow } from "../../storage/tables.ts";
import { ListError, withLists } from "../document/wanted-lists.ts";
import { CatalogueError } from "../model/catalogue-error.ts";
import type { Teller } from "../model/supply.ts";
import { reject } from "../revisions/decide.ts";
import type { Publisher } from "../revisions/expected.ts";
import { type PublishOutcome, publish } from "../revisions/publish.ts";
import type { Plan } from "../revisions/review.ts";
import { SizeError } from "../revisions/review.ts";
import { type Compared, compareOffer } from "./compare-sources.ts";
import { fitting } from "./fit.ts";
import { type Offer, offerHash, offerOf, type SyncSource } from "./offer.ts";
import { endSync, isHeld, type SyncResult } from "./record.ts";

/** Most sentences of one pull. */
const KEPT = 20;

/** The plan that replaces the lists that the source covers. `told`: who tells the facts of the supply, and when. */
export function planOf({ lists }: Offer, told: Teller): Plan {
  return (base) =>
    withLists(
      base,
      fitting(base, lists).lists.map((list) => ({ ...list, told })),
    );
}

/** Holds formulas from a source, as somebody may open the catalogue in a spreadsheet, and what another source differs from too far. */
export function withSourceGuard(publisher: Publisher, { held: heldEntries }: Compared): Publisher {
  return { ...publisher, guard: { ...publisher.guard, holdFormulas: true, heldEntries } };
}

export interface SyncOptions {
  author: string;
  /** Compare with the catalogue even what the source already had the last time, and so undo changes made here since. */
  again: boolean;
  signal: AbortSignal;
}

/** A pull that has ended. */
export interface SyncEnd {
  readonly record: CatalogueSourceRow;
  /** About the result. */
  readonly sentences: readonly string[];
  /** What became of the content of the source, if the pull compared it with the catalogue. */
  readonly outcome?: PublishOutcome;
}

/**
 * Runs a pull that `beginSync` began. The lists of the source become one revision, wait for approval, or change nothing. If
 * the source has new content, rejects the draft of an earlier pull that still waits. Throws only faults of Duba's own, such as
 * a store that is away.
 */
export async function syncFrom(
  publisher: Publisher,
  source: SyncSource,
  begun: CatalogueSourceRow,
  { author, again, signal }: SyncOptions,
): Promise<SyncEnd> {
  const { db, now } = publisher;
  const end = async (
    result: SyncResult,
    all: readonly string[],
    facts: Partial<CatalogueSourceRow> = {},
    outcome?: PublishOutcome,
  ): Promise<SyncEnd> => {
    const sentences = shortened(all);
    const ended = { ended_at: now(), result, sentences: JSON.stringify(sentences) };
    const record = { ...begun, not_before: null, ...facts, ...ended };
    await endSync(db, record);
    return { record, sentences, ...(outcome && { outcome }) };
  };
  try {
    const offer = await offerOf(source, signal);
    if ("kind" in offer) {
      const { kind, sentence, retryAfter } = offer;
      return await end(kind, [sentence], { not_before: retryAfter === undefined ? null : now() + retryAfter });
    }
    const compared = await compareOffer(offer, source.compared ?? [], signal);
    const told = async () => [...compared.sentences, ...(await leftOutOf(publisher, offer))];
    const content = await offerHash(offer);
    const known = !again && content === begun.content;
    if (known && (await isHeld(db, begun.draft))) return await end("held", await told());
    const outcome = known
      ? undefined
      : await publish(withSourceGuard(publisher, compared), planOf(offer, { at: now(), by: source.name }), {
          author,
          source: source.name,
          note: "",
        });
    const draft = outcome?.state === "held" ? outcome.draft : null;
    if (outcome) await supersede(publisher, begun.draft);
    const sentences = await told();
    if (draft !== null) return await end("held", sentences, { content, draft }, outcome);
    const result = outcome?.state === "published" ? "published" : "unchanged";
    const { asOf: source_as_of, isStale } = offer.origin;
    const facts = { succeeded_at: begun.begun_at, source_as_of, source_is_stale: isStale ? 1 : 0, content, draft };
    return await end(result, sentences, facts, outcome);
  } catch (error) {
    if (error instanceof SizeError) return await end("refused", [error.message]);
    if (error instanceof ListError) return await end("refused", error.sentences);
    await end("failed", []).catch(() => undefined);
    throw error;
  }
}

/** What the catalogue does not take from the source, in sentences. */
export async function leftOutOf({ latest }: Publisher, { lists, leftOut }: Offer): Promise<string[]> {
  return [...leftOut, ...fitting(await latest(), lists).leftOut];
}

/** Rejects the draft of an earlier pull: nobody must approve it after a newer one. */
async function supersede(publisher: Publisher, draft: number | null): Promise<void> {
  if (!(await isHeld(publisher.db, draft))) return;
  await reject(publisher, draft!, "duba").catch((error: unknown) => {
    // Somebody decided it meanwhile.
    if (!(error instanceof CatalogueError)) throw error;
  });
}

function shortened(sentences: readonly string[]): string[] {
  const rest = sentences.length - KEPT;
  return rest > 0 ? [...sentences.slice(0, KEPT), `And ${rest} more of this kind.`] : [...sentences];
}
