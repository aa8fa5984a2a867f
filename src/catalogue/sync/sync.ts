import type { CatalogueDraftRow, CatalogueSourceRow } from "../../storage/tables.ts";
import { catalogueSources } from "../../upstreams/registry.ts";
import { differingGroups } from "../document/difference.ts";
import { ListError, withLists } from "../document/replace-lists.ts";
import type { Mapping } from "../mapping/mapping.ts";
import { gaveLast, nameLists, noteDoubts, noteGiver, readMapping, writeProposals } from "../mapping/mapping-rows.ts";
import { inOwnCodes } from "../mapping/own-codes.ts";
import { CatalogueError } from "../model/catalogue-error.ts";
import type { ListName } from "../model/lists.ts";
import type { Offer } from "../model/offered.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Teller } from "../model/supply.ts";
import { reject } from "../revisions/decide.ts";
import { listWaiting } from "../revisions/draft.ts";
import type { Publisher } from "../revisions/expected.ts";
import { draftDocuments } from "../revisions/load.ts";
import { type PublishOutcome, publish } from "../revisions/publish.ts";
import type { Plan } from "../revisions/review.ts";
import { SizeError } from "../revisions/review.ts";
import { fitting } from "./fit.ts";
import { offerHash, offerOf, type SyncSource } from "./offer.ts";
import { endSync, isHeld, type SyncResult } from "./record.ts";

/** Most sentences of one pull. */
const KEPT = 20;

/** What a catalogue takes from an offer: under our codes, as lists, and in `leftOut` what it does not take. Read once while the catalogue stays. */
export function takingFrom(offer: Offer, source: string, mapping: Mapping) {
  const take = async (base: Snapshot) => {
    const own = await inOwnCodes(base, offer, source, mapping);
    const { lists, leftOut } = await fitting(base, own.whole);
    return { ...own, lists, leftOut: [...own.sentences, ...leftOut] };
  };
  let last: { groups: Snapshot["groups"]; taken: ReturnType<typeof take> } | undefined;
  return (base: Snapshot) => {
    if (last?.groups !== base.groups) last = { groups: base.groups, taken: take(base) };
    return last.taken;
  };
}

/** The plan that replaces the lists that the source covers. `told`: who tells the facts of the supply, and when. */
export function planOf(take: ReturnType<typeof takingFrom>, told: Teller): Plan {
  return async (base) =>
    withLists(
      base,
      (await take(base)).lists.map((list) => ({ ...list, told })),
    );
}

/** Holds formulas from a source, as somebody may open the catalogue in a spreadsheet. */
export function withSourceGuard(publisher: Publisher): Publisher {
  return { ...publisher, guard: { ...publisher.guard, holdFormulas: true } };
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
    const mapping = await readMapping(db);
    const lists = [...offer.lists, ...offer.parents].map(({ list }) => list);
    const take = takingFrom(offer, source.name, mapping);
    const content = await offerHash(offer, mapping.textOf(source.name));
    const given = offer.lists.map(({ list }) => list);
    const known = !again && content === begun.content && (await gaveLast(db, source.name, given));
    const isWaiting = known && (await isHeld(db, begun.draft));
    const plan = planOf(take, { at: now(), by: source.name });
    const about = { author, source: source.name, note: "" };
    const outcome = known ? undefined : await publish(withSourceGuard(publisher), plan, about);
    const draft = outcome?.state === "held" ? outcome.draft : isWaiting ? begun.draft : null;
    if (outcome) {
      await noteGiver(db, source.name, given, now());
      await supersede(publisher, begun.draft, source.name, given);
    }
    const filled = offer.lists.filter(({ contents }) => contents.length > 0).map(({ list }) => list);
    if (outcome && draft === null) await nameLists(db, source.name, filled, now());
    const { leftOut, proposals, decided, isPartly } = await take(await publisher.latest());
    await writeProposals(
      db,
      source.name,
      lists.filter((list) => mapping.names.has(list)),
      proposals,
    );
    await noteDoubts(db, source.name, decided);
    if (draft !== null) return await end("held", leftOut, { content, draft }, outcome);
    if (isPartly) return await end("unmapped", leftOut, { content, draft }, outcome);
    const result = outcome?.state === "published" ? "published" : "unchanged";
    const { asOf: source_as_of, isStale } = offer.origin;
    const facts = { succeeded_at: begun.begun_at, source_as_of, source_is_stale: isStale ? 1 : 0, content, draft };
    return await end(result, leftOut, facts, outcome);
  } catch (error) {
    if (error instanceof SizeError) return await end("refused", [error.message]);
    if (error instanceof ListError) return await end("refused", error.sentences);
    await end("failed", []).catch(() => undefined);
    throw error;
  }
}

/** Rejects the held draft of an earlier pull, and those of other sources that change these lists: nobody must approve them after a newer one. */
async function supersede(publisher: Publisher, earlier: number | null, source: string, lists: readonly ListName[]) {
  const { db } = publisher;
  const isOld = async ({ id, state, source: by }: CatalogueDraftRow) => {
    if (state !== "held") return false;
    if (id === earlier) return true;
    if (by === source || !catalogueSources.some(({ name }) => name === by)) return false;
    const { before, after } = await draftDocuments(db, id);
    return differingGroups(before, after).some(({ subject }) => lists.some((list) => list === subject));
  };
  for (const draft of await listWaiting(db))
    if (await isOld(draft))
      await reject(publisher, draft.id, "duba").catch((error: unknown) => {
        // Somebody decided it meanwhile.
        if (!(error instanceof CatalogueError)) throw error;
      });
}

function shortened(sentences: readonly string[]): string[] {
  const rest = sentences.length - KEPT;
  return rest > 0 ? [...sentences.slice(0, KEPT), `And ${rest} more of this kind.`] : [...sentences];
}
