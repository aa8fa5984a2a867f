import { changeCommand, outcomeAnswer, previewAnswer } from "../../../catalogue/commands/change-answer.ts";
import { type CatalogueRoom, dryRun, roomPublisher } from "../../../catalogue/commands/publisher.ts";
import { CatalogueError } from "../../../catalogue/model/catalogue-error.ts";
import type { Publisher } from "../../../catalogue/revisions/expected.ts";
import { preview } from "../../../catalogue/revisions/publish.ts";
import { list, orNull, type Part, reference, state, time } from "../../../declare/command/answer-schema.ts";
import { mend } from "../../../declare/command/mend.ts";
import { flag, InputError } from "../../../declare/command/read-texts.ts";
import { command } from "../../../declare/command.ts";
import Type, { type Static } from "../../../declare/schema/type.ts";
import { silent } from "../../../runtime/log.ts";
import type { Audited } from "../../../storage/audited.ts";
import type { CatalogueSourceRow, Db } from "../../../storage/tables.ts";
import { missingOf } from "../../../vendors/ports/vendor.ts";
import { readMapping } from "../mapping/mapping-rows.ts";
import { type OpenSettings, openFollowed } from "../sync/followed-sources.ts";
import { offerOf, type SyncSource } from "../sync/offer.ts";
import { ageOf, beginSync, isHeld, listSyncs, never, readSync } from "../sync/record.ts";
import { planOf, syncFrom, takingFrom, withSourceGuard } from "../sync/sync.ts";
import { followTimes, pullOf, syncSettings, withAllLists } from "../sync/sync-settings.ts";
import { catalogueSources, sourceOf, valuesOfSource } from "../vendors/every-source.ts";

interface SourceSettings {
  config: OpenSettings & Parameters<typeof pullOf>[0];
}

export interface SourceRoom extends CatalogueRoom {
  config: CatalogueRoom["config"] & SourceSettings["config"];
  /** Whether the store holds data of stand-ins. */
  isRehearsal(): Promise<boolean>;
}

/** The longest time that a manual pull may take, in milliseconds. */
export const LONGEST_PULL = 5 * 60_000;

const SourceStatus = Type.Object({
  source: Type.String(),
  followed: Type.Boolean(),
  missing: Type.Array(Type.String(), { none: "nothing" }),
  lists: Type.Array(Type.String()),
  about: Type.String(),
  last_pull_at: orNull(time),
  under_way: Type.Boolean(),
  result: orNull(Type.String()),
  sentences: Type.Array(Type.String()),
  as_of: orNull(time),
  age_seconds: orNull(Type.Integer()),
  stale: Type.Boolean(),
  source_stale: Type.Boolean(),
  not_before: orNull(time),
  held: orNull(reference),
});

const showSources = command({
  id: "sources.status",
  title: "Sources",
  summary: "Show the last pull from each source, its result, and the age of the data.",
  onTerminal:
    "The exit code is 1 if the pull from a selected source failed, " +
    "if its changes wait for approval, or if its data is stale.",
  role: "viewer",
  kind: "read",
  shownAs: "table",
  input: Type.Object({ all: flag("Also sources that are not selected, with the settings that they miss.") }),
  answer: Type.Array(SourceStatus),
  columns: [
    ...(["source", "followed", "missing", "last_pull_at"] as const),
    { name: "result", of: ({ under_way, result }) => (under_way ? "under way" : result), as: state([]) },
    "as_of",
    { name: "age", of: ({ age_seconds: age }) => (age === null ? null : ageText(age)) },
    ...(["stale", "held"] as const),
  ],
  view: (sources) => statusView(sources, `No source is selected: ${syncSettings.sources.name} is empty.`),
  onPage: (sources) => statusView(sources, "No source is selected in the settings."),
  isWell: (sources) => sources.every((source) => !source.followed || isFine(source)),
  examples: [{}, { all: true }],
  run: async ({ all: wantsAll }, { db, config }: Audited & SourceSettings) => {
    const pulls = await listSyncs(db);
    const all = catalogueSources.map(
      ({ name }) => pulls.find(({ source }) => source === name) ?? { source: name, ...never },
    );
    const found = await Promise.all(all.map((pull) => statusOf(db, pull, config)));
    return found
      .filter(({ followed, last_pull_at }) => wantsAll || followed || last_pull_at !== null)
      .toSorted((one, other) => Number(other.followed) - Number(one.followed));
  },
});

/** `none`: the note if the service pulls from no source. */
function statusView(sources: readonly Static<typeof SourceStatus>[], none: string): Part[] {
  const followed = sources.filter((source) => source.followed);
  const unasked = followed.filter(({ last_pull_at }) => last_pull_at === null);
  return [
    ...(followed.length > 0 ? [] : [{ note: none }]),
    ...unasked.map(({ source }) => ({ note: `Duba has not pulled from ${source} yet.` })),
    ...(sources.length > 0 ? [list] : []),
    ...sources
      .filter(({ followed, last_pull_at }) => !followed && last_pull_at === null)
      .map(({ source, about, lists }) => ({ note: `${source}: ${about} It has ${lists.join(", ")}.` })),
    ...sources.flatMap(({ source, sentences }) => sentences.map((sentence) => `${source}: ${sentence}`)),
  ];
}

