import { account, orNull, reference, secret, time } from "../../../declare/command/answer-schema.ts";
import * as forms from "../../../declare/command/forms.ts";
import { mend } from "../../../declare/command/mend.ts";
import { formed, InputError } from "../../../declare/command/read-texts.ts";
import { richText } from "../../../declare/command/rich-text.ts";
import { command, type Effect } from "../../../declare/command.ts";
import { overlapTime } from "../../../declare/duration.ts";
import { accountEventTypes, type EventType, eventTypeNames, eventTypes } from "../../../declare/event.ts";
import Type from "../../../declare/schema/type.ts";
import { addressList } from "../../../runtime/network/address.ts";
import { type Audited, takenBack, type WithClock } from "../../../storage/audited.ts";
import { operators } from "../../../storage/events/announce.ts";
import { endpointTrail } from "../../../storage/events/endpoint-trail.ts";
import { endpointMarks, markedEndpoints } from "../../../storage/events/made-endpoints.ts";
import type { EventEndpointRow } from "../../../storage/tables.ts";
import { readEndpointUrl, shownUrl, urlForm, whyUnfit, withoutNumber } from "../endpoint-url.ts";
import * as endpoints from "../endpoints.ts";
import { sendTest } from "../send-test.ts";

/** The resources of these commands. */
export interface EndpointRoom extends Audited, WithClock {
  config: { eventNetworks: readonly string[] };
  accounts: {
    /** The account with this id or e-mail. Throws if there is none. */
    find(idOrEmail: string): Promise<{ id: string; email: string }>;
    /** Returns a function that returns the e-mail of an account by its id. */
    emails(ids: readonly string[]): Promise<(id: string) => string>;
  };
  keyring(): Promise<{ ring: Parameters<typeof endpoints.signingSecrets>[0] }>;
}

const id = formed(forms.id, {
  label: "Endpoint",
  description: "Id of the endpoint, which `duba events endpoints list` shows.",
  placeholder: "id",
});

const facts = {
  id: reference,
  account: orNull({ ...account, none: "operators" }),
  mode: orNull(Type.Enum(["test", "live"])),
  url: Type.String(),
  types: Type.Array(Type.String(), { shows: "event" }),
  created_at: time,
  made_by: orNull({ ...account, none: "not kept" }),
  off_since: orNull(time),
  mark: orNull(Type.Enum([...endpointMarks])),
};

const endpointUrl: forms.Form<URL> = { form: urlForm, read: readEndpointUrl };

const add = command({
  id: "events.endpoints.add",
  title: "New endpoint",
  summary: "Add an endpoint that gets events as signed webhooks. Duba shows its secret once.",
  description:
    "Without an account it is an endpoint of operators, and gets the alarms of vendors. " +
    "An account has at most 10 endpoints in each mode, of different URLs; operators have 10.",
  role: "operator",
  kind: "change",
  gives: "credentials",
  target: ["url"],
  input: Type.Object({
    url: formed(endpointUrl, { description: "Where Duba sends the events.", placeholder: "url" }),
    account: Type.Optional(
      Type.String({ description: "Account whose events it gets. Default: operators.", placeholder: "id or e-mail" }),
    ),
    mode: Type.Enum(["test", "live"], {
      description: "Mode of the account's events. Only test mode may use http.",
      default: "live",
      areEqual: true,
      words: { live: "Events of live keys, over https.", test: "Events of test keys, also over http." },
    }),
    type: Type.Optional(
      Type.Array(Type.Enum(eventTypeNames), {
        description: "Type of events that it gets. Default: all types that there are today.",
      }),
    ),
  }),
  answer: Type.Object({ ...facts, secret }),
  view: ({ id, account, mode, types }) => [
    {
      text: richText`The endpoint ${id} of ${account === null ? "operators" : { account }} gets ${hasAll({ types, account }) ? "all events" : types.join(" and ")}${mode === null ? "" : ` of ${mode} mode`}.`,
    },
    { note: "", mends: [mend("Test it", "events.endpoints.test", { id })] },
  ],
  onPage: ({ id, account, url }) => [
    {
      text: richText`The endpoint of ${account === null ? "operators" : { account }} at ${new URL(url).host} is added.`,
    },
    { note: "", mends: [mend("Test it", "events.endpoints.test", { id })] },
  ],
  records: [endpointTrail.endpointAdded],
  guide: {
    heading: "Types:",
    items: eventTypeNames.map((type) => [type, eventTypes[type].summary] as const),
  },
  examples: [
    { url: "https://shop.example.com/duba", account: "shop@example.com" },
    { url: "https://shop.example.com/duba", account: "shop@example.com", mode: "test", type: ["verification.settled"] },
    { url: "https://ops.example.com/alarms", type: ["vendor.alarm"] },
  ],
  effect: async (input, room: EndpointRoom) => {
    const { place, wanted } = await wantedBy(input, room);
    await takenBack(room.db, (trx) => endpoints.addEndpoint({ ...place, db: trx }, wanted));
    return { says: [] };
  },
  run: async (input, room: EndpointRoom) => {
    const { place, wanted } = await wantedBy(input, room);
    const { row, secret } = await endpoints.addEndpoint(place, wanted);
    return { ...(await factsOf(row, room)), secret };
  },
});

