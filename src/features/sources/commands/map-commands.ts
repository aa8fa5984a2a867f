import { type CatalogueRoom, roomPublisher } from "../../../catalogue/commands/publisher.ts";
import { CatalogueError } from "../../../catalogue/model/catalogue-error.ts";
import { foldCase } from "../../../catalogue/model/codes.ts";
import { disagrees } from "../../../catalogue/model/looks.ts";
import { itemIn, type Snapshot } from "../../../catalogue/model/snapshot.ts";
import { soldLists } from "../../../catalogue/model/supply.ts";
import { orNull, reference, state, time } from "../../../declare/command/answer-schema.ts";
import { mend } from "../../../declare/command/mend.ts";
import { InputError } from "../../../declare/command/read-texts.ts";
import { command } from "../../../declare/command.ts";
import Type from "../../../declare/schema/type.ts";
import { Decisions, decisionOf } from "../mapping/decision.ts";
import { Mapping, type MappingRow, within } from "../mapping/mapping.ts";
import { decideMapping, mappingRows, noteDoubts, readMapping, writeProposals } from "../mapping/mapping-rows.ts";
import { inOwnCodes, type Proposal } from "../mapping/own-codes.ts";
import { sourcesTrail } from "../sources-trail.ts";
import { offerOf } from "../sync/offer.ts";
import { catalogueSources } from "../vendors/every-source.ts";
import { importMapping, ownCodeForm } from "./map-file-command.ts";
import { LONGEST_PULL, nothingFrom, openChosen, type SourceRoom } from "./source-commands.ts";

const names = catalogueSources.map(({ name }) => name);
const source = Type.Enum(names, { description: "The source." });
const list = Type.Enum(soldLists, { description: "The list." });
const someList = Type.Optional(Type.Enum(soldLists, { description: "Only this list." }));
const states = ["proposed", "unclear", "approved", "never"] as const;
const isWanted = (wanted: string | undefined, value: string) => wanted === undefined || wanted === value;

const listMapping = command({
  id: "catalogue.map.list",
  title: "Matched codes",
  summary: "List which entry of the catalogue is the one of a source, and what waits for a mapping.",
  description:
    "proposed: Duba found one of the same size, validity and words, or nothing like it. unclear: " +
    "several look alike, something differs, its code is taken, or the source gives another entry under a code that " +
    "somebody mapped, so a person must name one. approved and never: somebody decided.",
  role: "viewer",
  kind: "read",
  input: Type.Object({
    source: Type.Optional(Type.Enum(names, { description: "Only this source." })),
    list: someList,
    state: Type.Optional(Type.Enum(states, { description: "Only this state." })),
  }),
  answer: Type.Array(
    Type.Object({
      source: Type.String(),
      list: Type.String(),
      /** The name is not `code`, because that is our code in other tables. */
      source_code: reference,
      about: Type.String(),
      state: state(states),
      /** Our code within the provider or product. */
      own: orNull(reference),
      /** Whether this source adds our entry. */
      is_new: Type.Boolean(),
      why: Type.String(),
      decided_by: orNull(Type.String()),
      decided_at: orNull(time),
    }),
  ),
  none: "No entry of a source is mapped, or waits for that.",
  noneThen: { says: "Entries come with the first pull from a source.", by: "sources.pull" },
  examples: [{}, { source: "ebills", state: "unclear" }],
  run: async ({ source, list, state }, { db }: CatalogueRoom) =>
    (await mappingRows(db, source))
      .filter((row) => isWanted(list, row.list) && isWanted(state, row.state))
      .map((row) => ({ ...row, source_code: row.code, is_new: row.is_new === 1 })),
});

