import { Argument, type Command } from "commander";
import { CatalogueFault } from "../../catalogue/model/fault.ts";
import type { Publisher } from "../../catalogue/revisions/commit.ts";
import { preview } from "../../catalogue/revisions/publish.ts";
import { offerOf, type SyncSource } from "../../catalogue/sync/offer.ts";
import { ageOf, beginSync, isHeld, listSyncs, readSync } from "../../catalogue/sync/record.ts";
import { leftOutOf, planOf, syncFrom, withFormulaGuard } from "../../catalogue/sync/sync.ts";
import { syncSettings } from "../../catalogue/sync/sync-settings.ts";
import { type Config, readConfig } from "../../config/read-config.ts";
import { settings } from "../../config/settings.ts";
import { silent } from "../../runtime/log.ts";
import type { CatalogueSourceRow } from "../../storage/tables.ts";
import { missingOf } from "../../upstreams/ports/vendor.ts";
import { catalogueSources } from "../../upstreams/registry.ts";
import { examples, subcommand } from "../terminal/help.ts";
import { type Io, UsageFault } from "../terminal/io.ts";
import { settingOption } from "../terminal/options.ts";
import { painter, table, timeOf } from "../terminal/table.ts";
import { withStore } from "../with-store.ts";
import { printPreview } from "./catalogue/import.ts";
import { printOutcome } from "./catalogue/outcome.ts";
import { authorOption, withCatalogue } from "./catalogue/with-catalogue.ts";

/** Milliseconds that a pull by hand may take. */
const LONGEST_PULL = 5 * 60_000;

/** `duba sources`: where Duba pulls the catalogue from. */
export function addSources(program: Command, io: Io, setExitCode: (exitCode: number) => void): void {
  const sources = subcommand(
    program,
    "sources",
    "Manage the source from which Duba updates the catalogue: list, status, pull.",
  );
  addList(sources, io);
  addStatus(sources, io, setExitCode);
  addPull(sources, io);
  examples(sources, "duba sources list", "duba sources pull vtpass --dry-run", "duba sources status");
}

function addList(sources: Command, io: Io): void {
  const command = subcommand(
    sources,
    "list",
    "List all sources, their missing settings, and the lists that they provide.",
  )
    .option("--json", "print them as JSON")
    .action(({ json }: { json?: true }) => {
      const config = readConfig(io.environment);
      const listed = catalogueSources.map((source) => ({
        name: source.name,
        followed: source.name === config.pull.source,
        missing: missingOf(source, config.sources[source.name]!),
        lists: source.covers,
        settings: Object.values(source.settings).map(({ name }) => name),
        about: source.about,
      }));
      if (json) return io.out(`${JSON.stringify(listed, null, 2)}\n`);
      const rows = listed.map(({ name, followed, missing, lists, about }) => ({
        name,
        followed: followed ? "yes" : "-",
        state: missing.length === 0 ? "set up" : `needs ${missing.join(", ")}`,
        lists: lists.join(", "),
        about,
      }));
      io.out(table(rows, painter(io.colours?.out)));
      io.err(`${syncSettings.source.name} selects the source of the catalogue.\n`);
    });
  examples(command, "duba sources list");
}

function addStatus(sources: Command, io: Io, setExitCode: (exitCode: number) => void): void {
  const about =
    "Show the last pull from each source, its result, and the age of the data. The exit code is 1 if the pull from the " +
    "selected source failed, if its changes wait for approval, or if the data is stale.";
  const command = subcommand(sources, "status", about)
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print it as JSON")
    .action(async ({ data, json }: { data?: string; json?: true }) => {
      const config = readConfig(io.environment);
      const shown = await withStore(io, data, async ({ db }) => {
        const pulls = await listSyncs(db);
        const held = await Promise.all(pulls.map(({ draft }) => isHeld(db, draft)));
        return pulls.map((pull, at) => statusOf(pull, held[at]!, config));
      });
      const followed = shown.find((status) => status.followed);
      const isWell = config.pull.source === "" || (followed && isFine(followed));
      setExitCode(isWell ? 0 : 1);
      if (json) return io.out(`${JSON.stringify(shown, null, 2)}\n`);
      if (config.pull.source === "") io.err(`No source is selected: ${syncSettings.source.name} is empty.\n`);
      else if (!followed) io.err(`Duba has not pulled from ${config.pull.source} yet.\n`);
      if (shown.length === 0) return;
      const rows = shown.map((status) => ({
        source: status.source,
        followed: status.followed ? "yes" : "-",
        "last pull": shortTime(status.last_pull_at),
        result: status.under_way ? "under way" : (status.result ?? "-"),
        "last success": shortTime(status.as_of),
        age: status.age_seconds === null ? "-" : ageText(status.age_seconds),
        stale: status.stale ? "yes" : "no",
        held: status.held ?? "-",
      }));
      io.out(table(rows, painter(io.colours?.out)));
      for (const { source, sentences } of shown) for (const sentence of sentences) io.out(`${source}: ${sentence}\n`);
    });
  examples(command, "duba sources status", "duba sources status --json");
}