const listEndpoints = command({
  id: "events.endpoints.list",
  title: "Endpoints",
  summary: "List the endpoints, oldest first, without their secrets.",
  role: "viewer",
  kind: "read",
  input: Type.Object({
    account: Type.Optional(
      Type.String({ description: "Only the endpoints of this account.", placeholder: "id or e-mail" }),
    ),
  }),
  answer: Type.Array(Type.Object(facts)),
  columns: [
    ...(["id", "account", "mode", "url"] as const),
    { name: "types", of: (row) => (hasAll(row) ? "all" : row.types) },
    ...(["created_at", "made_by", "off_since", "mark"] as const),
  ],
  tab: {
    title: "Webhooks",
    count: async ({ account }, { db, accounts }: EndpointRoom) =>
      (await endpoints.listEndpoints(db, (await accounts.find(account!)).id)).length,
  },
  none: "There is no endpoint.",
  noneThen: { says: "A client without one gets no events.", by: "events.endpoints.add" },
  examples: [{}, { account: "shop@example.com" }],
  run: async ({ account }, room: EndpointRoom) => {
    const audience = account === undefined ? undefined : (await room.accounts.find(account)).id;
    const found = await endpoints.listEndpoints(room.db, audience);
    return found.map(await showing(room, found, audience));
  },
});

const test = command({
  id: "events.endpoints.test",
  title: "Send a test…",
  summary: "Send a test event to an endpoint once, and show what came back.",
  description: "Its type is endpoint.test. It is not an event of the account, and Duba does not repeat it.",
  onTerminal: "The exit code is 1 if it was not delivered.",
  role: "operator",
  kind: "read",
  calls: true,
  target: ["id"],
  input: Type.Object({ id }),
  answer: Type.Object({
    id: Type.String(),
    delivered: Type.Boolean(),
    outcome: Type.String(),
    points_to: Type.Optional(Type.String({ description: "Where a redirect points, without its path." })),
    milliseconds: Type.Integer(),
  }),
  view: ({ id, delivered, outcome, points_to, milliseconds }) => [
    `The endpoint ${id} ${delivered ? "took" : "did not take"} the event, after ${milliseconds} ms: ${outcomeText(outcome, points_to)}`,
  ],
  isWell: ({ delivered }) => delivered,
  examples: [{ id: "ep_q3Jx0vT5bZ1K" }],
  run: async ({ id }, { db, keyring, now, config }: EndpointRoom) => {
    const row = await endpoints.findEndpoint(db, id);
    const networks = addressList(config.eventNetworks);
    let pointsTo: string | undefined;
    const redirected = (to: URL) => {
      pointsTo = shownUrl(to.href);
    };
    const sent = await sendTest(row, { keyring: (await keyring()).ring, networks, now: now(), redirected });
    return { id, ...sent, ...(pointsTo !== undefined && { points_to: pointsTo }) };
  },
});

const roll = command({
  id: "events.endpoints.roll",
  title: "Roll the secret…",
  summary: "Give an endpoint a new secret. Duba shows it once.",
  description: "For the overlap, each delivery carries a signature by both secrets.",
  role: "operator",
  kind: "change",
  gives: "credentials",
  target: ["id"],
  input: Type.Object({
    id,
    overlap: formed(overlapTime, {
      description: "How long the old secret signs too, 30d at most. 0s: it ends at once.",
      placeholder: "time",
      default: "24h",
    }),
  }),
  answer: Type.Object({ ...facts, secret, old_secret_ends_at: time }),
  view: ({ id, old_secret_ends_at }, { at }) => [`The old secret of ${id} ends ${at(old_secret_ends_at)}.`],
  onPage: ({ url, old_secret_ends_at }, { at }) => [
    `The old secret of ${new URL(url).host} ends ${at(old_secret_ends_at)}.`,
  ],
  records: [endpointTrail.endpointRolled],
  examples: [{ id: "ep_q3Jx0vT5bZ1K" }, { id: "ep_q3Jx0vT5bZ1K", overlap: "1h" }],
  effect: mustBeThere,
  run: async ({ id, overlap }, room: EndpointRoom) => {
    const place = { ...room, now: room.now(), keyring: (await room.keyring()).ring };
    const { row, secret, formerEndsAt } = await endpoints.rollSecret(place, { id, overlap });
    return { ...(await factsOf(row, room)), secret, old_secret_ends_at: formerEndsAt };
  },
});

