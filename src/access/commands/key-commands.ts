import { accessTrail } from "../../declare/access-trail.ts";
import { orNull, reference, secret, time, type Viewing } from "../../declare/command/answer-schema.ts";
import { expiry, network, orWord } from "../../declare/command/forms.ts";
import { mend } from "../../declare/command/mend.ts";
import { flag, formed, InputError } from "../../declare/command/read-texts.ts";
import { type RichText, richText } from "../../declare/command/rich-text.ts";
import { command } from "../../declare/command.ts";
import { overlapTime } from "../../declare/duration.ts";
import { scopes } from "../../declare/operation.ts";
import Type, { type Static } from "../../declare/schema/type.ts";
import { UseRows, useColumns, useRows, useSpan, withoutCorrections } from "../../ledger/commands/use-rows.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import { type Audited, triedFirst, type WithClock } from "../../storage/audited.ts";
import { endpointTrail } from "../../storage/events/endpoint-trail.ts";
import { markedEndpoints } from "../../storage/events/made-endpoints.ts";
import { findAccount } from "../accounts/accounts.ts";
import { changeKey } from "../keys/change-key.ts";
import type { KeyRoom } from "../keys/effect-on-key.ts";
import { lastUses } from "../keys/key-uses.ts";
import * as keys from "../keys/keys.ts";
import { rollKey } from "../keys/roll.ts";
import { readApiKey } from "../secrets.ts";
import { endpointFactsOf, endpointList, madeEndpoints } from "./endpoint-facts.ts";
import { KeyFacts, keyFacts, keyFactsOf, listKeysCommand, mayText } from "./list-keys-command.ts";
import { revokeAllKeys } from "./revoke-all-keys-command.ts";

const idMember = Type.String({
  label: "Key",
  description: "Public id of the key, which `duba keys list` shows, or the whole key.",
  placeholder: "id",
});

const createKey = command({
  id: "keys.create",
  title: "New key",
  summary: "Create an API key. Duba shows the key once, stores only a hash, and cannot show the key again.",
  role: "operator",
  kind: "change",
  gives: "credentials",
  givesNothing: ({ mode }) => mode === "test",
  fills: ({ email, prepaid }) =>
    prepaid === undefined || email === undefined
      ? undefined
      : { input: { account: String(email), mode: "live" }, title: "New live key" },
  input: Type.Object({
    account: Type.String({ description: "Account of the key.", placeholder: "id or e-mail" }),
    mode: Type.Enum(["test", "live"], {
      description: "A test key uses only the sandbox. A live key never uses it.",
      default: "test",
      areEqual: true,
      words: { live: "It asks vendors, and its calls cost money.", test: "It uses only the sandbox." },
    }),
    label: Type.String({ description: "A name for the key, so that you recognise it.", default: "" }),
    scope: Type.Optional(
      Type.Array(Type.Enum([...scopes]), {
        description:
          "Permission of the key. Default: look-ups and verifications. events:manage: " +
          "it manages webhook endpoints of its account.",
        folded: true,
      }),
    ),
    expires: Type.Optional(
      formed(expiry, {
        description:
          "When the key expires: 2027-01-31 (at 00:00 in DUBA_TIME_ZONE), or 90d or 5min from now. Default: never.",
        placeholder: "when",
        folded: true,
      }),
    ),
    address: Type.Optional(
      Type.Array(formed(network, { description: "" }), {
        description: "Address or network that may use the key, such as 10.0.0.0/8.",
        placeholder: "ip or network",
        folded: true,
      }),
    ),
  }),
  answer: Type.Object({ ...keyFacts, key: secret }),
  view: ({ id, account, mode, scopes, expires_at }, { at }) => [
    {
      text: richText`This ${mode} key ${id} of ${{ account }} has ${scopes.join(" and ")}${expires_at === null ? "" : `, until ${at(expires_at)}`}.`,
    },
  ],
  onPage: ({ mode, expires_at, ...key }, { at }) => [
    `A ${mode} key that may: ${mayText(key)}${expires_at === null ? "" : `, until ${at(expires_at)}`}.`,
  ],
  records: [accessTrail.keyCreated],
  examples: [
    { account: "shop@example.com", label: "checkout" },
    {
      account: "shop@example.com",
      mode: "live",
      scope: ["identity:verify"],
      expires: "90d",
      address: ["203.0.113.7", "10.0.0.0/8"],
    },
  ],
  effect: (_, room: Audited & WithClock, run) => triedFirst(room, run),
  run: async ({ scope, expires, address, ...request }, store: Audited & WithClock) => {
    const wanted = {
      ...request,
      ...(scope && { scopes: scope }),
      ...(expires !== undefined && { expiresAt: expires }),
      ...(address && { addresses: address }),
    };
    const { key, text } = await keys.createKey(store, wanted, store.now());
    return { ...(await shownKey(store.db, key)), key: text };
  },
});

