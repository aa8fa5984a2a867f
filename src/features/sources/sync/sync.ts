import { differingGroups } from "../../../catalogue/document/difference.ts";
import { ListError, withLists } from "../../../catalogue/document/replace-lists.ts";
import { CatalogueError } from "../../../catalogue/model/catalogue-error.ts";
import type { Snapshot } from "../../../catalogue/model/snapshot.ts";
import type { Teller } from "../../../catalogue/model/supply.ts";
import { reject } from "../../../catalogue/revisions/decide.ts";
import { listWaiting } from "../../../catalogue/revisions/draft.ts";
import type { Publisher } from "../../../catalogue/revisions/expected.ts";
import { nameLists } from "../../../catalogue/revisions/list-codes.ts";
import { draftDocuments } from "../../../catalogue/revisions/load.ts";
import { type PublishOutcome, publish } from "../../../catalogue/revisions/publish.ts";
import type { Plan } from "../../../catalogue/revisions/review.ts";
import { SizeError } from "../../../catalogue/revisions/review.ts";
import type { ListName } from "../../../lists/index.ts";
import type { CatalogueDraftRow, CatalogueSourceRow } from "../../../storage/tables.ts";
import type { Mapping } from "../mapping/mapping.ts";
import { gaveLast, noteDoubts, noteGiver, readMapping, writeProposals } from "../mapping/mapping-rows.ts";
import { inOwnCodes } from "../mapping/own-codes.ts";
import type { Offer } from "../offered.ts";
import { catalogueSources } from "../vendors/every-source.ts";
import { fitting } from "./fit.ts";
import { offerHash, offerOf, type SyncSource } from "./offer.ts";
import { endSync, isHeld, type SyncResult } from "./record.ts";

/** The most sentences that we keep of one pull. */
const KEPT = 20;

/**
 * The part of an offer that the catalogue takes, as lists under our codes, and the rest in `leftOut`. The result is
 * computed once while the catalogue is unchanged.
 */
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

/** The plan that replaces the lists that the source covers. `told`: the author and time of the supply facts. */
export function planOf(take: ReturnType<typeof takingFrom>, told: Teller): Plan {
  return async (base) =>
    withLists(
      base,
      (await take(base)).lists.map((list) => ({ ...list, told })),
    );
}

/** Holds formulas from a source, because somebody may open the catalogue in a spreadsheet. */
export function withSourceGuard(publisher: Publisher): Publisher {
  return { ...publisher, guard: { ...publisher.guard, holdFormulas: true } };
}

export interface SyncOptions {
  author: string;
  /** Compares even unchanged content of the source with the catalogue, and so undoes later changes by people. */
  again: boolean;
  signal: AbortSignal;
}

/** A pull that has ended. */
export interface SyncEnd {
  readonly record: CatalogueSourceRow;
  /** Sentences about the result. */
  readonly sentences: readonly string[];
  /** The outcome for the source's content, if the pull compared that content with the catalogue. */
  readonly outcome?: PublishOutcome;
}

/**
 * Runs a pull that `beginSync` started. The source's lists are published as one revision, wait for approval, or change
 * nothing. New content replaces the waiting draft of an earlier pull, which is rejected. Throws only errors of Duba
 * itself, such as an absent store.
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
    const take = takingFrom(offer, source.name, mapping);
    const content = await offerHash(offer, mapping.textOf(source.name));
    const given = offer.lists.map(({ list }) => list);
    const isKnown = !again && content === begun.content && (await gaveLast(db, source.name, given));
    const outcome = isKnown
      ? undefined
      : await publish(withSourceGuard(publisher), planOf(take, { at: now(), by: source.name }), {
          author,
          source: source.name,
          note: "",
        });
    const draft = outcome ? heldDraft(outcome) : (await isHeld(db, begun.draft)) ? begun.draft : null;
    if (outcome) await noteOutcome(publisher, source.name, offer, begun.draft, draft);
    const taken = await take(await publisher.latest());
    await noteMapped(db, source.name, offer, mapping, taken);
    const result = resultOf(outcome, draft, taken.isPartly);
    const { asOf: source_as_of, isStale } = offer.origin;
    const isWhole = result === "published" || result === "unchanged";
    const age = { succeeded_at: begun.begun_at, source_as_of, source_is_stale: isStale ? 1 : 0 };
    return await end(result, taken.leftOut, { ...(isWhole && age), content, draft }, outcome);
  } catch (error) {
    if (error instanceof SizeError) return await end("refused", [error.message]);
    if (error instanceof ListError) return await end("refused", error.sentences);
    await end("failed", []).catch(() => undefined);
    throw error;
  }
}

/** The draft of an outcome that waits for approval; null if there is none. */
function heldDraft(outcome: PublishOutcome): number | null {
  return outcome.state === "held" ? outcome.draft : null;
}

function resultOf(outcome: PublishOutcome | undefined, draft: number | null, isPartly: boolean): SyncResult {
  if (draft !== null) return "held";
  if (isPartly) return "unmapped";
  return outcome?.state === "published" ? "published" : "unchanged";
}

/**
 * Notes the source of the catalogue's current lists, and rejects drafts that this offer replaces. `earlier`: the draft
 * of the previous pull.
 */
async function noteOutcome(
  publisher: Publisher,
  source: string,
  { lists }: Offer,
  earlier: number | null,
  draft: number | null,
): Promise<void> {
  const { db, now } = publisher;
  const given = lists.map(({ list }) => list);
  await noteGiver(db, source, given, now());
  await supersede(publisher, earlier, source, given);
  const filled = lists.filter(({ contents }) => contents.length > 0).map(({ list }) => list);
  if (draft === null) await nameLists(db, source, filled, now());
}

/** Stores proposals for the source's codes, and the decisions in doubt. */
async function noteMapped(
  db: Publisher["db"],
  source: string,
  { lists, parents }: Offer,
  { names }: Mapping,
  { proposals, decided }: Awaited<ReturnType<ReturnType<typeof takingFrom>>>,
): Promise<void> {
  const mapped = [...lists, ...parents].map(({ list }) => list).filter((list) => names.has(list));
  await writeProposals(db, source, mapped, proposals);
  await noteDoubts(db, source, decided);
}

/**
 * Rejects the held draft of an earlier pull, and drafts of other sources that change these lists, because nobody should
 * approve them after a newer offer.
 */
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
        // Somebody has decided about the draft meanwhile.
        if (!(error instanceof CatalogueError)) throw error;
      });
}

function shortened(sentences: readonly string[]): string[] {
  const rest = sentences.length - KEPT;
  return rest > 0 ? [...sentences.slice(0, KEPT), `And ${rest} more of this kind.`] : [...sentences];
}
