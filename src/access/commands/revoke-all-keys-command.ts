import { accessTrail } from "../../declare/access-trail.ts";
import { reference, time } from "../../declare/command/answer-schema.ts";
import { richText } from "../../declare/command/rich-text.ts";
import { CommandError, command } from "../../declare/command.ts";
import Type from "../../declare/schema/type.ts";
import { type Audited, inTransaction, type WithClock } from "../../storage/audited.ts";
import { endpointTrail } from "../../storage/events/endpoint-trail.ts";
import { findAccount } from "../accounts/accounts.ts";
import { useOf } from "../accounts/effect-on-calls.ts";
import type { KeyRoom } from "../keys/effect-on-key.ts";
import { lastUses } from "../keys/key-uses.ts";
import { revokeKey } from "../keys/keys.ts";

export const revokeAllKeys = command({
  id: "keys.revoke-all",
  title: "Revoke all keys…",
  summary:
    "Revoke all keys of an account and their access tokens, and switch the endpoints off that they made. " +
    "Running instances apply it within 5 seconds.",
  role: "operator",
  kind: "danger",
  target: ["account"],
  // The command acts on several keys, so no single row of a list offers it.
  fits: () => false,
  input: Type.Object({
    account: Type.String({ description: "Account of the keys.", placeholder: "id or e-mail" }),
  }),
  answer: Type.Object({
    account: Type.String(),
    keys: Type.Array(
      Type.Object({ id: reference, mode: Type.Enum(["test", "live"]), label: Type.String(), revoked_at: time }),
    ),
  }),
  view: ({ account, keys }) => [
    { text: richText`${String(keys.length)} ${keys.length === 1 ? "key" : "keys"} of ${{ account }} revoked.` },
    { list: "keys" },
  ],
  onPage: ({ account, keys }) => [
    {
      text: richText`${keys.length === 1 ? "The key" : `All ${keys.length} keys`} of ${{ account }} ${keys.length === 1 ? "is" : "are"} revoked. Running instances apply it within 5 seconds.`,
    },
  ],
  records: [accessTrail.keyRevoked, endpointTrail.endpointOff],
  examples: [{ account: "shop@example.com" }],
  effect: async ({ account }, room: KeyRoom) => {
    const { id: accountId, email, name, keys } = await keysInForce(room, account);
    const [uses, { says }] = await Promise.all([lastUses(room.db, accountId), useOf(room, accountId)]);
    return {
      asks: `Revoke all ${keys.length === 1 ? "keys" : `${keys.length} keys`} of ${name}?`,
      says: [
        richText`Calls of ${{ account: email }} are refused at once.`,
        says,
        ...keys.map(({ id, mode, label }) => {
          const used = uses.get(id);
          const last = used ? richText`last used ${{ time: used.at }}` : ["never used"];
          return [...richText`${label || "A key"} (${mode}), ${{ key: id }}, `, ...last, "."];
        }),
      ],
    };
  },
  run: async ({ account }, room: KeyRoom) => {
    const { email, keys } = await keysInForce(room, account);
    const now = room.now();
    const revoked = await inTransaction(room.db, async (db) => {
      const all = [];
      for (const { id, mode, label } of keys) {
        await revokeKey({ ...room, db }, id, now);
        all.push({ id, mode: mode as "test" | "live", label, revoked_at: now });
      }
      return all;
    });
    return { account: email, keys: revoked };
  },
});

/**
 * The keys of an account that neither ended nor were revoked, oldest first. Throws a `CommandError` if there are none.
 */
async function keysInForce({ db, now }: Pick<Audited, "db"> & WithClock, account: string) {
  const { id, email, name } = await findAccount(db, account);
  const keys = await db
    .selectFrom("api_key")
    .select(["id", "mode", "label"])
    .where("account_id", "=", id)
    .where("revoked_at", "is", null)
    .where((row) => row.or([row("expires_at", "is", null), row("expires_at", ">", now())]))
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  if (keys.length === 0) throw new CommandError(`${name} has no key in force.`);
  return { id, email, name, keys };
}
