import { type RichText, richText } from "../../declare/command/rich-text.ts";
import type { Effect } from "../../declare/command.ts";
import { addressList, isListed } from "../../runtime/network/address.ts";
import { type Audited, takenBack } from "../../storage/audited.ts";
import { type CallsRoom, useOf } from "../accounts/effect-on-calls.ts";
import { type KeyUse, lastUses } from "./key-uses.ts";
import { type ApiKey, apiKeyOf, keyRow } from "./keys.ts";

export interface KeyRoom extends Audited, CallsRoom {}

/**
 * Describes for the confirming person what a change of a key does to calls that use the key. Runs `change` in a
 * transaction that is rolled back. Throws the errors of `change`.
 */
export async function effectOnKey(
  room: KeyRoom,
  id: string,
  change: (inside: Pick<Audited, "db">) => Promise<unknown>,
): Promise<Effect> {
  const was = apiKeyOf(await keyRow(room.db, id));
  const will = await takenBack(room.db, async (db) => {
    await change({ db });
    return apiKeyOf(await keyRow(db, id));
  });
  const now = room.now();
  if (endOf(was) <= now) return { says: [] };
  const { email, says } = await useOf(room, was.account_id);
  const who = richText`${{ account: email }} with the key ${{ key: id }}`;
  const [atOnce, later] = [
    refusedAtOnce({ was, will, now, use: (await lastUses(room.db, was.account_id)).get(id) }).map(
      (text) => richText`Calls of ${who}${text}`,
    ),
    endOf(will) > now && endOf(will) < endOf(was)
      ? [richText`Calls of ${who} are refused from ${{ time: endOf(will) }} on.`]
      : [],
  ];
  const refused = [...atOnce, ...later];
  return {
    isDanger: was.mode === "live" && atOnce.length > 0,
    says: refused.length === 0 ? [] : [...refused, says],
  };
}

interface Change {
  was: ApiKey;
  will: ApiKey;
  now: number;
  use: KeyUse | undefined;
}

/** Returns texts that follow "Calls of Lagos Till with the key Checkout". */
function refusedAtOnce({ was, will, now, use }: Change): RichText[] {
  if (endOf(will) <= now) return [richText` are refused at once.`];
  const lost = was.scopes.filter((scope) => !will.scopes.includes(scope));
  const allowed = addressList(will.addresses);
  const isNarrower = allowed !== null && will.addresses.join() !== was.addresses.join();
  const isOutside = isNarrower && (use === undefined || !isListed(allowed, use.address));
  const from = use === undefined ? "other addresses" : `${use.address}, as the last one,`;
  return [
    ...(lost.length > 0 ? [richText` that need ${lost.join(" or ")} are refused at once.`] : []),
    ...(isOutside ? [richText` from ${from} are refused at once.`] : []),
  ];
}

function endOf({ revoked_at, expires_at }: ApiKey): number {
  return revoked_at ?? expires_at ?? Number.POSITIVE_INFINITY;
}