const remove = command({
  id: "events.endpoints.remove",
  title: "Remove…",
  summary: "Remove an endpoint, and all deliveries that wait for it.",
  role: "operator",
  kind: "danger",
  target: ["id"],
  input: Type.Object({ id }),
  answer: Type.Object(facts),
  view: ({ id, account }) => [
    { text: richText`The endpoint ${id} of ${account === null ? "operators" : { account }} is removed.` },
  ],
  onPage: ({ url }) => [`The endpoint of ${new URL(url).host} is removed.`],
  records: [endpointTrail.endpointRemoved],
  examples: [{ id: "ep_q3Jx0vT5bZ1K" }],
  effect: mustBeThere,
  run: async ({ id }, room: EndpointRoom) => {
    const row = await endpoints.findEndpoint(room.db, id);
    const shown = await showing(room, [row], row.audience);
    return shown(await endpoints.removeEndpoint({ ...room, now: room.now() }, { id }));
  },
});

export const endpointCommands = [add, listEndpoints, test, roll, remove];

/** Says what the outcome of a delivery means. */
function outcomeText(outcome: string, pointsTo?: string): string {
  if (pointsTo !== undefined)
    return `it answered ${outcome} and points to ${pointsTo}. Duba follows no redirect: give the endpoint that URL.`;
  const texts: Record<string, string> = {
    timed_out: "there was no answer within 10 seconds.",
    address_refused: "its address is private or reserved. DUBA_EVENT_NETWORKS can allow it.",
    https_required: "it uses http. Only test mode may.",
    ENOTFOUND: "its host name is unknown.",
    ECONNREFUSED: "nothing listens there.",
  };
  return texts[outcome] ?? (/^\d+$/.test(outcome) ? `it answered ${outcome}.` : `${outcome}.`);
}

/**
 * Returns the endpoint that the input describes. Throws for an unknown account, and for values that no endpoint may
 * have.
 */
async function wantedBy(
  { url, account, mode, type = [] }: { url: URL; account?: string; mode: "test" | "live"; type?: EventType[] },
  room: EndpointRoom,
) {
  const accountId = account === undefined ? null : (await room.accounts.find(account)).id;
  const itsMode = accountId === null ? null : mode;
  refuseUnfit(url, type, itsMode, room);
  const wanted = { accountId, mode: itsMode, url, types: [...new Set(type)] };
  return { place: { ...room, now: room.now(), keyring: (await room.keyring()).ring }, wanted };
}

async function mustBeThere({ id }: { id: string }, { db }: Pick<Audited, "db">): Promise<Effect> {
  await endpoints.findEndpoint(db, id);
  return { says: [] };
}

function refuseUnfit(
  url: URL,
  types: readonly EventType[],
  mode: EventEndpointRow["mode"],
  { config: { eventNetworks } }: EndpointRoom,
): void {
  const foreign = types.find((type) => eventTypes[type].isForOperators);
  if (mode !== null && foreign)
    throw new InputError(`Only operators get ${foreign}. Leave the account out, or name other types.`);
  const why = whyUnfit(url, mode, addressList(eventNetworks));
  if (why === "number") throw new InputError([{ field: "url", message: withoutNumber }]);
  if (why === "private")
    throw new InputError(
      "The address is private or reserved. Use a public one, or allow its network in DUBA_EVENT_NETWORKS.",
    );
  if (why === "plain") throw new InputError("Use an https:// URL. Only an endpoint for test mode may use http.");
}

/** Whether an endpoint gets all events that its account, or operators, can get. */
function hasAll({ types, account }: { types: readonly string[]; account: string | null }): boolean {
  return (account === null ? eventTypeNames : accountEventTypes).every((type) => types.includes(type));
}

async function factsOf(row: EventEndpointRow, room: EndpointRoom) {
  return (await showing(room, [row], row.audience))(row);
}

/** Returns the function that shows each of these endpoints, which are of one audience or of all audiences. */
async function showing({ db, accounts, now }: EndpointRoom, rows: readonly EventEndpointRow[], audience?: string) {
  const emails = await accounts.emails(rows.map((row) => row.audience));
  const marked = await markedEndpoints(db, now(), { audience });
  const marks = new Map(marked.map(({ id, mark }) => [id, mark]));
  return (row: EventEndpointRow) => ({
    ...row,
    url: shownUrl(row.url),
    account: row.audience === operators ? null : emails(row.audience),
    types: JSON.parse(row.types) as string[],
    mark: marks.get(row.id) ?? null,
  });
}
