import { account, orNull, reference, sentence, time } from "../../declare/command/answer-schema.ts";
import { type Form, moment } from "../../declare/command/forms.ts";
import { mend } from "../../declare/command/mend.ts";
import { formed, InputError } from "../../declare/command/read-texts.ts";
import { command, rowsAtOnce } from "../../declare/command.ts";
import { nairaText } from "../../declare/money.ts";
import Type from "../../declare/schema/type.ts";
import { count } from "../../declare/setting.ts";
import type { Audited } from "../../storage/audited.ts";
import type { CatalogueDraftRow, CatalogueRevisionRow } from "../../storage/tables.ts";
import { catalogueTrail } from "../catalogue-trail.ts";
import { countsOf, difference } from "../document/difference.ts";
import { type Conflict, threeWay } from "../document/three-way.ts";
import { CatalogueError } from "../model/catalogue-error.ts";
import { approve, checkApproval, reject } from "../revisions/decide.ts";
import { draftName, findDraft, listWaiting, type SeenDraft, whyItWaits } from "../revisions/draft.ts";
import { changesOf, draftDocuments, findRevision, listRevisions, snapshotAt } from "../revisions/load.ts";
import type { Plan } from "../revisions/review.ts";
import { beginText, changeCommand, changed, outcomeAnswer, priceChange } from "./change-answer.ts";
import { conflictTexts } from "./conflict-text.ts";
import {
  countText,
  differenceTables,
  differenceView,
  firstChanges,
  ListedChanges,
  listedChanges,
  movesOf,
} from "./difference-view.ts";
import { effectOnLookUps } from "./effect-on-look-ups.ts";
import { type CatalogueRoom, draftForm, dryRun, note, revisionForm, roomPublisher } from "./publisher.ts";

const about = {
  author: account,
  source: Type.String(),
  note: Type.String(),
  added: Type.Integer(),
  modified: Type.Integer(),
  removed: Type.Integer(),
};

/** A number that serves as a name. */
const revision = Type.Integer({ shows: "reference" });

const draftState = Type.String({ shows: "state" });

const revisionFacts = { revision, published_at: time, ...about };

const draftFacts = {
  draft: reference,
  state: draftState,
  ...about,
  reasons: Type.Array(sentence),
  created_at: time,
  holds_from: orNull(time),
  decided_by: orNull(account),
};

const described = { author: account, source: Type.String(), changes: Type.String(), note: Type.String() };
const RevisionRow = Type.Object({ revision, published_at: time, ...described });
const DraftRow = Type.Object({
  draft: reference,
  state: draftState,
  holds_from: orNull({ ...time, none: "at once" }),
  ...described,
});

const mostCards = 5;

const showHistory = command({
  id: "catalogue.history",
  title: "Revisions",
  summary: "List the drafts that wait or are scheduled, then the revisions, newest first.",
  role: "viewer",
  kind: "read",
  input: Type.Object({
    limit: formed(count, { description: "Maximum number of revisions.", placeholder: "number", default: "50" }),
    since: Type.Optional(
      formed(moment, { description: `Only revisions from this time: ${moment.form}.`, placeholder: "when" }),
    ),
    until: Type.Optional(
      formed(moment, { description: `Only revisions before this time: ${moment.form}.`, placeholder: "when" }),
    ),
    cursor: Type.Optional(
      formed(revisionForm, {
        description: "Where to go on: the cursor that the page before shows.",
        placeholder: "cursor",
      }),
    ),
  }),
  answer: Type.Object({
    served: orNull(Type.Integer()),
    waiting: Type.Array(Type.Object(draftFacts), { beside: true }),
    revisions: Type.Array(Type.Object(revisionFacts)),
    /** The cursor of the next older revisions; null if there are none. */
    next: orNull(Type.String()),
  }),
  view: ({ waiting, revisions, next }) => {
    const drafts = waiting.map((draft) => ({ ...draft, changes: countText(draft) }));
    const served = { rows: revisions.map((each) => ({ ...each, changes: countText(each) })), row: RevisionRow };
    const more = next === null ? [] : [{ more: next }];
    return [...(drafts.length > 0 ? [{ rows: drafts, row: DraftRow }, ""] : []), served, ...more];
  },
  // If only a few changes wait, the page has a card for each change.
  onPage: ({ waiting, revisions }) => [
    ...(waiting.length > mostCards
      ? [{ rows: waiting.map((draft) => ({ ...draft, changes: countText(draft) })), row: DraftRow }, ""]
      : []),
    { rows: revisions.map((each) => ({ ...each, changes: countText(each) })), row: RevisionRow },
  ],
  figures: ({ waiting, served }) =>
    [
      served === null ? "Nothing is published yet" : `Revision ${served} is served`,
      waiting.length > 0 ? `${waiting.length} ${waiting.length === 1 ? "change waits" : "changes wait"}` : [],
    ]
      .flat()
      .join("; ")
      .concat("."),
  examples: [{}, { limit: "100" }, { since: "2026-11-01", until: "2026-12-01" }],
  run: async ({ limit, since, until, cursor: before }, { db }: Audited) => {
    const [newest] = await listRevisions(db, 1);
    const found = await listRevisions(db, limit + 1, { since, until, before });
    const shown = found.slice(0, limit);
    return {
      served: newest?.number ?? null,
      waiting: (await listWaiting(db)).map(draftOf),
      revisions: shown.map(revisionOf),
      next: found.length > limit ? String(shown.at(-1)!.number) : null,
    };
  },
  rows: async function* ({ since, until }, { db }: Audited) {
    let before: number | undefined;
    do {
      const found = await listRevisions(db, rowsAtOnce, { since, until, before });
      yield found.map(revisionOf);
      before = found.length < rowsAtOnce ? undefined : found.at(-1)!.number;
    } while (before !== undefined);
  },
});