const proposeMapping = command({
  id: "catalogue.map.propose",
  title: "Match codes…",
  summary: "Ask a source for its lists, and propose which entry of the catalogue each is. Nothing else changes.",
  description: "Each pull does the same for a source that is followed. Use it before you change the source.",
  role: "operator",
  kind: "change",
  calls: true,
  target: ["source"],
  fits: () => false,
  input: Type.Object({ source }),
  answer: Type.Object({
    source: Type.String(),
    proposed: Type.Integer(),
    /** How many of the proposals are for entries that the catalogue does not have. */
    new: Type.Integer(),
    /** How many a person must decide, including decided entries that the source has changed since. */
    unclear: Type.Integer(),
    /** How many add-ons wait until their product is mapped. */
    waiting: Type.Integer(),
  }),
  view: ({ source, proposed, new: added, unclear, waiting }) => [
    `${proposed - added} entries of ${source} are proposed as yours, ${added} as new, and ${unclear} are left to you.`,
    ...(waiting > 0 ? [`${waiting} wait for the mapping of their products: approve those, and propose again.`] : []),
    { note: "", mends: [mend("See them", "catalogue.map.list", { source })] },
  ],
  records: [sourcesTrail.proposed],
  examples: [{ source: "ebills" }],
  run: async ({ source: name }, room: SourceRoom) => {
    const publisher = roomPublisher(room);
    const { close, ...source } = await openChosen(name, room);
    try {
      const offer = await offerOf(source, AbortSignal.timeout(LONGEST_PULL));
      if ("kind" in offer) throw nothingFrom(source, [offer.sentence]);
      const mapping = (await readMapping(room.db)).withOwnNames();
      const { proposals, decided, orphans } = await inOwnCodes(await publisher.latest(), offer, name, mapping);
      const lists = [...offer.lists, ...offer.parents].map(({ list }) => list);
      await writeProposals(room.db, name, lists, proposals);
      await noteDoubts(room.db, name, decided);
      const proposed = proposals.filter(({ state }) => state === "proposed");
      const unclear = [...proposals, ...decided].filter(({ state }) => state === "unclear").length;
      const facts = { source: name, proposed: proposed.length, unclear };
      await room.db.transaction().execute((trx) => room.audit(trx, sourcesTrail.proposed(room.actor, facts)));
      return { ...facts, new: proposed.filter(({ is_new }) => is_new === 1).length, waiting: orphans };
    } finally {
      close();
    }
  },
});

const MapAnswer = Type.Object({ source: Type.String(), entries: Type.Integer(), left: Type.Integer() });
const served = ({ source }: { source: string }) => ({
  note: `The next pull serves it, if ${source} is followed.`,
  mends: [mend("To pull now", "sources.pull", { name: source })],
});

const approveMapping = command({
  id: "catalogue.map.approve",
  title: "Approve matches…",
  summary: "Approve what is proposed for a source: one entry, or all of a list or of the source.",
  description: "From then on the lists of these entries keep their codes, whatever source you follow.",
  role: "operator",
  kind: "change",
  gives: "money",
  target: ["source", "list", "source_code"],
  fits: ({ state }) => state === "proposed",
  input: Type.Object({
    source,
    list: someList,
    source_code: Type.Optional(
      Type.String({ description: "The codes at the source, such as MTNDATA 231. Default: all.", placeholder: "codes" }),
    ),
  }),
  answer: MapAnswer,
  view: (answer) => [
    `${answer.entries} entries of ${answer.source} are approved.`,
    ...(answer.left > 0
      ? [
          {
            problem: `${answer.left} are not what they were any more.`,
            mends: [mend("Look again", "catalogue.map.propose", { source: answer.source })],
          },
        ]
      : []),
    served(answer),
  ],
  isWell: ({ left }) => left === 0,
  records: [sourcesTrail.mapped],
  examples: [{ source: "ebills" }, { source: "ebills", list: "data-bundles", source_code: "MTNDATA 231" }],
  effect: async (input, room: CatalogueRoom) => {
    (await approving(input, room))(await mappingRows(room.db));
    return { says: [] };
  },
  run: async (input, room: CatalogueRoom) => {
    const { source } = input;
    const choose = await approving(input, room);
    let left = 0;
    const done = await decideMapping(roomPublisher(room), source, (rows) => {
      const { fit, open } = choose(rows);
      left = open.length - fit.length;
      return fit.map(({ decided_by: _, decided_at: __, ...row }) => ({ ...row, state: "approved" }));
    });
    return { source, entries: done.length, left };
  },
});

