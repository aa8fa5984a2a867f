import { once } from "node:events";
import { serverSettings } from "../../config/settings/server-settings.ts";
import { checkKinds, labelOf } from "../../operation/check-kind.ts";
import { list, naira } from "../../operation/command/answer-schema.ts";
import { formed } from "../../operation/command/read-texts.ts";
import { CommandError, command } from "../../operation/command.ts";
import { nairaOf } from "../../operation/money.ts";
import Type from "../../operation/schema/type.ts";
import type { Vendor } from "../../upstreams/ports/vendor.ts";
import { vendors } from "../../upstreams/registry.ts";
import { standInNumbers } from "../../upstreams/stand-in/stand-in-numbers.ts";
import { standIns } from "../../upstreams/stand-in/stand-ins.ts";
import type { VendorPrices } from "../../upstreams/vendor-prices.ts";
import { type Refusal, type RunningStandIn, startStandIn } from "./stand-in-server.ts";

interface Room {
  config: { vendorPrices: Readonly<Record<string, VendorPrices>> };
  say?: (line: string) => void;
}

const usualPrice = 5000;
const inOrder = Object.entries(standInNumbers)
  .map(([digits, { about }]) => [digits, about] as const)
  .sort();

/** `duba stand-in`: only a terminal can run it. */
export const standInCommand = command({
  id: "stand-in",
  summary: "Speak the wire of an identity vendor with invented people, until a signal ends it.",
  description:
    "For a rehearsal of the whole service before you have a contract. The last two digits of a number say what happens to it. " +
    "A service counts the answers only with DUBA_STAND_INS=on, and its store is a rehearsal for ever. Prices are those of DUBA_<VENDOR>_PRICE, else ₦50.",
  role: "viewer",
  kind: "read",
  only: "terminal",
  store: "none",
  target: ["vendor"],
  input: Type.Object({
    vendor: Type.Enum(Object.keys(standIns), { description: "The identity vendor." }),
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
  examples: [{ vendor: "prembly", port: "9001", invoice: "invoice.csv" }],
  run: async ({ vendor: name, host, port, invoice }, { config, say = () => {} }: Room) => {
    const vendor = vendors.find((vendor) => vendor.name === name)!;
    const set = config.vendorPrices[name] ?? {};
    const prices = Object.keys(set).length > 0 ? set : Object.fromEntries(checkKinds.map((kind) => [kind, usualPrice]));
    const running = await startStandIn(vendor, standIns[name]!, {
      ...{ host, port, prices, invoice },
      onCall: ({ kind, last4, outcome, price }) =>
        say(
          `${labelOf(kind)} …${last4}: ${outcome.replaceAll("_", " ")}, ${price === null ? "not billed" : `₦${nairaOf(price)}`}`,
        ),
      onRefusal: (why) => say(refusals[why]),
    }).catch((error: NodeJS.ErrnoException) => {
      if (error.syscall === "open") throw new CommandError(`The stand-in cannot write ${invoice} (${error.code}).`);
      throw new CommandError(
        `The stand-in cannot listen on ${host}, port ${port} (${error.code}): choose another --port or --host.`,
      );
    });
    const stopped = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
    for (const line of welcome(vendor, running, prices)) say(line);
    await stopped;
    await running.close();
    return { outcomes: sumsOf(running) };
  },
});

function welcome({ name, settings }: Vendor, { url }: RunningStandIn, prices: VendorPrices): string[] {
  const others = Object.values(settings).filter(({ default: usual, optional }) => usual === "" && !optional);
  return [
    `A stand-in of ${name} is ready at ${url}. Its people are invented.`,
    "",
    "Point a Duba with an empty data directory at it:",
    "",
    "  DUBA_STAND_INS=on",
    `  DUBA_UPSTREAMS=${name}`,
    `  ${settings.url!.name}=${url}`,
    ...others.map(({ name: other }) => `  ${other}=any`),
    ...Object.entries(standIns[name]!.settings ?? {}).map(([other, value]) => `  ${other}=${value}`),
    `  DUBA_${name.toUpperCase()}_PRICE=${Object.entries(prices).map(([what, kobo]) => `${what}=${nairaOf(kobo!)}`)}`,
    "",
    "Last two digits of a number:",
    "",
    ...inOrder.map(([digits, about]) => `  ${digits}  ${about}`),
    "  All others: a record with the phone 080 and the last eight digits of the number, such as 08000000017 for 22000000017.",
    "",
    "Duba pauses the vendor after 04 and 06, and after failures in a row, as it will in earnest. To see each number by itself:",
    "",
    "  DUBA_UPSTREAM_BREAKER_FAILURES=1000",
    "  DUBA_UPSTREAM_ALARM_PAUSE=1s",
    "",
  ];
}

const refusals: Readonly<Record<Refusal, string>> = {
  no_credentials: "A request had no credentials in the documented form.",
  no_route: "A request was for a path or a method that the vendor does not document, or had no number of 11 digits.",
};

function sumsOf({ calls, refusals }: RunningStandIn) {
  const all = [...calls, ...refusals.map((outcome) => ({ outcome, price: null }))];
  return [...Map.groupBy(all, ({ outcome }) => outcome)].map(([outcome, of]) => ({
    outcome,
    requests: of.length,
    billed: of.filter(({ price }) => price !== null).length,
    amount: of.reduce((sum, { price }) => sum + (price ?? 0), 0),
  }));
}