const pullSource = command({
  ...changeCommand,
  id: "sources.pull",
  title: "Pull now…",
  summary: "Pull from a source now.",
  description:
    "The lists of the source replace the lists in the catalogue, including manual changes. " +
    "A change that removes many entries or changes a price by much waits for approval.",
  onTerminal: "The exit code is 1 if a change or a mapping waits for a person, or the source gave nothing.",
  role: "operator",
  kind: "change",
  target: ["name"],
  input: Type.Object({
    name: Type.Optional(
      Type.Enum(
        catalogueSources.map(({ name }) => name),
        { description: "The source. Default: the selected one." },
      ),
    ),
    dry_run: dryRun,
  }),
  view: (answer, viewing) => [
    ...changeCommand.view(answer, viewing),
    ...(answer.unmapped ? [{ note: "", mends: [mend("See them", "catalogue.map.list")] }] : []),
  ],
  examples: [{ dry_run: true }, {}, { name: "vtpass", dry_run: true }],
  run: async ({ name, dry_run }, room: SourceRoom) => {
    const source = await openChosen(name, room);
    try {
      return await (dry_run ? tryPull : makePull)(roomPublisher(room), source);
    } finally {
      await source.close();
    }
  },
});

/**
 * Opens the named source, or the only followed one, with the lists that this source supplies here. Throws an
 * `InputError` if there is none or several, or if the source is not set up, or might be a stand-in although the store
 * is not a rehearsal.
 */
export async function openChosen(name: string | undefined, room: SourceRoom) {
  const { config } = room;
  const followed = pullOf(config).sources;
  if (name === undefined && followed.length > 1)
    throw new InputError(`Several sources are selected. Name one: ${followed.map(({ name }) => name).join(", ")}.`);
  const chosen = name ?? followed[0]?.name;
  if (chosen === undefined)
    throw new InputError(`No source is selected. Name one, or set ${syncSettings.sources.name}.`);
  const missing = missingOf(sourceOf(chosen), valuesOfSource(sourceOf(chosen), config));
  if (missing.length > 0) throw new InputError(`${chosen} is not set up. Set ${missing.join(", ")}.`);
  if (config.upstream.standIns && !(await room.isRehearsal()))
    throw new InputError(
      "DUBA_STAND_INS is on, and this store is no rehearsal. Set it to off, or name the data directory or database " +
        "of a rehearsal, which a start makes one.",
    );
  return openFollowed(followed.find(({ name }) => name === chosen) ?? withAllLists(chosen)!, config, silent);
}

async function tryPull(publisher: Publisher, source: SyncSource) {
  const signal = AbortSignal.timeout(LONGEST_PULL);
  const offer = await offerOf(source, signal);
  if ("kind" in offer) throw nothingFrom(source, [offer.sentence]);
  const mapping = await readMapping(publisher.db);
  const take = takingFrom(offer, source.name, mapping);
  const { leftOut } = await take(await publisher.latest());
  const plan = planOf(take, { at: publisher.now(), by: source.name });
  const found = await preview(withSourceGuard(publisher), plan, {});
  return { ...previewAnswer(found), left_out: leftOut };
}

async function makePull(publisher: Publisher, source: SyncSource) {
  const { db, now, actor: author } = publisher;
  const begun = await beginSync(db, source.name, await readSync(db, source.name), now());
  if (!begun) throw new CatalogueError("Another process pulls at this moment.", mend("See it", "sources.status"));
  const signal = AbortSignal.timeout(LONGEST_PULL);
  const { record, sentences, outcome } = await syncFrom(publisher, source, begun, { author, again: true, signal });
  if (!outcome) throw nothingFrom(source, sentences);
  const isUnmapped = record.result === "unmapped";
  return { ...outcomeAnswer(outcome), ...(isUnmapped && { unmapped: true }), left_out: [...sentences] };
}

export const sourceCommands = [showSources, pullSource];

export function nothingFrom({ name }: SyncSource, sentences: readonly string[]): CatalogueError {
  return new CatalogueError(`Duba changed nothing after the pull from ${name}:\n${sentences.join("\n")}`);
}

async function statusOf(db: Db, pull: CatalogueSourceRow, config: SourceSettings["config"]) {
  const wanted = pullOf(config);
  const source = sourceOf(pull.source);
  const { staleAfter } = followTimes(pull.source, wanted);
  const { asOf, isStale } = ageOf(pull, Date.now(), staleAfter);
  const age = asOf === null ? null : Math.max(0, Date.now() - asOf);
  return {
    ...pull,
    followed: wanted.sources.some(({ name }) => name === pull.source),
    missing: missingOf(source, valuesOfSource(source, config)),
    lists: [...source.covers],
    about: source.about,
    last_pull_at: pull.begun_at || null,
    under_way: pull.begun_at > 0 && pull.ended_at === null,
    sentences: JSON.parse(pull.sentences) as string[],
    as_of: asOf,
    age_seconds: age === null ? null : Math.floor(age / 1000),
    stale: isStale,
    source_stale: pull.source_is_stale === 1,
    held: (await isHeld(db, pull.draft)) ? `d${pull.draft}` : null,
  };
}

function isFine({ result, stale, held }: Static<typeof SourceStatus>): boolean {
  return !stale && held === null && (result === "published" || result === "unchanged");
}

function ageText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}
