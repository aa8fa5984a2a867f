import { type Part, reference, sentence, state, time, type Viewing } from "../../declare/command/answer-schema.ts";
import { mend } from "../../declare/command/mend.ts";
import { joinTexts, type RichText, richText, type Text } from "../../declare/command/rich-text.ts";
import { type Command, type CommandTexts, command, type Effect, type Specification } from "../../declare/command.ts";
import Type, { type Static, type TObject } from "../../declare/schema/type.ts";
import { catalogueTrail } from "../catalogue-trail.ts";
import { countsOf } from "../document/difference.ts";
import type { Approval } from "../revisions/decide.ts";
import { type About, draftName, withAccounts } from "../revisions/draft.ts";
import { type PublishOutcome, preview, publish } from "../revisions/publish.ts";
import type { Plan } from "../revisions/review.ts";
import { countText, differenceView, firstChanges, ListedChanges, listedChanges, movesOf } from "./difference-view.ts";
import { type EntryChange, effectOnLookUps } from "./effect-on-look-ups.ts";
import { type CatalogueRoom, roomPublisher } from "./publisher.ts";

/** The result of a change of the catalogue, or what a dry run would change. */
export const ChangeAnswer = Type.Object({
  state: state(["published", "unchanged", "held", "scheduled", "recomputed", "dry run"]),
  revision: Type.Optional(Type.Integer()),
  draft: Type.Optional(reference),
  holds_from: Type.Optional(time),
  /** Why the change waits, or would wait, for approval. */
  reasons: Type.Optional(Type.Array(sentence)),
  added: Type.Optional(Type.Integer()),
  modified: Type.Optional(Type.Integer()),
  removed: Type.Optional(Type.Integer()),
  changes: Type.Optional(ListedChanges),
  /** Set by a pull if entries that clients see stay unchanged while entries of the source wait for a mapping. */
  unmapped: Type.Optional(Type.Boolean()),
  /** Sentences about what the change left unchanged or left out. */
  left_out: Type.Optional(Type.Array(Type.String())),
  /** A sentence about a group's price that is below the cost of an entry, which its members pay instead. */
  at_cost: Type.Optional(Type.String()),
});

type Answer = Static<typeof ChangeAnswer>;

/** The common parts of commands with this response. */
export const changeCommand = {
  answer: ChangeAnswer,
  view: changeView,
  first: firstChanges,
  figures: figuresOf,
  does: (answer: Answer) => publishes(answer, "change"),
  isWell: ({ state, unmapped }: Answer) => state !== "held" && state !== "recomputed" && !unmapped,
  records: [catalogueTrail.revised, catalogueTrail.held, catalogueTrail.scheduled],
};

/** The label of a form's button after this dry run, such as "Publish 30 prices". */
export function publishes({ state, added = 0, modified = 0, removed = 0 }: Answer, what: string): string | undefined {
  const all = added + modified + removed;
  return state === "dry run" && all > 0 ? `Publish ${counted(all, what)}` : undefined;
}

/** Summarises the changes, such as "30 prices rise by 3.1 % on average, 2 other changes". */
function figuresOf({ changes = [] }: Answer): string {
  const { moves, others } = movesOf(changes);
  const share = moves.reduce((sum, { was, now }) => sum + (now / was - 1) * 100, 0) / moves.length;
  const verb = `${share < 0 ? "fall" : "rise"}${moves.length === 1 ? "s" : ""}`;
  const mean = `${Math.abs(Math.round(share * 10) / 10).toLocaleString("en")} %${moves.length === 1 ? "" : " on average"}`;
  return [
    moves.length === 0 ? [] : `${counted(moves.length, "price")} ${verb} by ${mean}`,
    others === 0 ? [] : counted(others, moves.length === 0 ? "change" : "other change"),
  ]
    .flat()
    .join(", ");
}

const counted = (count: number, what: string) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;

type Found = Pick<Answer, "added" | "modified" | "removed"> & {
  readonly reasons?: readonly Text[];
  readonly changes?: readonly EntryChange[];
};

/** Runs the dry run for the confirming person. Throws the errors of the dry run. */
async function effectOf(
  room: CatalogueRoom,
  holdsFrom: number | undefined,
  dryRun: () => Promise<Found>,
): Promise<Effect> {
  const { reasons = [], changes = [], added = 0, modified = 0, removed = 0 } = await dryRun();
  const waits = reasons.length > 0;
  const { says, isDanger } = await effectOnLookUps(
    room,
    changes,
    waits ? richText`once it is approved` : beginText(holdsFrom),
  );
  const counts = `It makes these changes: ${countText({ added, modified, removed })}.`;
  return {
    says: [counts, ...(waits ? ["It will wait for approval."] : []), ...says],
    ...(isDanger && !waits && { isDanger }),
  };
}