const revisionOrDraft: Form<{ revision: number } | { draft: SeenDraft }> = {
  form: "a number such as 7, or a draft such as d7",
  read: (text) => {
    const [revision, draft] = [revisionForm.read(text), draftForm.read(text)];
    return revision !== undefined ? { revision } : draft === undefined ? undefined : { draft };
  },
};

const showRevision = command({
  id: "catalogue.show",
  title: "See the change",
  summary: "Show one revision or draft: author, time, note and changes.",
  role: "viewer",
  kind: "read",
  first: firstChanges,
  target: ["revision"],
  input: Type.Object({
    revision: Type.Optional(
      formed(revisionOrDraft, {
        description: "A number such as 7, or a draft such as d7. Default: the newest revision.",
      }),
    ),
    since: Type.Optional(
      formed(revisionForm, {
        description: "Show all changes from this revision to the other.",
        placeholder: "revision",
      }),
    ),
  }),
  /** An answer about a revision has a revision's members, and one about a draft has a draft's members. */
  answer: Type.Object({
    revision: Type.Optional(revision),
    published_at: Type.Optional(time),
    draft: Type.Optional(reference),
    state: Type.Optional(draftState),
    ...about,
    reasons: Type.Optional(draftFacts.reasons),
    created_at: Type.Optional(time),
    holds_from: Type.Optional(draftFacts.holds_from),
    decided_by: Type.Optional(draftFacts.decided_by),
    changes: ListedChanges,
  }),
  view: ({ changes, ...facts }) => [{ record: facts }, "", ...differenceView(changes)],
  onPage: ({ changes, ...facts }) => [
    { record: facts },
    "",
    ...differenceTables(changes, facts.draft === undefined, true),
  ],
  examples: [{ revision: "7" }, { revision: "d7" }, { since: "6" }, { revision: "6", since: "3" }],
  run: async ({ revision: named, since }, room: CatalogueRoom) => {
    const { db } = room;
    if (named && "draft" in named) {
      if (since !== undefined) throw new InputError("A draft has no changes since a revision. Name a revision.");
      const draft = await findDraft(db, named.draft.id);
      return { ...draftOf(draft), changes: listedChanges(await changesOf(db, draft.id)) };
    }
    const newest = await roomPublisher(room).latest();
    const revision = await findRevision(db, named?.revision ?? newest.revision);
    const changes =
      since === undefined
        ? await changesOf(db, revision.draft)
        : await difference(await snapshotAt(db, newest, since), await snapshotAt(db, newest, revision.number));
    return { ...revisionOf(revision), changes: listedChanges(changes) };
  },
});

const revertRevision = priceChange({
  id: "catalogue.revert",
  title: "Revert…",
  summary: "Undo a revision with a new revision.",
  description:
    "Entries that changed again later do not change, and the answer lists them. " +
    "A revert may wait for approval like any other change.",
  role: "operator",
  mayBeDanger: true,
  target: ["revision"],
  input: Type.Object({
    revision: formed(revisionForm, { description: "Number of the revision to undo." }),
    dry_run: dryRun,
    note,
  }),
  examples: [
    { revision: "7", dry_run: true },
    { revision: "7", note: "wrong file" },
  ],
  run: async ({ revision, dry_run, note = `Undoes revision ${revision}` }, room: CatalogueRoom) => {
    const { draft } = await findRevision(room.db, revision);
    const { before, after } = await draftDocuments(room.db, draft);
    let conflicts: readonly Conflict[] = [];
    const plan: Plan = async (base) => {
      const undone = await threeWay(after, before, base);
      conflicts = undone.conflicts;
      return undone.document;
    };
    const answer = await changed(room, plan, { source: "revert", note, dry_run });
    const left_out = conflictTexts(conflicts, "revert");
    if (answer.state === "unchanged")
      throw new CatalogueError([...left_out, `Revision ${revision} has no changes to undo.`].join("\n"));
    return { ...answer, left_out };
  },
});

