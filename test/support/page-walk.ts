import assert from "node:assert/strict";
import { after, before } from "node:test";
import { listOf } from "../../src/declare/command/answer-table.ts";
import { membersOf } from "../../src/declare/command/read-texts.ts";
import type { Command, Role } from "../../src/declare/command.ts";
import { busySettings, fillBusyDay, type Subjects } from "../../src/features/console/busy-day.fixture.ts";
import { type ConsoleAnswer, type Operators, startOperators } from "../../src/features/console/operators.fixture.ts";
import { nowParts } from "../../src/features/console/routes/now-routes.ts";
import { pathOf, siteMap } from "../../src/features/console/site-map.ts";
import { asksByUrl } from "../../src/features/console/view/command-form.ts";
import { pagesOfFeatures } from "../../src/features.ts";
import { everyCommand } from "../../src/wire/every-command.ts";
import { everyRecord } from "../../src/wire/every-record.ts";
import { overheard } from "./canaries.ts";
import type { Engine } from "./engines.ts";
import { consolePages } from "./every-page.ts";

export const site = siteMap(await everyCommand(), pagesOfFeatures, everyRecord);
export const commandsOfPages = [...site.commands.values()];
/** Pages of the console's menu, and the self-refreshing parts of the page Now. */
export const placesOfPages = [...site.places.map(({ path }) => path), ...nowParts.keys()];

/** The response to one role at one URL. */
export interface WalkedPage extends ConsoleAnswer {
  path: string;
  /** The command whose form, answer, CSV or record the page shows; undefined for a page of the menu. */
  command: Command<never> | undefined;
}

/** One service after a busy day. Each role reads its pages once, and many tests check them. */
export interface PageWalk {
  readonly engine: Engine["name"];
  readonly operators: Operators;
  readonly subjects: Subjects;
  /** BVN and phone of a person who was verified. */
  readonly person: { readonly bvn: string; readonly phone: string };
  /** That person's BVN, phone, names, e-mail, date of birth and address. */
  readonly canaries: readonly string[];
  /** What PostgreSQL has received so far: statements and their parameters. Empty on SQLite. */
  heard(): Buffer;
  /** Each page as the role received it the first time. */
  pages(role: Role): Promise<readonly WalkedPage[]>;
  /** Each page as the role receives it now. */
  readAs(role: Role): Promise<readonly WalkedPage[]>;
}

/** URLs of a command: its form; and, if a browser requests its answer by URL, the answer, its CSV and its records. */
export function addressesOf(command: Command<never>, subjects: Subjects): string[] {
  const path = pathOf(command);
  if (!asksByUrl(command)) return [path];
  const query = new URLSearchParams({ _run: "1" });
  for (const { name, isRequired } of membersOf(command.input)) if (isRequired) query.set(name, subjects[name]!);
  const records = Object.values(everyRecord)
    .filter(({ show }) => show === command.id)
    .map(({ by }) => `${path}?${new URLSearchParams({ [by]: subjects[by]! })}`);
  return [path, `${path}?${query}`, ...(listOf(command.answer) ? [`${path}?${query}&_csv=1`] : []), ...records];
}

/** Whether a browser shows the response instead of saving it. */
export function isShown({ status, headers }: WalkedPage): boolean {
  const isPage = String(headers["content-type"]).startsWith("text/html");
  return status === 200 && isPage && headers["content-disposition"] === undefined;
}

/** Registers the hooks of a suite: starts a service with a busy day and one verified person. */
export function walkPages(engine: Engine): PageWalk {
  let operators: Operators;
  let subjects: Subjects;
  let canaries: string[];
  const { engine: own, heard } = overheard(engine);
  const person = { bvn: "22000000017", phone: "08000000017" };
  const walked = new Map<Role, Promise<WalkedPage[]>>();

  before(async () => {
    const traced = { DUBA_LOG_LEVEL: "trace", DUBA_ACCESS_LOG: "all", DUBA_METRICS: "127.0.0.1:0" };
    operators = await startOperators(own, { ...busySettings, ...traced, DUBA_TRUST_PROXY: "127.0.0.1" });
    const { service } = operators;
    const filled = await fillBusyDay(service);
    const headers = { "Idempotency-Key": "order-1", "Consent-Reference": "consent-1" };
    const body = { ...person, amount: "100" };
    const { json } = await service.ask("/api/v2/kyc/verify-bvn", { method: "POST", headers, body });
    const { personal_info: info, residential_info: home, request_reference: reference } = json.data;
    subjects = { ...filled, reference };
    canaries = [
      ...Object.values(person),
      ...[info.full_name, info.first_name, info.last_name, info.email, info.date_of_birth],
      ...[info.formatted_date_of_birth, home.residential_address],
    ].filter(Boolean);
    assert.ok(canaries.length > 7);
    // The reason is written as the guard writes one about an account's price.
    const reasons = JSON.stringify([`MTNDATA 104: ${subjects.account} pays 95, below its cost of 96.`]);
    const { db } = await service.store();
    await db.updateTable("catalogue_draft").set({ reasons }).where("state", "=", "held").execute();
  });
  after(() => operators.service.close());

  const readAs = async (role: Role) => {
    const { place, form, answer } = consolePages(subjects);
    const byPath = new Map<string, Command<never> | undefined>();
    for (const path of [...placesOfPages, ...place]) byPath.set(path, undefined);
    for (const command of commandsOfPages) for (const path of addressesOf(command, subjects)) byPath.set(path, command);
    const others = [...form, ...answer].filter((path) => !byPath.has(path));
    for (const path of others)
      byPath.set(
        path,
        commandsOfPages.find((command) => pathOf(command) === path.split("?")[0]),
      );
    const pages: WalkedPage[] = [];
    const { cookie } = operators.by[role];
    for (const [path, command] of byPath) pages.push({ path, command, ...(await operators.send(path, { cookie })) });
    return pages;
  };
  return {
    get operators() {
      return operators;
    },
    get subjects() {
      return subjects;
    },
    get canaries() {
      return canaries;
    },
    engine: engine.name,
    person,
    heard,
    pages(role) {
      const pages = walked.get(role) ?? readAs(role);
      walked.set(role, pages);
      return pages;
    },
    readAs,
  };
}