/** Says when a change takes effect: at once, or from a later time. */
export function beginText(holdsFrom: number | null | undefined): RichText {
  return holdsFrom ? richText`from ${{ time: holdsFrom }} on` : richText`at once`;
}

/** Declares a command that changes the prices of clients. Its dry run changes nothing. */
export function priceChange<Input extends TObject, Room extends CatalogueRoom>(
  specification: Omit<
    Specification<Input, typeof ChangeAnswer, Room>,
    Exclude<keyof typeof changeCommand, "does" | "isWell"> | "kind" | "gives"
  > &
    CommandTexts<Input>,
): Command<Room> {
  const { run } = specification;
  const isDryRun = (input: Static<Input>) => (input as { dry_run?: boolean }).dry_run === true;
  return command({
    givesNothing: isDryRun,
    effect: async (input, room) =>
      isDryRun(input)
        ? { says: [] }
        : effectOf(room, (input as { holds_from?: number }).holds_from, () =>
            run({ ...(input as object), dry_run: true } as Static<Input>, room),
          ),
    ...changeCommand,
    ...specification,
    kind: "change",
    gives: "money",
  });
}

/** Publishes the changes of a plan as one revision, or only shows the changes. */
export async function changed(
  room: CatalogueRoom,
  plan: Plan,
  {
    dry_run,
    holds_from: holdsFrom,
    ...about
  }: Pick<About, "source" | "note"> & { dry_run?: true | undefined; holds_from?: number | undefined },
): Promise<Answer> {
  const publisher = roomPublisher(room);
  if (dry_run) return previewAnswer(await preview(publisher, plan, { holdsFrom }));
  return outcomeAnswer(await publish(publisher, plan, { ...about, author: room.actor, holdsFrom }));
}

export function outcomeAnswer(outcome: PublishOutcome | Exclude<Approval, { state: "empty" }>): Answer {
  if (outcome.state === "unchanged") return outcome;
  const { state, changes, ...facts } = outcome;
  return {
    state,
    ...("revision" in facts && { revision: facts.revision }),
    ...("draft" in facts && { draft: `d${facts.draft}` }),
    ...("seen" in facts && { draft: draftName(facts.seen) }),
    ...("holdsFrom" in facts && { holds_from: facts.holdsFrom }),
    ...("reasons" in facts && { reasons: facts.reasons.map(withAccounts) }),
    ...countsOf(changes),
    changes: listedChanges(changes),
  };
}

export function previewAnswer({ changes, reasons, expected }: Awaited<ReturnType<typeof preview>>): Answer {
  return {
    state: "dry run",
    revision: expected.newest.revision,
    reasons: reasons.map(withAccounts),
    ...countsOf(changes),
    changes: listedChanges(changes),
  };
}

function changeView(
  { changes, left_out = [], at_cost: atCost, ...answer }: Answer,
  { at }: Pick<Viewing, "at">,
): Part[] {
  const notes = [...left_out, atCost ?? []].flat().map((note) => ({ note }));
  const difference = changes ? differenceView(changes, answer.state === "published") : [];
  if (answer.state === "dry run") return [...difference, ...notes, ...dryRunNotes(answer)];
  const isTold = !answer.unmapped || answer.state !== "unchanged";
  return [
    ...[...notes, ...difference, ...(changes ? [""] : [])],
    ...(isTold ? [verdict(answer, at)] : []),
    ...(answer.unmapped ? [{ problem: waitsForMapping }] : []),
  ];
}

const waitsForMapping = "Entries of the source wait for a mapping, and entries that clients see stay as they were.";

function dryRunNotes({ reasons = [] }: Answer): Part[] {
  const waits = richText`This change would wait for approval:\n${linesOf(reasons)}`;
  return [...(reasons.length > 0 ? [{ note: waits }] : []), { note: "Nothing was changed: this was a dry run." }];
}

function linesOf(reasons: readonly Text[]): RichText {
  return joinTexts(
    reasons.map((reason) => richText`  ${reason as RichText}`),
    "\n",
  );
}

function verdict({ state, revision, draft, holds_from, reasons = [], ...counts }: Answer, at: Viewing["at"]): Part {
  const { added = 0, modified = 0, removed = 0 } = counts;
  const text = countText({ added, modified, removed });
  switch (state) {
    case "published":
      return `Revision ${revision} is published: ${text}.`;
    case "scheduled":
      return `Scheduled as ${draft}: ${text}, from ${at(holds_from ?? null)} on.`;
    case "held":
      return {
        problem: richText`This change waits for approval as ${draft!}. Duba does not serve it yet:\n${linesOf(reasons)}`,
        mends: [
          mend("To publish it", "catalogue.approve", { draft: draft! }),
          mend("To reject it", "catalogue.reject", { draft: draft! }),
        ],
      };
    default:
      return `Nothing changed: revision ${revision} of the catalogue is already the same.`;
  }
}
