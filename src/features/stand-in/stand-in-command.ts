import { once } from "node:events";
import type { Refusal } from "../../../stand-ins/identity-server.ts";
import type { Running } from "../../../stand-ins/listener.ts";
import { standInNumbers } from "../../../stand-ins/numbers.ts";
import { sourceStandIns, standIns } from "../../../stand-ins/stand-ins.ts";
import { serverSettings } from "../../config/settings/server-settings.ts";
import { type CheckKind, checkKinds, labelOf } from "../../declare/check-kind.ts";
import { list, naira } from "../../declare/command/answer-schema.ts";
import { formed } from "../../declare/command/read-texts.ts";
import { CommandError, command } from "../../declare/command.ts";
import { nairaOf } from "../../declare/money.ts";
import Type from "../../declare/schema/type.ts";
import type { Setting } from "../../declare/setting.ts";
import { vendorFiles, vendors } from "../../vendors/registry.ts";
import type { VendorPrices } from "../../vendors/vendor-prices.ts";

/** The address on which the stand-in listens. */
interface Place {
  host?: string;
  port: number;
}

interface Room {
  config: { vendorPrices: Readonly<Record<string, VendorPrices>> };
  say?: (line: string) => void;
}

const usualPrice = 5000;
const inOrder = Object.entries(standInNumbers)
  .map(([digits, { about }]) => [digits, about] as const)
  .sort();

/** `duba stand-in`, which only a terminal can run. `everySetting`: the settings that its first lines may name. */
export const standInCommand = (everySetting: readonly Setting<unknown>[]) =>
  command({
    id: "stand-in",
    title: "Stand-in",
    summary: "Speak the wire of an identity vendor or a catalogue source, until a signal ends it.",
    description:
      "For a rehearsal of the whole service before you have a contract. People are invented, " +
      "and the last two digits of a number say what happens to it. A catalogue source has the lists of the starter " +
      "catalogue. A service counts the answers only with DUBA_STAND_INS=on, and its store is a rehearsal for ever. " +
      "Prices are those of DUBA_UPSTREAM_PRICES, else ₦50.",
    role: "viewer",
    kind: "read",
    only: "terminal",
    store: "none",
    target: ["vendor"],
    input: Type.Object({
      vendor: Type.Enum(
        [
          ...new Set([...Object.keys(standIns), ...vendorFiles.names]),
          ...Object.keys(sourceStandIns).filter((name) => settingsFor(name, everySetting).length > 0),
        ],
        {
          description: "The identity vendor, or the catalogue source.",
        },
      ),
      port: formed(serverSettings.port, { description: "Port to listen on.", placeholder: "number", default: "9001" }),
      host: formed(serverSettings.host, {
        description:
          "Address to listen on, if Duba is on another machine or in another container. 0.0.0.0: each of this machine.",
        placeholder: "address",
        default: "127.0.0.1",
      }),
      invoice: Type.Optional(
        Type.String({
          description:
            "CSV file that gets a line for each look-up that the vendor would bill, for `duba books reconcile`.",
          placeholder: "file",
        }),
      ),
    }),
    answer: Type.Object({
      outcomes: Type.Array(
        Type.Object({
          outcome: Type.String(),
          requests: Type.Integer({ sums: true }),
          billed: Type.Integer({ sums: true }),
          amount: { ...naira, sums: true },
        }),
      ),
    }),
    view: () => [list],
    none: "It was asked nothing.",
    guide: {
      heading: "Last two digits of a number (all others: a record with the phone 080 and the last eight digits):",
      items: inOrder,
    },
    examples: [
      { vendor: "prembly", port: "9001", invoice: "invoice.csv" },
      { vendor: "ebills", port: "9002" },
    ],
    run: async (input, { config, say = () => {} }: Room) => {
      const { vendor: name, host, port, invoice } = input;
      const isOfSource = name in sourceStandIns;
      if (isOfSource && invoice !== undefined) throw new CommandError(`${name} bills no look-up: leave out --invoice.`);
      const starting = isOfSource
        ? startLists(name, input, settingsFor(name, everySetting))
        : startPeople(name, input, config.vendorPrices[name] ?? {}, say);
      const { running, welcome, answered } = await starting.catch((error: NodeJS.ErrnoException) => {
        if (error.syscall === "open") throw new CommandError(`The stand-in cannot write ${invoice} (${error.code}).`);
        throw new CommandError(
          `The stand-in cannot listen on ${host}, port ${port} (${error.code}): choose another --port or --host.`,
        );
      });
      const stopped = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
      for (const line of welcome) say(line);
      await stopped;
      await running.close();
      return { outcomes: sumsOf(answered()) };
    },
  });