/** Returns a function that picks from all rows the proposals to approve, if these still fit the catalogue. */
async function approving(
  { source, list, source_code: code }: { source: string; list?: Proposal["list"]; source_code?: string },
  room: CatalogueRoom,
) {
  const base = await roomPublisher(room).latest();
  const { names } = await readMapping(room.db);
  return (rows: readonly MappingRow[]) => {
    const mapping = new Mapping(rows, names).withOwnNames();
    const open = rows.filter(
      (row) =>
        row.source === source &&
        row.state === "proposed" &&
        isWanted(list, row.list) &&
        isWanted(code && foldCase(code), row.code),
    );
    if (code !== undefined && open.length === 0)
      throw new CatalogueError(
        `Nothing is proposed for ${code} of ${source}.`,
        mend("See", "catalogue.map.list", { source }),
      );
    const decisions = new Decisions(
      rows.filter((row) => row.source === source),
      open,
    );
    return { open, fit: open.filter((row) => !problemIn(row, base, mapping, decisions)) };
  };
}

const setMapping = command({
  id: "catalogue.map.set",
  title: "Match a code by hand…",
  summary: "Name our code of an entry of a source, or none if it shall never be served.",
  description:
    "From then on the list keeps its codes, whatever source you follow. Each code of ours has one entry of a source.",
  role: "operator",
  kind: "change",
  gives: "money",
  target: ["source", "list", "source_code", "own"],
  input: Type.Object({
    source,
    list,
    source_code: Type.String({ description: "The codes at the source, such as MTNDATA 231.", placeholder: "codes" }),
    own: Type.String({
      description:
        "Our code below the same provider or product, such as 104: a known or a new one. none: never serve it.",
      placeholder: "code",
    }),
  }),
  answer: MapAnswer,
  view: (answer) => [`${answer.entries} entries of ${answer.source} are mapped.`, served(answer)],
  records: [sourcesTrail.mapped],
  examples: [
    { source: "ebills", list: "data-bundles", source_code: "MTNDATA 231", own: "104" },
    { source: "ebills", list: "data-bundles", source_code: "MTNDATA 232", own: "none" },
  ],
  effect: async (input, room: CatalogueRoom) => {
    (await setting(input, room))(await mappingRows(room.db));
    return { says: [] };
  },
  run: async (input, room: CatalogueRoom) => {
    const { source } = input;
    await decideMapping(roomPublisher(room), source, await setting(input, room));
    return { source, entries: 1, left: 0 };
  },
});

/** Returns a function that decides, given all rows, about one entry of a source. */
async function setting(
  {
    source,
    list,
    source_code: text,
    own,
  }: { source: string; list: Proposal["list"]; source_code: string; own: string },
  room: CatalogueRoom,
) {
  if (!ownCodeForm.test(own)) throw new InputError("The own code must be one code without spaces, or none.");
  const base = await roomPublisher(room).latest();
  const { names } = await readMapping(room.db);
  return (rows: readonly MappingRow[]) => {
    const decisions = new Decisions(rows.filter((row) => row.source === source));
    return [decisionOf({ source, list, text, own }, decisions, new Mapping(rows, names).withOwnNames(), base)];
  };
}

/** Whether a proposal no longer fits the catalogue. */
function problemIn(row: MappingRow, base: Snapshot, mapping: Mapping, decisions: Decisions): boolean {
  const { source, list, code, own, is_new, looks, about } = row;
  const group = mapping.groupOf(source, list, code);
  if (typeof group !== "string" || decisions.ownerOf(row)) return true;
  const item = itemIn(base, list, within(group, foldCase(own!)));
  if (item === undefined || is_new === 1) return (item === undefined) !== (is_new === 1);
  return looks !== null && disagrees({ looks, about }, item.content);
}

export const mapCommands = [listMapping, proposeMapping, approveMapping, setMapping, importMapping];
