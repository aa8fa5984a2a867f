import { difference, ListFault } from "../changes/difference.ts";
import { CatalogueFault } from "../model/fault.ts";
import type { Publisher } from "../revisions/commit.ts";
import { reject } from "../revisions/decide.ts";
import { type Plan, type PublishOutcome, publish } from "../revisions/publish.ts";
import { SizeFault } from "../revisions/review.ts";
import { fitting } from "./fit.ts";
import { type Offer, offerHash, offerOf, type SyncSource } from "./offer.ts";
import { endSync, isHeld, type SyncRecord } from "./record.ts";

/** Sentences that are kept of one pull. */
const KEPT = 20;

/** The plan that makes the covered lists what the source has. */
export function planOf({ lists }: Offer): Plan {
  return (base) => difference(base, fitting(base, lists).lists);
}

/** Publishes what a source sent: a formula in it needs approval, since somebody opens the catalogue in a spreadsheet one day. */
export function withFormulaGuard(publisher: Publisher): Publisher {
  return { ...publisher, guard: { ...publisher.guard, holdFormulas: true } };
}

/** What becomes of a pull, and by whom. */
export interface SyncOptions {
  author: string;
  /** True: what the source had the last time is compared with the catalogue again, and takes the place of changes since. */
  again: boolean;
  signal: AbortSignal;
}

/** What a pull came to, with the outcome of what was published or held, if anything was to be. */
export interface SyncEnd {
  readonly record: SyncRecord;
  readonly outcome?: PublishOutcome;
}

/**
 * Goes on with a pull that was begun: all that the source covers becomes one revision, is held for approval, or changes
 * nothing. What was held of this source before is rejected when the source has something else. Rejects with a fault of our
 * own, such as a store that is away.
 */
export async function syncFrom(
  publisher: Publisher,
  source: SyncSource,
  begun: SyncRecord,
  { author, again, signal }: SyncOptions,
): Promise<SyncEnd> {
  const { db, now } = publisher;
  const end = async (facts: Partial<SyncRecord>, outcome?: PublishOutcome): Promise<SyncEnd> => {
    const { sentences = [] } = facts;
    const record = { ...begun, notBefore: null, ...facts, endedAt: now(), sentences: shortened(sentences) };
    await endSync(db, record);
    return { record, ...(outcome && { outcome }) };
  };
  try {
    const offer = await offerOf(source, signal);
    if ("kind" in offer) {
      const { kind, sentence, retryAfter } = offer;
      const notBefore = retryAfter === undefined ? null : now() + retryAfter;
      return await end({ result: kind, sentences: [sentence], notBefore });
    }
    const content = await offerHash(offer);
    const known = !again && content === begun.content;
    if (known && (await isHeld(db, begun.draft)))
      return await end({ result: "held", sentences: await leftOutOf(publisher, offer) });
    const outcome = known
      ? undefined
      : await publish(withFormulaGuard(publisher), planOf(offer), { author, source: source.name, note: "" });
    const draft = outcome?.state === "held" ? outcome.draft : null;
    if (outcome) await supersede(publisher, begun.draft);
    const facts = { content, draft, sentences: await leftOutOf(publisher, offer) };
    if (draft !== null) return await end({ ...facts, result: "held" }, outcome);
    const result = outcome?.state === "published" ? "published" : "unchanged";
    const { asOf: sourceAsOf, isStale: sourceIsStale } = offer.origin;
    return await end({ ...facts, result, succeededAt: begun.begunAt, sourceAsOf, sourceIsStale }, outcome);
  } catch (error) {
    if (error instanceof SizeFault) return await end({ result: "refused", sentences: [error.message] });
    if (error instanceof ListFault) return await end({ result: "refused", sentences: error.sentences });
    await end({ result: "failed" }).catch(() => undefined);
    throw error;
  }
}

/** What the source has and the catalogue does not take, in sentences. */
export async function leftOutOf({ latest }: Publisher, { lists, leftOut }: Offer): Promise<string[]> {
  return [...leftOut, ...fitting(await latest(), lists).leftOut];
}

/** What is held of an earlier pull must not be approved after a newer one. */
async function supersede(publisher: Publisher, draft: number | null): Promise<void> {
  if (!(await isHeld(publisher.db, draft))) return;
  await reject(publisher, draft!, "duba").catch((error: unknown) => {
    // Decided in between.
    if (!(error instanceof CatalogueFault)) throw error;
  });
}

function shortened(sentences: readonly string[]): string[] {
  const rest = sentences.length - KEPT;
  return rest > 0 ? [...sentences.slice(0, KEPT), `And ${rest} more of this kind.`] : [...sentences];
}
