import { setTimeout } from "node:timers/promises";
import type { Transaction } from "kysely";
import { usualScopes } from "../declare/operation.ts";
import { type Audited, inTransaction } from "../storage/audited.ts";
import { lockCounter, noteChange } from "../storage/change-counter.ts";
import { upsert } from "../storage/queries/upsert.ts";
import type { Db, Tables } from "../storage/tables.ts";
import { AccessError } from "./access-error.ts";
import { createAccount } from "./accounts/accounts.ts";
import { insertKey, revokeKey } from "./keys/keys.ts";
import { newApiKey, newKeyId, readApiKey, secretHash } from "./secrets.ts";

const sandbox = { name: "Sandbox", email: "sandbox@example.com" };

/** The sandbox key that a start revoked, by its public id, and why. */
export interface ReplacedKey {
  key: string;
  why: "setting_changed" | "setting_gone" | "never_shown";
}

/** How the log explains that the key was revoked. */
export const whyReplaced: Readonly<Record<ReplacedKey["why"], string>> = {
  setting_changed: "the sandbox key is now the value of DUBA_BOOTSTRAP_KEY; the one before is revoked",
  setting_gone: "DUBA_BOOTSTRAP_KEY is gone: its key is revoked, and a new sandbox key is shown",
  never_shown: "a start ended before it showed the sandbox key: that key is revoked, and a new one is shown",
};

export interface FirstStart {
  /** Text of a random key from this start. Print the text, then call `noteShown`. */
  printed?: string;
  replaced?: ReplacedKey;
}

/** The transaction of a start, and its time. */
interface Start extends Audited {
  db: Transaction<Tables>;
  now: number;
}

/**
 * Creates the account "Sandbox" with a test key: with a `bootstrapKey` in any store, else in a store without accounts.
 * `bootstrapKey` (24 or more visible characters) sets the key's value: the same value changes nothing, another one
 * revokes the old key and its tokens. A new random key replaces a key in two cases: its setting is gone, or no start
 * has shown it. If several processes start at once, one creates the key, and the others wait up to `patience`
 * milliseconds for that process to show it. Throws an `AccessError` for a value that cannot be a test key.
 */
export async function firstStart(
  { db, audit }: Omit<Audited, "actor">,
  bootstrapKey?: string,
  now: number = Date.now(),
  patience = 0,
): Promise<FirstStart> {
  if (bootstrapKey !== undefined) refuseUnfit(bootstrapKey);
  const until = performance.now() + patience;
  for (;;) {
    const done = await inTransaction(db, async (trx) => {
      const start: Start = { db: trx, audit, actor: "system", now };
      await lockCounter(trx, "access");
      if (bootstrapKey !== undefined) return setBootstrapKey(start, bootstrapKey);
      const noted = await notedKey(trx);
      if (noted?.why === "never_shown" && performance.now() < until) return undefined;
      if (noted) return replaceNoted(start, noted);
      if (await trx.selectFrom("account").select("id").limit(1).executeTakeFirst()) return {};
      return { printed: await makeKey(start, (await createAccount(start, sandbox, now)).id) };
    });
    if (done) return done;
    await setTimeout(50);
  }
}

/** Notes that somebody has seen the key with this text, so later starts keep that key. */
export async function noteShown(db: Db, text: string): Promise<void> {
  const value = noteText({ key: readApiKey(text)!.id, why: "never_shown" });
  await db.deleteFrom("fact").where("name", "=", noteName).where("value", "=", value).execute();
}

/** A note for later starts: why the next start should replace the sandbox key. Without a note the key stays. */
const noteName = "sandbox-key";

const noteText = ({ key, why }: ReplacedKey) => `${why} ${key}`;

async function notedKey(trx: Transaction<Tables>): Promise<ReplacedKey | undefined> {
  const row = await trx.selectFrom("fact").select("value").where("name", "=", noteName).executeTakeFirst();
  if (!row) return undefined;
  const [why, key] = row.value.split(" ") as [ReplacedKey["why"], string];
  return { key, why };
}

async function note({ db, now }: Start, noted: ReplacedKey | undefined): Promise<void> {
  if (noted) await upsert(db, "fact", { name: noteName }, { value: noteText(noted), created_at: now });
  else await db.deleteFrom("fact").where("name", "=", noteName).execute();
}

async function replaceNoted(start: Start, noted: ReplacedKey): Promise<FirstStart> {
  const current = await latestBootstrapKey(start.db);
  // An operator revoked the sandbox key and wants no new one.
  if (current?.id !== noted.key || current.revoked_at !== null) {
    await note(start, undefined);
    return {};
  }
  await revokeKey(start, noted.key, start.now);
  return { printed: await makeKey(start, current.account_id), replaced: noted };
}

/** Creates a random key and returns its text. Every start replaces the key until `noteShown` is called. */
async function makeKey(start: Start, accountId: string): Promise<string> {
  const { id, text, hash } = newApiKey("test");
  await insertSandboxKey(start, id, accountId, hash);
  await note(start, { key: id, why: "never_shown" });
  return text;
}

function refuseUnfit(value: string): void {
  if (value.startsWith("duba_live_"))
    throw new AccessError("The bootstrap key is a test key: its value must not begin with duba_live_.");
  if (!/^[!-~]{24,}$/.test(value))
    throw new AccessError("The bootstrap key must be at least 24 visible ASCII characters without spaces.");
}

async function setBootstrapKey(start: Start, value: string): Promise<FirstStart> {
  const hash = secretHash(value);
  const current = await latestBootstrapKey(start.db);
  // Includes a key that an operator revoked, because a restart must not make that key valid again.
  if (current?.secret_hash === hash) return {};
  const replaced = current?.revoked_at === null ? current.id : undefined;
  if (replaced !== undefined) await revokeKey(start, replaced, start.now);
  const accountId = current?.account_id ?? (await sandboxAccount(start));
  const id = await idFor(start.db, value);
  await insertSandboxKey(start, id, accountId, hash);
  await note(start, { key: id, why: "setting_gone" });
  await noteChange(start.db, "access");
  return replaced === undefined ? {} : { replaced: { key: replaced, why: "setting_changed" } };
}

/** The bootstrap key in force, else the one that was revoked last. */
async function latestBootstrapKey(trx: Transaction<Tables>) {
  const rows = await trx
    .selectFrom("api_key")
    .select(["id", "account_id", "secret_hash", "revoked_at"])
    .where("bootstrap", "=", 1)
    .orderBy("revoked_at", "desc")
    .execute();
  return rows.find(({ revoked_at }) => revoked_at === null) ?? rows[0];
}

async function sandboxAccount(start: Start): Promise<string> {
  const known = await start.db.selectFrom("account").select("id").where("email", "=", sandbox.email).executeTakeFirst();
  return (known ?? (await createAccount(start, sandbox, start.now))).id;
}

/** The public id in the value, unless the value has another form or an earlier key has that id. */
async function idFor(trx: Transaction<Tables>, value: string): Promise<string> {
  const id = readApiKey(value)?.id ?? newKeyId();
  const taken = await trx.selectFrom("api_key").select("id").where("id", "=", id).executeTakeFirst();
  return taken ? newKeyId() : id;
}

async function insertSandboxKey(start: Start, id: string, accountId: string, hash: string): Promise<void> {
  await insertKey(start, {
    id,
    account_id: accountId,
    mode: "test",
    label: sandbox.name,
    scopes: JSON.stringify(usualScopes),
    addresses: "[]",
    secret_hash: hash,
    bootstrap: 1,
    created_at: start.now,
    expires_at: null,
    revoked_at: null,
  });
}