type Status = ReturnType<typeof statusOf>;

function statusOf(pull: CatalogueSourceRow, held: boolean, { pull: { source, staleAfter } }: Config) {
  const iso = (milliseconds: number | null) => milliseconds && new Date(milliseconds).toISOString();
  const { asOf, isStale } = ageOf(pull, Date.now(), staleAfter);
  const age = asOf === null ? null : Math.max(0, Date.now() - asOf);
  return {
    source: pull.source,
    followed: pull.source === source,
    last_pull_at: iso(pull.begun_at),
    under_way: pull.ended_at === null,
    result: pull.result,
    sentences: JSON.parse(pull.sentences) as string[],
    as_of: iso(asOf),
    age_seconds: age === null ? null : Math.floor(age / 1000),
    stale: isStale,
    source_stale: pull.source_is_stale === 1,
    not_before: iso(pull.not_before),
    held: held ? `d${pull.draft}` : null,
  };
}

function isFine({ result, stale, held }: Status): boolean {
  return !stale && held === null && (result === "published" || result === "unchanged");
}

function shortTime(iso: string | 0 | null): string {
  return timeOf(iso ? Date.parse(iso) : null);
}

function ageText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}

interface PullCommand {
  dryRun?: true;
  all?: true;
  author?: string;
  data?: string;
  json?: true;
}

function addPull(sources: Command, io: Io): void {
  const about =
    "Pull from a source now. The lists of the source replace the lists in the catalogue, including manual changes. A change " +
    "that removes many entries or changes a price by much waits for approval. The exit code is 1 if Duba did not publish.";
  const names = catalogueSources.map(({ name }) => name);
  const command = subcommand(sources, "pull", about)
    .addArgument(new Argument("[name]", "The source. Default: the selected source.").choices(names))
    .option("--dry-run", "show the changes, prices first, and publish nothing")
    .addOption(authorOption())
    .option("--all", "show every change, not only the first ones")
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print the outcome as JSON")
    .action(async (name: string | undefined, options: PullCommand) => {
      const config = readConfig(io.environment);
      const chosen = name ?? config.pull.source;
      if (chosen === "") throw new UsageFault(`No source is selected. Name one, or set ${syncSettings.source.name}.`);
      const missing = missingOf(catalogueSources.find(({ name }) => name === chosen)!, config.sources[chosen]!);
      if (missing.length > 0) throw new UsageFault(`${chosen} is not set up. Set ${missing.join(", ")}.`);
      const { openSource } = await import("../../upstreams/open-vendors.ts");
      const source = openSource(chosen, config.sources[chosen]!, silent);
      const run = options.dryRun ? tryPull : makePull;
      try {
        await withCatalogue(io, options, (publisher) => run(io, publisher, source, options));
      } finally {
        await source.close();
      }
    });
  examples(command, "duba sources pull --dry-run", "duba sources pull", "duba sources pull vtpass --dry-run");
}

async function tryPull(io: Io, publisher: Publisher, source: SyncSource, options: PullCommand): Promise<void> {
  const offer = await offerOf(source, AbortSignal.timeout(LONGEST_PULL));
  if ("kind" in offer) throw nothingFrom(source, [offer.sentence]);
  const { changes, reasons, revision } = await preview(withFormulaGuard(publisher), planOf(offer), {});
  printLeftOut(io, await leftOutOf(publisher, offer));
  printPreview(io, changes, reasons, revision, options);
}

async function makePull(io: Io, publisher: Publisher, source: SyncSource, options: PullCommand): Promise<void> {
  const { db, now } = publisher;
  const begun = await beginSync(db, source.name, await readSync(db, source.name), now());
  if (!begun) throw new CatalogueFault("Another process pulls at this moment. See duba sources status.");
  const signal = AbortSignal.timeout(LONGEST_PULL);
  const { sentences, outcome } = await syncFrom(publisher, source, begun, {
    ...{ author: publisher.actor, again: true, signal },
  });
  if (!outcome) throw nothingFrom(source, sentences);
  printLeftOut(io, sentences);
  printOutcome(io, outcome, options);
}

function printLeftOut(io: Io, sentences: readonly string[]): void {
  for (const sentence of sentences) io.err(`${sentence}\n`);
}

function nothingFrom({ name }: SyncSource, sentences: readonly string[]): CatalogueFault {
  return new CatalogueFault(`Duba changed nothing after the pull from ${name}:\n${sentences.join("\n")}`);
}
