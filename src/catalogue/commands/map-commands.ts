import { orNull, reference, state, time } from "../../operation/command/answer-schema.ts";
import { InputError } from "../../operation/command/read-texts.ts";
import { command } from "../../operation/command.ts";
import Type from "../../operation/schema/type.ts";
import { catalogueSources } from "../../upstreams/registry.ts";
import { Mapping, type MappingRow, within } from "../mapping/mapping.ts";
import { decideMapping, mappingRows, readMapping, writeProposals } from "../mapping/mapping-rows.ts";
import { inOwnCodes, type Proposal } from "../mapping/own-codes.ts";
import { CatalogueError } from "../model/catalogue-error.ts";
import { foldCase } from "../model/codes.ts";
import { groupOf, listShapeOf } from "../model/lists.ts";
import { rememberedOf } from "../model/looks.ts";
import { itemIn, type Snapshot } from "../model/snapshot.ts";
import { soldLists } from "../model/supply.ts";
import { offerOf } from "../sync/offer.ts";
import { type CatalogueRoom, roomPublisher } from "./publisher.ts";
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
    "proposed: Duba found one that looks like it, or nothing like it. unclear: several look alike, its code is taken, or the source gives another entry under a code that somebody mapped, so a person must name " +
    "one. approved and never: somebody decided.",
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
  answer: Type.Object({ source: Type.String(), proposed: Type.Integer(), unclear: Type.Integer() }),
  view: ({ source, proposed, unclear }) => [
    `${proposed} entries of ${source} are proposed, and ${unclear} are left to you.`,
    { note: `See them: duba catalogue map list --source ${source}` },
  ],
  records: ["catalogue.proposed"],
  examples: [{ source: "ebills" }],
  run: async ({ source: name }, room: SourceRoom) => {
    const publisher = roomPublisher(room);
    const { close, ...source } = await openChosen(name, room);
    try {
      const offer = await offerOf(source, AbortSignal.timeout(LONGEST_PULL));
      if ("kind" in offer) throw nothingFrom(source, [offer.sentence]);
      const mapping = (await readMapping(room.db)).withOwnNames();
      const { proposals } = await inOwnCodes(await publisher.latest(), offer, name, mapping);
      const lists = [...offer.lists, ...offer.parents].map(({ list }) => list);
      await writeProposals(room.db, name, lists, proposals);
      const count = (state: string) => proposals.filter((row) => row.state === state).length;
      const facts = { source: name, proposed: count("proposed"), unclear: count("unclear") };
      await room.db
        .transaction()
        .execute((trx) => room.audit(trx, { kind: "catalogue.proposed", actor: room.actor, facts }));
      return facts;
    } finally {
      close();
    }
  },
});

const MapAnswer = Type.Object({ source: Type.String(), entries: Type.Integer(), left: Type.Integer() });
const served = ({ source }: { source: string }) => ({
  note: `The next pull serves it, if ${source} is followed: duba sources pull ${source}`,
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
            problem: `${answer.left} are not what they were any more. Look again: duba catalogue map propose ${answer.source}`,
          },
        ]
      : []),
    served(answer),
  ],
  isWell: ({ left }) => left === 0,
  records: ["catalogue.mapped"],
  examples: [{ source: "ebills" }, { source: "ebills", list: "data-bundles", source_code: "MTNDATA 231" }],
  run: async ({ source, list, source_code: code }, room: CatalogueRoom) => {
    const publisher = roomPublisher(room);
    const base = await publisher.latest();
    const { names } = await readMapping(room.db);
    let left = 0;
    const done = await decideMapping(publisher, source, (rows) => {
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
          `Nothing is proposed for ${code} of ${source}. See: duba catalogue map list --source ${source}`,
        );
      const fit = open.filter((row) => !problemIn(row, base, mapping, rows));
      left = open.length - fit.length;
      return fit.map(({ decided_by: _, decided_at: __, ...row }) => ({ ...row, state: "approved" }));
    });
    return { source, entries: done.length, left };
  },
});

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
  records: ["catalogue.mapped"],
  examples: [
    { source: "ebills", list: "data-bundles", source_code: "MTNDATA 231", own: "104" },
    { source: "ebills", list: "data-bundles", source_code: "MTNDATA 232", own: "none" },
  ],
  run: async ({ source, list, source_code: text, own }, room: CatalogueRoom) => {
    if (!/^[!-~]{1,64}$/.test(own)) throw new InputError("The own code must be one code without spaces, or none.");
    const publisher = roomPublisher(room);
    const base = await publisher.latest();
    const { names } = await readMapping(room.db);
    const code = foldCase(text);
    await decideMapping(publisher, source, (rows) => {
      const mapping = new Mapping(rows, names).withOwnNames();
      const known = rows.find((row) => row.source === source && row.list === list && row.code === code);
      const isOurs = names.get(list) === source && itemIn(base, list, code) !== undefined;
      if (!known && !isOurs)
        throw new CatalogueError(
          `Duba knows no ${text} in ${list} of ${source}. See: duba catalogue map list --source ${source} --list ${list}`,
        );
      const about = known?.about ?? "";
      const given = itemIn(base, list, code)?.content;
      const looks = known ? (known.seen ?? known.looks) : given ? rememberedOf(given) : null;
      const facts = { source, list, code, about, why: "", looks, seen: null };
      if (own === "none") return [{ ...facts, state: "never", own: null, is_new: 0 }];
      const group = mapping.groupOf(source, list, code);
      if (typeof group !== "string")
        throw new CatalogueError(`${groupOf(list, code)} of ${source} is not mapped yet: map it first.`);
      const item = itemIn(base, list, within(group, foldCase(own)));
      const spelled = item ? String(item.content[listShapeOf(list).key.at(-1)!]) : own;
      const made: Proposal = { ...facts, state: "approved", own: spelled, is_new: item ? 0 : 1 };
      const other = ownerOf(made, rows);
      if (other)
        throw new CatalogueError(
          `${other.code} of ${source} has that code. If it has it no more: duba catalogue map set ${source} ${list} "${other.code}" none`,
        );
      return [made];
    });
    return { source, entries: 1, left: 0 };
  },
});

/** Another entry of the source that is decided under the same code of ours, even if the decision is in doubt. */
function ownerOf({ source, list, code, own }: Proposal, rows: readonly MappingRow[]): MappingRow | undefined {
  return rows.find(
    (row) =>
      row.decided_by !== null &&
      row.own !== null &&
      row.source === source &&
      row.list === list &&
      row.code !== code &&
      groupOf(list, row.code) === groupOf(list, code) &&
      foldCase(row.own) === foldCase(own!),
  );
}

/** Whether a proposal no longer fits the catalogue. */
function problemIn(row: MappingRow, base: Snapshot, mapping: Mapping, rows: readonly MappingRow[]): boolean {
  const { source, list, code, own, is_new } = row;
  const group = mapping.groupOf(source, list, code);
  if (typeof group !== "string" || ownerOf(row, rows)) return true;
  const isThere = itemIn(base, list, within(group, foldCase(own!))) !== undefined;
  return isThere === (is_new === 1);
}

export const mapCommands = [listMapping, proposeMapping, approveMapping, setMapping];