const showKey = command({
  id: "keys.show",
  title: "Key",
  summary: "Show a key without its secret: what it may do, from where, until when, and when it was used last.",
  role: "viewer",
  kind: "read",
  target: ["id"],
  input: Type.Object({ id: idMember }),
  answer: Type.Object({ ...keyFacts, endpoints: madeEndpoints }),
  view: ({ endpoints, ...key }) => [{ record: key }, ...endpointList("Endpoints that it made:", endpoints)],
  onPage: ({ endpoints, ...key }) => [
    { record: { ...key, scopes: mayText(key) } },
    ...endpointList("Endpoints that it made:", endpoints),
  ],
  examples: [{ id: "4Zq8mPx0LtV2" }],
  run: async ({ id }, { db, now }: Audited & WithClock) => {
    const key = keys.apiKeyOf(await keys.keyRow(db, publicIdOf(id)));
    return { ...(await shownKey(db, key)), endpoints: await madeBy(db, key.id, now()) };
  },
});

const showKeyUse = command({
  id: "keys.use",
  title: "Use",
  summary:
    "Show the live verifications of a key: by the hour for 24 hours, by the day for 30 days, " +
    "or by the month for 12 months.",
  description: `From the sums of hours and days. Days and months are those of DUBA_TIME_ZONE. ${withoutCorrections}`,
  role: "viewer",
  kind: "read",
  reports: true,
  target: ["id"],
  input: Type.Object({ id: idMember, span: useSpan }),
  answer: UseRows,
  columns: useColumns,
  examples: [{ id: "4Zq8mPx0LtV2" }, { id: "4Zq8mPx0LtV2", span: "12m" }],
  run: async ({ id, span }, { db, now, config }: Audited & WithClock & { config: { timeZone: TimeZone } }) => {
    const { id: keyId } = await keys.keyRow(db, publicIdOf(id));
    return useRows(db, { span, now: now(), zone: config.timeZone }, { keyId });
  },
});

function changedKeyText(
  { account, mode, scopes, addresses, expires_at }: Static<typeof KeyFacts>,
  name: string,
  at: Viewing["at"],
): RichText {
  const from = addresses.length === 0 ? "any address" : addresses.join(" and ");
  const end = expires_at === null ? "without an end" : `until ${at(expires_at)}`;
  return richText`The ${mode} key ${name} of ${{ account }} has ${scopes.join(" and ")}, from ${from}, ${end}.`;
}

const changeKeyCommand = command({
  id: "keys.change",
  title: "Change…",
  summary: "Change the label, scopes, addresses or expiry of a key. Running instances apply it within 5 seconds.",
  description:
    "Other values do not change. New scopes and addresses replace the old ones. " +
    "The key itself, its mode and its account never change. Access tokens of the key follow.",
  role: "operator",
  kind: "change",
  gives: "credentials",
  givesNothing: isTestKey,
  target: ["id"],
  input: Type.Object({
    id: idMember,
    label: Type.Optional(Type.String({ description: "The new label." })),
    scope: Type.Optional(Type.Array(Type.Enum([...scopes]), { description: "Permission of the key." })),
    expires: Type.Optional(
      formed(orWord("never", expiry), {
        description: 'When the key expires: 2027-01-31 (at 00:00 in DUBA_TIME_ZONE), 90d or 5min from now, or "never".',
        placeholder: "when",
      }),
    ),
    address: Type.Optional(
      Type.Array(formed(orWord("any", network), { description: "" }), {
        description: 'Address or network that may use the key, such as 10.0.0.0/8. "any" allows every address.',
        placeholder: "ip or network",
      }),
    ),
  }),
  answer: KeyFacts,
  view: (key, { at }) => [{ text: changedKeyText(key, `${key.id}${key.label === "" ? "" : ` (${key.label})`}`, at) }],
  onPage: (key, { at }) => [{ text: changedKeyText(key, key.label || key.id, at) }],
  records: [accessTrail.keyChanged],
  examples: [
    { id: "4Zq8mPx0LtV2", address: ["203.0.113.7", "10.0.0.0/8"] },
    { id: "4Zq8mPx0LtV2", label: "checkout", expires: "never" },
    { id: "4Zq8mPx0LtV2", scope: ["catalogue:read", "identity:verify", "events:manage"] },
  ],
  mayBeDanger: true,
  effect: async ({ id }, room: KeyRoom, run) => effectOf(room, id, run),
  run: async ({ id, scope, expires, address, label }, store: KeyRoom) => {
    const change = {
      ...(label !== undefined && { label }),
      ...(scope && { scopes: scope }),
      ...(expires !== undefined && { expiresAt: expires }),
      ...(address && { addresses: addressesOf(address) }),
    };
    if (Object.keys(change).length === 0)
      throw new InputError("The command has nothing to change. Add a label, a scope, an address or an expiry.");
    return shownKey(store.db, await changeKey(store, publicIdOf(id), change, store.now()));
  },
});