const draft = formed(draftForm, { description: "A draft such as d7. `duba catalogue history` lists the drafts." });

type ApprovingRoom = CatalogueRoom & { config: { fourEyes: boolean } };

const approveDraft = command({
  ...changeCommand,
  id: "catalogue.approve",
  title: "Approve…",
  summary: "Publish a draft that waits for approval.",
  description:
    "If later changes of the catalogue alter the difference, the draft gets a new name, such as d7.2, " +
    "which shows the new one. You approve what you name, " +
    "so nobody publishes a difference that only others saw.",
  role: "officer",
  kind: "change",
  gives: "money",
  mayBeDanger: true,
  target: ["draft"],
  fits: ({ state = "held" }) => state === "held",
  input: Type.Object({ draft }),
  examples: [{ draft: "d7" }],
  view: (answer, { at }) =>
    answer.state !== "recomputed"
      ? changeCommand.view(answer, { at })
      : [
          ...differenceView(answer.changes ?? []),
          "",
          {
            problem: "The catalogue has changed since this draft was made. The difference above is the new one.",
            mends: [
              mend("If it is correct, approve it by its new name", "catalogue.approve", { draft: answer.draft! }),
            ],
          },
        ],
  effect: async ({ draft }, room: ApprovingRoom) => {
    await checkFourEyes(room, draft);
    const found = await checkApproval(roomPublisher(room), draft.id, draft.version);
    if (found.state === "empty") throw closed(draft);
    if (found.state === "ready") {
      const { changes } = found.proposal;
      const shown = listedChanges(changes);
      const moves = movesOf(shown).moves.slice(0, 3);
      const { says, isDanger } = await effectOnLookUps(room, shown, beginText(found.row.holds_from));
      return {
        says: [`It makes these changes: ${countText(countsOf(changes))}.`, ...says],
        ...(isDanger && { isDanger }),
        moves: moves.map(({ entry, was, now }) => ({ what: entry, before: nairaText(was), after: nairaText(now) })),
      };
    }
    const now = draftName(found.seen);
    throw new CatalogueError(
      `The catalogue has changed since ${draftName(draft)} was made, so its difference is another one. If it is correct, approve it by its new name, ${now}.`,
      mend("See it", "catalogue.show", { revision: now }),
    );
  },
  run: async ({ draft }, room: ApprovingRoom) => {
    await checkFourEyes(room, draft);
    const approval = await approve(roomPublisher(room), draft.id, room.actor, draft.version);
    if (approval.state === "empty") throw closed(draft);
    return outcomeAnswer(approval);
  },
});

/** Throws a `CatalogueError` if four eyes are on and this person may not approve the draft. */
async function checkFourEyes({ config, actor, db }: ApprovingRoom, { id }: SeenDraft): Promise<void> {
  if (!config.fourEyes) return;
  if (!actor.startsWith("person:"))
    throw new CatalogueError("DUBA_FOUR_EYES is on, so a person must approve it in the console.");
  if ((await findDraft(db, id)).author === actor)
    throw new CatalogueError(`You made d${id}. DUBA_FOUR_EYES is on, so another person must approve it.`);
}

function closed(draft: SeenDraft): CatalogueError {
  return new CatalogueError(
    `${draftName(draft)} has no effect any more: the catalogue already has its changes. The draft is closed.`,
  );
}

const rejectDraft = command({
  id: "catalogue.reject",
  title: "Reject…",
  summary: "Close a draft that waits or is scheduled. Duba never publishes it.",
  role: "operator",
  kind: "change",
  target: ["draft"],
  fits: ({ state = "held" }) => state === "held" || state === "scheduled",
  input: Type.Object({ draft }),
  answer: Type.Object({ draft: reference }),
  view: ({ draft }) => [`${draft} is rejected. The served catalogue does not change.`],
  records: [catalogueTrail.rejected],
  examples: [{ draft: "d7" }],
  run: async ({ draft }, room: CatalogueRoom) => {
    await reject(roomPublisher(room), draft.id, room.actor);
    return { draft: draftName(draft) };
  },
});

export const revisionCommands = [showHistory, showRevision, revertRevision, approveDraft, rejectDraft];

function revisionOf({ number, created_at, draft: _, ...row }: CatalogueRevisionRow) {
  return { ...row, revision: number, published_at: created_at };
}

function draftOf(row: CatalogueDraftRow) {
  return { ...row, draft: draftName(row), reasons: whyItWaits(row) };
}