interface Started {
  running: Running;
  welcome: string[];
  /** The outcome of each request so far, and its price in kobo. */
  answered(): { outcome: string; price: number | null }[];
}

/** The stand-in of a catalogue source. */
async function startLists(name: string, place: Place, settings: readonly Setting<unknown>[]): Promise<Started> {
  const { startListsStandIn } = await import("./start-lists.ts");
  const running = await startListsStandIn(name, place);
  return {
    running,
    welcome: [
      ...pointing(name, settings, running, "Its lists are those of the starter catalogue."),
      `  DUBA_CATALOGUE_SOURCE=${name}`,
      "",
    ],
    answered: () => running.statuses.map((status) => ({ outcome: String(status), price: null })),
  };
}

/** The stand-in of an identity vendor. */
async function startPeople(
  name: string,
  { invoice, ...place }: Place & { invoice?: string },
  set: VendorPrices,
  say: (line: string) => void,
): Promise<Started> {
  const vendor = vendors.find((vendor) => vendor.name === name)!;
  const prices = Object.keys(set).length > 0 ? set : Object.fromEntries(checkKinds.map((kind) => [kind, usualPrice]));
  const { standInFor, startStandIn } = await import("../../vendors/sandbox/start-stand-in.ts");
  const running = await startStandIn(vendor, {
    ...place,
    prices,
    invoice,
    onCall: ({ kind, last4, outcome, price }) =>
      say(
        `${labelOf(kind as CheckKind)} …${last4}: ${outcome.replaceAll("_", " ")}, ${price === null ? "not billed" : `₦${nairaOf(price)}`}`,
      ),
    onRefusal: (why) => say(refusals[why]),
  });
  return {
    running,
    welcome: [
      ...pointing(name, Object.values(vendor.settings), running, "Its people are invented."),
      `  DUBA_UPSTREAMS=${name}`,
      ...Object.entries(standInFor(vendor)?.settings ?? {}).map(([other, value]) => `  ${other}=${value}`),
      `  DUBA_UPSTREAM_PRICES=${Object.entries(prices).map(([what, kobo]) => `${name}.${what}=${nairaOf(kobo!)}`)}`,
      ...aboutNumbers,
    ],
    answered: () => [...running.calls, ...running.refusals.map((outcome) => ({ outcome, price: null }))],
  };
}

/** Returns the settings of a source, whose names begin with its own. Empty in a build without sources. */
function settingsFor(name: string, everySetting: readonly Setting<unknown>[]): Setting<unknown>[] {
  return everySetting.filter((setting) => setting.name.startsWith(`DUBA_${name.toUpperCase()}_`));
}

/** Names the running stand-in, and the settings by which Duba uses it. */
function pointing(name: string, settings: readonly Setting<unknown>[], { url }: Running, what: string): string[] {
  const address = settings.find((setting) => setting.name.endsWith("_URL"))!;
  const others = settings.filter(({ default: usual, optional }) => usual === "" && !optional);
  return [
    `A stand-in of ${name} is ready at ${url}. ${what}`,
    "",
    "Point a Duba with an empty data directory at it:",
    "",
    "  DUBA_STAND_INS=on",
    `  ${address.name}=${url}`,
    ...others.map(({ name: other }) => `  ${other}=any`),
  ];
}

const aboutNumbers = [
  "",
  "Last two digits of a number:",
  "",
  ...inOrder.map(([digits, about]) => `  ${digits}  ${about}`),
  "  All others: a record with the phone 080 and the last eight digits of the number, " +
    "such as 08000000017 for 22000000017.",
  "",
  "Duba pauses the vendor after 04 and 06 for a second, and after failures in a row. " +
    "To see each number by itself, wait a second, and set:",
  "",
  "  DUBA_UPSTREAM_BREAKER_FAILURES=1000",
  "",
];

const refusals: Readonly<Record<Refusal, string>> = {
  no_credentials: "A request had no credentials in the documented form.",
  no_route: "A request was for a path or a method that the vendor does not document, or had no number in its form.",
};

function sumsOf(all: ReturnType<Started["answered"]>) {
  return [...Map.groupBy(all, ({ outcome }) => outcome)].map(([outcome, of]) => ({
    outcome,
    requests: of.length,
    billed: of.filter(({ price }) => price !== null).length,
    amount: of.reduce((sum, { price }) => sum + (price ?? 0), 0),
  }));
}