const rollKeyCommand = command({
  id: "keys.roll",
  title: "Roll…",
  summary: "Replace a key with a new key of the same mode, label, scopes and addresses.",
  description: "The old key and its tokens stay valid for the overlap. Duba shows the new key once.",
  role: "operator",
  kind: "change",
  gives: "credentials",
  givesNothing: isTestKey,
  target: ["id"],
  input: Type.Object({
    id: idMember,
    overlap: formed(overlapTime, {
      description: "How long the old key stays valid, 30d at most. 0s: it ends at once.",
      placeholder: "time",
      default: "24h",
    }),
  }),
  answer: Type.Object({
    ...keyFacts,
    key: secret,
    replaces: Type.String(),
    old_key_ends_at: orNull(time),
    endpoints: madeEndpoints,
  }),
  view: ({ id, account, mode, replaces, old_key_ends_at, endpoints }, { at }) => [
    {
      text: richText`This ${mode} key ${id} of ${{ account }} replaces ${replaces}, which ends ${at(old_key_ends_at)}.`,
    },
    ...endpoints.map(({ endpoint, host, off_since }) => ({
      note: `${replaces} made the endpoint ${endpoint} of ${host}, which ${off_since === null ? "stays on" : "is off"}.`,
    })),
  ],
  onPage: ({ label, old_key_ends_at, endpoints }, { at }) => [
    `It replaces ${label === "" ? "the old key" : `the old ${label}`}, which ends ${at(old_key_ends_at)}.`,
    ...endpoints.map(({ host, off_since }) => ({
      note: `The old key made the endpoint of ${host}, which ${off_since === null ? "stays on" : "is off"}.`,
    })),
  ],
  records: [accessTrail.keyRolled, accessTrail.keyCreated],
  examples: [{ id: "4Zq8mPx0LtV2" }, { id: "4Zq8mPx0LtV2", overlap: "1h" }],
  mayBeDanger: true,
  effect: async ({ id }, room: KeyRoom, run) => effectOf(room, id, run),
  run: async ({ id, overlap }, store: KeyRoom) => {
    const { key, text, old } = await rollKey(store, { id: publicIdOf(id), overlap }, store.now());
    const endpoints = await madeBy(store.db, old.id, store.now());
    return {
      ...(await shownKey(store.db, key)),
      key: text,
      replaces: old.id,
      old_key_ends_at: old.expires_at,
      endpoints,
    };
  },
});

const revokeKey = command({
  id: "keys.revoke",
  title: "Revoke…",
  fits: ({ revoked_at }) => revoked_at === null,
  summary:
    "Revoke a key and all its access tokens, and switch the endpoints off that it made. " +
    "Running instances apply it within 5 seconds.",
  description:
    "What waits for these endpoints is not sent any more. `duba events resend` switches one on again. " +
    "Revoking a key once more switches off what it left on.",
  role: "operator",
  kind: "danger",
  target: ["id"],
  input: Type.Object({
    id: idMember,
    keep_endpoints: flag("Leave the endpoints on that the key made.", { folded: true }),
  }),
  answer: Type.Object({
    id: Type.String(),
    revoked_at: time,
    endpoints: madeEndpoints,
    /** Endpoints of the key's account that are on, and for which the service did not keep who made them. */
    without_maker: Type.Array(reference),
  }),
  view: ({ id, revoked_at, endpoints, without_maker }, { at }) => [
    `Key ${id} is revoked since ${at(revoked_at)}. Running instances apply it within 5 seconds.`,
    ...endpoints.map(({ endpoint, host, off_since }) =>
      off_since === null
        ? { problem: `It made the endpoint ${endpoint} of ${host}, which stays on and gets events.` }
        : `It made the endpoint ${endpoint} of ${host}, which is off since ${at(off_since)}.`,
    ),
    ...without_maker.map((endpoint) => ({
      note: `Nobody kept who made the endpoint ${endpoint} of its account.`,
      mends: [mend("If it is a stranger's", "events.endpoints.remove", { id: endpoint })],
    })),
  ],
  onPage: ({ revoked_at, endpoints, without_maker }, { at }) => [
    `The key is revoked since ${at(revoked_at)}. Running instances apply it within 5 seconds.`,
    ...endpoints.map(({ host, off_since }) =>
      off_since === null
        ? { problem: `It made the endpoint of ${host}, which stays on and gets events.` }
        : `It made the endpoint of ${host}, which is off since ${at(off_since)}.`,
    ),
    ...without_maker.map((endpoint) => ({
      note: "Nobody kept who made an endpoint of its account.",
      mends: [mend("If it is a stranger's", "events.endpoints.remove", { id: endpoint })],
    })),
  ],
  records: [accessTrail.keyRevoked, endpointTrail.endpointOff],
  examples: [{ id: "4Zq8mPx0LtV2" }, { id: "4Zq8mPx0LtV2", keep_endpoints: true }],
  effect: async ({ id, keep_endpoints }, room: KeyRoom, run) => {
    const { says } = await effectOf(room, id, run);
    const on = (await madeBy(room.db, publicIdOf(id), room.now())).filter(({ off_since }) => off_since === null);
    return {
      says: [
        ...says,
        ...on.map(
          ({ endpoint, host }) =>
            `The endpoint ${endpoint} of ${host}, which it made, ${keep_endpoints ? "stays on" : "goes off"}.`,
        ),
      ],
    };
  },
  run: async ({ id, keep_endpoints: keepsEndpoints = false }, store: KeyRoom) => {
    const { db } = store;
    const key = await keys.revokeKey(store, publicIdOf(id), store.now(), { keepsEndpoints });
    const all = await markedEndpoints(db, store.now(), { audience: key.account_id });
    return {
      id: key.id,
      revoked_at: key.revoked_at!,
      endpoints: await madeBy(db, key.id, store.now()),
      without_maker: all.filter(({ made_by, off_since }) => made_by === null && off_since === null).map(({ id }) => id),
    };
  },
});

export const keyCommands = [
  ...[createKey, listKeysCommand, showKey, showKeyUse, changeKeyCommand, rollKeyCommand, revokeKey],
  revokeAllKeys,
];

async function effectOf(room: KeyRoom, id: string, run: (inside: { db: Audited["db"] }) => Promise<unknown>) {
  return (await import("../keys/effect-on-key.ts")).effectOnKey(room, publicIdOf(id), run);
}

async function isTestKey({ id }: { id: string }, { db }: Audited): Promise<boolean> {
  const key = await db.selectFrom("api_key").select("mode").where("id", "=", publicIdOf(id)).executeTakeFirst();
  return key?.mode === "test";
}

function publicIdOf(idOrKey: string): string {
  return readApiKey(idOrKey)?.id ?? idOrKey;
}

function addressesOf(given: readonly (string | null)[]): string[] {
  if (given.includes(null) && given.length > 1)
    throw new InputError('"any" allows every address, so name no other one beside it.');
  return given.filter((each) => each !== null);
}

/** The endpoints that a key made. */
async function madeBy(db: Audited["db"], key: string, now: number) {
  return (await markedEndpoints(db, now, { key })).map(endpointFactsOf);
}

async function shownKey(db: Audited["db"], key: keys.ApiKey) {
  const [{ email }, uses] = await Promise.all([findAccount(db, key.account_id), lastUses(db, key.account_id)]);
  return keyFactsOf(key, email, uses.get(key.id));
}
